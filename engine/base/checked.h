#pragma once

#include <cstdint>
#include <optional>

/// Arithmetic on numbers out of files: a result that does not fit is no result.
namespace decodescope::engine {

[[nodiscard]] inline std::optional<std::uint64_t> checkedMultiply(std::uint64_t a, std::uint64_t b) noexcept {
    std::uint64_t out = 0;
    if (__builtin_mul_overflow(a, b, &out))
        return std::nullopt;
    return out;
}

[[nodiscard]] inline std::optional<std::uint64_t> checkedAdd(std::uint64_t a, std::uint64_t b) noexcept {
    std::uint64_t out = 0;
    if (__builtin_add_overflow(a, b, &out))
        return std::nullopt;
    return out;
}

/// The next multiple of `alignment`, a power of two.
[[nodiscard]] inline std::optional<std::uint64_t> checkedAlign(std::uint64_t value, std::uint64_t alignment) noexcept {
    const std::optional<std::uint64_t> raised = checkedAdd(value, alignment - 1);
    if (!raised)
        return std::nullopt;
    return *raised & ~(alignment - 1);
}

} // namespace decodescope::engine
