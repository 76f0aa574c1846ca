#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace decodescope::engine {

/// The printable stand-ins by which byte-level vocabularies spell bytes: a byte that is a visible character of
/// Latin-1 stands for itself, the other 68 are U+0100, U+0101, ... in order.
class ByteAlphabet {
public:
    [[nodiscard]] static const ByteAlphabet& get() noexcept;

    /// The stand-in of a byte as UTF-8: one or two bytes.
    [[nodiscard]] std::string_view spelling(std::uint8_t byte) const noexcept {
        return {m_spellings[byte].data(), m_lengths[byte]};
    }
    /// Appends the bytes that a spelling stands for; false, with nothing appended, when it holds any other character.
    bool decode(std::string_view spelling, std::string& bytes) const;

private:
    ByteAlphabet() noexcept;

    std::array<std::array<char, 2>, 256> m_spellings{};
    std::array<std::uint8_t, 256> m_lengths{};
    std::array<std::int16_t, 0x200> m_bytes{}; ///< of a code point; -1: none
};

} // namespace decodescope::engine
