#pragma once

#include <cstdint>
#include <string_view>

namespace decodescope::engine {

/// Which set of kernels runs. Chosen once, at run time.
enum class Isa : std::uint8_t {
    scalar, ///< plain C++: every processor, and the check of the others
    avx2,   ///< AVX2, FMA, F16C: 8 rows a group
    avx512  ///< AVX-512 F/BW/VL/DQ and VNNI (BF16 products where the processor has them): 16 rows a group
};

/// The best that this processor has; DECODESCOPE_ISA=scalar|avx2|avx512 in the environment narrows it.
[[nodiscard]] Isa detectIsa() noexcept;
[[nodiscard]] std::string_view toString(Isa isa) noexcept;
/// Rows that a group of a plane interleaves: 8 for avx2, 16 for avx512 and scalar.
[[nodiscard]] std::uint32_t rowsPerGroup(Isa isa) noexcept;

} // namespace decodescope::engine
