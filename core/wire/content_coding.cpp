#include "core/wire/content_coding.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <zlib.h>

namespace decodescope {
namespace {

constexpr std::size_t kOutputPiece = 16U << 10;
/// A text stream of JSON events shrinks by 20 to 60; from here on it is a bomb.
constexpr std::uint64_t kMaxRatio = 400;
constexpr std::uint64_t kRatioFreeBytes = 4U << 20;

bool sameWord(std::string_view a, std::string_view lower) noexcept {
    return std::equal(a.begin(), a.end(), lower.begin(), lower.end(), [](char x, char y) {
        return (x >= 'A' && x <= 'Z' ? static_cast<char>(x + ('a' - 'A')) : x) == y;
    });
}

std::string_view trimmed(std::string_view s) noexcept {
    const std::size_t first = s.find_first_not_of(" \t,");
    if (first == std::string_view::npos)
        return {};
    return s.substr(first, s.find_last_not_of(" \t,") - first + 1);
}

} // namespace

ContentCoding contentCodingFromHeader(std::string_view value) {
    value = trimmed(value);
    if (value.empty() || sameWord(value, "identity"))
        return ContentCoding::identity;
    if (sameWord(value, "gzip") || sameWord(value, "x-gzip"))
        return ContentCoding::gzip;
    if (sameWord(value, "deflate"))
        return ContentCoding::deflate;
    return ContentCoding::unknown;
}

void BodyCodings::take(std::string_view name, std::string_view value) {
    if (!sameWord(name, "content-encoding") && !sameWord(name, "transfer-encoding"))
        return;
    while (!value.empty()) {
        const std::string_view word = trimmed(value.substr(0, value.find(',')));
        value.remove_prefix(std::min(value.find(','), value.size() - 1) + 1);
        if (word.empty() || sameWord(word, "identity") || sameWord(word, "chunked"))
            continue;
        m_names.append(m_names.empty() ? "" : ", ").append(word);
    }
}

struct Inflater::State {
    z_stream stream{};
    ContentCoding coding = ContentCoding::gzip;
    std::size_t maxBytes = 0;
    std::uint64_t in = 0;
    std::uint64_t out = 0;
    Status status = Status::open;
    bool begun = false; // inflateInit2 was called
    bool ended = false;
    std::array<char, kOutputPiece> piece{};

    /// "deflate" means zlib by the standard and bare deflate by habit: the first byte tells (a zlib head's low half is
    /// 8, a bare block that begins so would be a stored or fixed one with odd padding, which nobody sends).
    bool begin(unsigned char firstByte) {
        constexpr int kGzip = 15 + 16;
        constexpr int kZlib = 15;
        constexpr int kBare = -15;
        const int window = coding == ContentCoding::gzip ? kGzip : (firstByte & 0x0F) == 8 ? kZlib : kBare;
        begun = inflateInit2(&stream, window) == Z_OK;
        return begun;
    }
};

Inflater::Inflater(ContentCoding coding, std::size_t maxBytes)
    : m_state(std::make_unique<State>()) {
    m_state->coding = coding;
    m_state->maxBytes = maxBytes;
}

Inflater::~Inflater() {
    if (m_state->begun)
        inflateEnd(&m_state->stream);
}

bool Inflater::ended() const noexcept {
    return m_state->ended;
}

Inflater::Status Inflater::feed(std::string_view bytes, const Take& take) {
    State& s = *m_state;
    if (s.status != Status::open || bytes.empty())
        return s.status;
    if (!s.begun && !s.begin(static_cast<unsigned char>(bytes.front())))
        return s.status = Status::corrupt;
    // zlib reads through a pointer to non-const and does not write.
    s.stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    s.stream.avail_in = static_cast<uInt>(bytes.size());
    s.in += bytes.size();
    while (true) {
        if (s.ended) {
            // gzip members may follow one another; anything else after the end is padding.
            if (s.coding != ContentCoding::gzip || s.stream.avail_in == 0 || *s.stream.next_in != 0x1F)
                return s.status;
            inflateReset(&s.stream);
            s.ended = false;
        }
        s.stream.next_out = reinterpret_cast<Bytef*>(s.piece.data());
        s.stream.avail_out = kOutputPiece;
        const int code = inflate(&s.stream, Z_SYNC_FLUSH);
        const std::size_t got = kOutputPiece - s.stream.avail_out;
        const std::size_t allowed = static_cast<std::size_t>(std::min<std::uint64_t>(got, s.maxBytes - s.out));
        s.out += allowed;
        if (allowed > 0)
            take({s.piece.data(), allowed});
        if (allowed < got || (s.out > kRatioFreeBytes && s.out / kMaxRatio > s.in))
            return s.status = Status::tooLarge;
        if (code == Z_STREAM_END) {
            s.ended = true;
            continue;
        }
        if (code != Z_OK && code != Z_BUF_ERROR)
            return s.status = Status::corrupt;
        if (s.stream.avail_in == 0 && s.stream.avail_out > 0)
            return s.status;
        if (code == Z_BUF_ERROR)
            return s.status;
    }
}

} // namespace decodescope
