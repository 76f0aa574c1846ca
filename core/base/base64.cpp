#include "core/base/base64.h"

#include <array>
#include <cstdint>

namespace decodescope {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint32_t kBad = 1U << 31;

/// kDecode[i][c]: the bits that character c adds to a group of 24 when it stands at place i. Opening a long
/// recording is mostly this table, so it costs no shift and one check per group.
using DecodeTable = std::array<std::array<std::uint32_t, 256>, 4>;

constexpr DecodeTable makeDecodeTable() {
    DecodeTable table{};
    for (auto& place : table)
        place.fill(kBad);
    for (std::uint32_t value = 0; value < 64; ++value) {
        const auto c = static_cast<unsigned char>(kAlphabet[value]);
        for (std::uint32_t place = 0; place < 4; ++place)
            table[place][c] = value << (18 - 6 * place);
    }
    return table;
}

constexpr DecodeTable kDecode = makeDecodeTable();

std::uint32_t group(const char* s, std::size_t places) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < places; ++i)
        bits |= kDecode[i][static_cast<unsigned char>(s[i])];
    return bits;
}

} // namespace

void appendBase64(std::string& out, std::string_view bytes) {
    const std::size_t begin = out.size();
    out.resize(begin + (bytes.size() + 2) / 3 * 4);
    char* to = out.data() + begin;
    const auto byte = [&](std::size_t i) { return std::uint32_t{static_cast<unsigned char>(bytes[i])}; };
    std::size_t i = 0;
    for (; i + 3 <= bytes.size(); i += 3) {
        const std::uint32_t bits = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
        to[0] = kAlphabet[bits >> 18];
        to[1] = kAlphabet[bits >> 12 & 63];
        to[2] = kAlphabet[bits >> 6 & 63];
        to[3] = kAlphabet[bits & 63];
        to += 4;
    }
    const std::size_t rest = bytes.size() - i;
    if (rest == 0)
        return;
    const std::uint32_t bits = byte(i) << 16 | (rest == 2 ? byte(i + 1) << 8 : 0);
    to[0] = kAlphabet[bits >> 18];
    to[1] = kAlphabet[bits >> 12 & 63];
    to[2] = rest == 2 ? kAlphabet[bits >> 6 & 63] : '=';
    to[3] = '=';
}

bool decodeBase64(std::string_view text, std::string& out) {
    out.clear();
    if (text.size() % 4 != 0)
        return false;
    if (text.empty())
        return true;
    const std::size_t padding = text.back() != '=' ? 0 : text[text.size() - 2] != '=' ? 1 : 2;
    const std::size_t wholeGroups = text.size() / 4 - (padding == 0 ? 0 : 1);
    out.resize(text.size() / 4 * 3 - padding);
    char* to = out.data();
    const char* from = text.data();
    std::uint32_t seen = 0;
    for (std::size_t i = 0; i < wholeGroups; ++i, from += 4, to += 3) {
        const std::uint32_t bits = group(from, 4);
        seen |= bits;
        to[0] = static_cast<char>(bits >> 16);
        to[1] = static_cast<char>(bits >> 8);
        to[2] = static_cast<char>(bits);
    }
    if (padding > 0) {
        const std::uint32_t bits = group(from, 4 - padding);
        seen |= bits;
        to[0] = static_cast<char>(bits >> 16);
        if (padding == 1)
            to[1] = static_cast<char>(bits >> 8);
        // Bits that no byte takes must be zero: two spellings of the same bytes would both pass the hash.
        if ((bits & (padding == 1 ? 0xFFU : 0xFFFFU)) != 0)
            seen |= kBad;
    }
    if (seen & kBad) {
        out.clear();
        return false;
    }
    return true;
}

} // namespace decodescope
