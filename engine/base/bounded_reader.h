#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace decodescope::engine {

/// Reads little-endian values out of bytes that nobody vouches for: nothing is read, and the place does not move, when
/// fewer bytes are left than were asked for.
class BoundedReader {
public:
    explicit BoundedReader(std::span<const std::byte> bytes) noexcept
        : m_bytes(bytes) {}

    [[nodiscard]] std::uint64_t offset() const noexcept { return m_at; }
    [[nodiscard]] std::uint64_t left() const noexcept { return m_bytes.size() - m_at; }
    [[nodiscard]] const std::byte* here() const noexcept { return m_bytes.data() + m_at; }

    template <class T>
    requires std::is_arithmetic_v<T>
    [[nodiscard]] std::optional<T> read() noexcept {
        static_assert(std::endian::native == std::endian::little);
        if (left() < sizeof(T))
            return std::nullopt;
        T value{};
        std::memcpy(&value, here(), sizeof(T));
        m_at += sizeof(T);
        return value;
    }

    [[nodiscard]] std::optional<std::span<const std::byte>> take(std::uint64_t count) noexcept {
        if (left() < count)
            return std::nullopt;
        const std::span<const std::byte> taken = m_bytes.subspan(m_at, count);
        m_at += count;
        return taken;
    }

private:
    std::span<const std::byte> m_bytes;
    std::uint64_t m_at = 0;
};

[[nodiscard]] inline std::string_view asText(std::span<const std::byte> bytes) noexcept {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

} // namespace decodescope::engine
