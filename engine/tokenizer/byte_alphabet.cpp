#include "engine/tokenizer/byte_alphabet.h"

#include "engine/tokenizer/utf8.h"

namespace decodescope::engine {

const ByteAlphabet& ByteAlphabet::get() noexcept {
    static const ByteAlphabet kAlphabet;
    return kAlphabet;
}

ByteAlphabet::ByteAlphabet() noexcept {
    m_bytes.fill(-1);
    char32_t next = 0x100;
    for (unsigned byte = 0; byte < 256; ++byte) {
        const bool visible = (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
        const char32_t stand = visible ? byte : next++;
        m_bytes[stand] = static_cast<std::int16_t>(byte);
        if (stand < 0x80) {
            m_spellings[byte] = {static_cast<char>(stand), '\0'};
            m_lengths[byte] = 1;
        } else {
            m_spellings[byte] = {static_cast<char>(0xC0U | (stand >> 6)), static_cast<char>(0x80U | (stand & 0x3FU))};
            m_lengths[byte] = 2;
        }
    }
}

bool ByteAlphabet::decode(std::string_view spelling, std::string& bytes) const {
    const std::size_t before = bytes.size();
    for (std::size_t at = 0; at < spelling.size();) {
        const Utf8Step step = utf8Step(spelling.substr(at));
        const bool known =
            step.kind == Utf8Step::Kind::whole && step.codePoint < m_bytes.size() && m_bytes[step.codePoint] >= 0;
        if (!known) {
            bytes.resize(before);
            return false;
        }
        bytes.push_back(static_cast<char>(m_bytes[step.codePoint]));
        at += step.bytes;
    }
    return true;
}

} // namespace decodescope::engine
