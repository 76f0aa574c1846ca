#include "engine/tokenizer/utf8.h"

#include <cstring>

namespace decodescope::engine {

namespace {

struct LeadByte {
    std::uint8_t length; ///< 0: starts no code point
    std::uint8_t secondLow, secondHigh;
};

/// The table of well-formed byte sequences: only the second byte's range depends on the first.
LeadByte leadByte(unsigned char byte) noexcept {
    if (byte < 0x80) {
        return {1, 0, 0};
    }
    if (byte < 0xC2) {
        return {0, 0, 0};
    }
    if (byte < 0xE0) {
        return {2, 0x80, 0xBF};
    }
    if (byte < 0xF0) {
        return {3, static_cast<std::uint8_t>(byte == 0xE0 ? 0xA0 : 0x80),
                static_cast<std::uint8_t>(byte == 0xED ? 0x9F : 0xBF)};
    }
    if (byte < 0xF5) {
        return {4, static_cast<std::uint8_t>(byte == 0xF0 ? 0x90 : 0x80),
                static_cast<std::uint8_t>(byte == 0xF4 ? 0x8F : 0xBF)};
    }
    return {0, 0, 0};
}

} // namespace

Utf8Step utf8Step(std::string_view text) noexcept {
    const auto first = static_cast<unsigned char>(text[0]);
    if (first < 0x80) {
        return {Utf8Step::Kind::whole, 1, first};
    }
    const LeadByte lead = leadByte(first);
    if (lead.length == 0) {
        return {Utf8Step::Kind::illFormed, 1, 0};
    }
    char32_t codePoint = first & (0x7FU >> lead.length);
    for (std::uint8_t at = 1; at < lead.length; ++at) {
        if (at == text.size()) {
            return {Utf8Step::Kind::incomplete, at, 0};
        }
        const auto byte = static_cast<unsigned char>(text[at]);
        const unsigned low = at == 1 ? lead.secondLow : 0x80;
        const unsigned high = at == 1 ? lead.secondHigh : 0xBF;
        if (byte < low || byte > high) {
            return {Utf8Step::Kind::illFormed, at, 0};
        }
        codePoint = (codePoint << 6) | (byte & 0x3FU);
    }
    return {Utf8Step::Kind::whole, lead.length, codePoint};
}

std::size_t wellFormedPrefix(std::string_view text) noexcept {
    std::size_t at = 0;
    while (at < text.size()) {
        while (at + 8 <= text.size()) { // eight ASCII bytes at a time
            std::uint64_t word = 0;
            std::memcpy(&word, text.data() + at, 8);
            if (word & 0x8080808080808080U) {
                break;
            }
            at += 8;
        }
        if (at == text.size()) {
            break;
        }
        const Utf8Step step = utf8Step(text.substr(at));
        if (step.kind != Utf8Step::Kind::whole) {
            return at;
        }
        at += step.bytes;
    }
    return at;
}

std::string replaceIllFormedBytes(std::string_view text) {
    std::string result;
    result.reserve(text.size() + 16);
    while (!text.empty()) {
        const std::size_t good = wellFormedPrefix(text);
        result.append(text.substr(0, good));
        text.remove_prefix(good);
        if (!text.empty()) {
            result.append(kReplacement);
            text.remove_prefix(1);
        }
    }
    return result;
}

} // namespace decodescope::engine
