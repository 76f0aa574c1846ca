#pragma once

#include <cstdint>

namespace decodescope::engine::test {

/// Counts what operator new of the whole program gives out: a program that has this file has that count.
class AllocationCount {
public:
    static void reset() noexcept;                           ///< the peak becomes what is held now
    [[nodiscard]] static std::int64_t peakBytes() noexcept; ///< most held at once since reset, above what was held then
};

} // namespace decodescope::engine::test
