#pragma once

#include "engine/base/error.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace decodescope::engine {

/// One large piece of zeroed memory, 64-byte aligned and on huge pages where the system gives them. Pages become real
/// when first touched, on the memory of the processor that does.
class Arena {
public:
    Arena() = default;
    ~Arena();
    Arena(Arena&& other) noexcept;
    Arena& operator=(Arena&& other) noexcept;
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    /// ErrorCode::memory, with the number of bytes wanted, when the machine has not that much to give. `what` names
    /// the use and `remedy` what to try.
    [[nodiscard]] static Result<Arena> reserve(std::size_t bytes, std::string_view what, std::string_view remedy);

    [[nodiscard]] std::byte* data() const noexcept { return m_data; }
    [[nodiscard]] std::size_t bytes() const noexcept { return m_bytes; }

private:
    std::byte* m_data = nullptr;
    std::size_t m_bytes = 0;
};

/// What this process may still allocate without swapping: the machine's available memory or what is left of the
/// control group's, whichever is less. The largest number when neither can be read.
[[nodiscard]] std::uint64_t availableMemory();

/// Whether `bytes` more are to be had, as ErrorCode::memory if not.
[[nodiscard]] Result<void> checkMemory(std::uint64_t bytes, std::string_view what, std::string_view remedy);

} // namespace decodescope::engine
