#include "core/wire/http_reader.h"

#include "core/base/utf8.h"

#include <boost/beast/http/basic_parser.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace decodescope {
namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;
using BeastView = boost::beast::string_view;

std::string_view viewOf(BeastView v) noexcept {
    return {v.data(), v.size()};
}

std::string lowerCase(std::string_view text) {
    std::string out(text);
    for (char& c : out) {
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c + ('a' - 'A'));
    }
    return out;
}

constexpr std::string_view kHeadBeginning = "HTTP/1.";
constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kHeadEnd = "\r\n\r\n";

/// Length of what stands between the data of two chunks, from the line end after the first on; of the last chunk with
/// its trailer. 0 if it is not whole yet.
std::size_t chunkHeadLength(std::string_view rest) noexcept {
    const std::size_t begin = rest.substr(0, kLineEnd.size()) == kLineEnd ? kLineEnd.size() : 0;
    const std::size_t lineEnd = rest.find(kLineEnd, begin);
    if (lineEnd == std::string_view::npos)
        return 0;
    const std::size_t size = rest.find_first_not_of('0', begin);
    const bool last = size > begin && (size == lineEnd || rest[size] == ';' || rest[size] == ' ' || rest[size] == '\t');
    if (!last)
        return lineEnd + kLineEnd.size();
    const std::size_t end = rest.find(kHeadEnd, lineEnd);
    return end == std::string_view::npos ? 0 : end + kHeadEnd.size();
}

/// Where the line that should hold a chunk's size ends with a line feed alone, so that no carriage return is waited
/// for; npos where it does not.
std::size_t bareEnd(std::string_view rest) noexcept {
    const std::size_t begin = rest.substr(0, kLineEnd.size()) == kLineEnd ? kLineEnd.size() : 0;
    const std::size_t feed = rest.find('\n', begin);
    return feed != std::string_view::npos && feed > begin && rest[feed - 1] == '\r' ? std::string_view::npos : feed;
}

/// The head of an answer as the parser takes it: with the space that belongs behind a status without a phrase, and
/// without a length beside chunks, which by RFC 9112 counts for nothing then. Nothing if the head is well as it is.
struct MendedHead {
    std::string text;
    bool hadBothLengths = false;
};
std::optional<MendedHead> mended(std::string_view head) {
    constexpr std::size_t kStatusLine = std::string_view("HTTP/1.1 200").size();
    constexpr std::string_view kChunked = "chunked";
    MendedHead out;
    bool bare = false;
    bool chunked = false;
    bool length = false;
    for (std::size_t begin = 0; begin < head.size();) {
        const std::size_t end = head.find(kLineEnd, begin) + kLineEnd.size();
        const std::string_view line = head.substr(begin, end - begin);
        const std::string name = begin > 0 ? lowerCase(line.substr(0, line.find(':'))) : std::string();
        chunked = chunked || (name == "transfer-encoding" && lowerCase(line).find(kChunked) != std::string::npos);
        length = length || name == "content-length";
        if (begin == 0 && line.size() == kStatusLine + kLineEnd.size()) {
            bare = true;
            out.text.append(line.substr(0, kStatusLine)).append(" \r\n");
        } else if (name != "content-length") {
            out.text.append(line);
        }
        begin = end;
    }
    out.hadBothLengths = chunked && length;
    if (out.hadBothLengths)
        return out;
    if (!bare)
        return std::nullopt;
    out.text = std::string(head.substr(0, kStatusLine)).append(" ").append(head.substr(kStatusLine));
    return out;
}

/// The head of a chunk without the white space that some servers pad its size with and that Beast refuses; nothing if
/// there is none.
std::optional<std::string> withoutPadding(std::string_view chunkHead) {
    const std::size_t begin = chunkHead.substr(0, kLineEnd.size()) == kLineEnd ? kLineEnd.size() : 0;
    const std::size_t lineEnd = chunkHead.find(kLineEnd, begin);
    std::size_t end = lineEnd;
    while (end > begin && (chunkHead[end - 1] == ' ' || chunkHead[end - 1] == '\t'))
        --end;
    if (end == lineEnd)
        return std::nullopt;
    return std::string(chunkHead.substr(0, end)).append(chunkHead.substr(lineEnd));
}

} // namespace

/// Beast's parser, its finds passed on. Beast copies no body this way.
class HttpReader::Parser final : public http::basic_parser<false> {
public:
    explicit Parser(HttpSink& sink, std::size_t maxHeadBytes)
        : m_sink(sink) {
        eager(false); // one thing at a time: wanted() looks between them
        // "None" would refuse every Content-Length: Beast 1.74 compares the length with an empty optional.
        body_limit(std::numeric_limits<std::uint64_t>::max());
        // The limit is ours, in wanted(); Beast only counts what it has not consumed yet.
        header_limit(static_cast<std::uint32_t>(std::min<std::size_t>(2 * maxHeadBytes + 64, 1U << 30)));
    }

    [[nodiscard]] bool interim() const { return head.status / 100 == 1; }
    /// Whether the next bytes are the head of a chunk (or the trailer), which Beast wants in one piece.
    [[nodiscard]] bool atChunkHead() const { return is_header_done() && chunked() && m_chunkLeft == 0; }

    ResponseHead head;
    std::string reason;

private:
    void on_request_impl(http::verb, BeastView, BeastView, int, error_code&) override {}
    void on_response_impl(int status, BeastView phrase, int version, error_code&) override {
        head.status = status;
        head.httpVersion = version == 10 ? "1.0" : "1.1";
        reason = repairUtf8(viewOf(phrase)).text;
    }
    void on_field_impl(http::field, BeastView name, BeastView value, error_code&) override {
        if (!is_header_done()) // trailers change nothing that was measured
            head.headers.emplace_back(lowerCase(viewOf(name)), repairUtf8(viewOf(value)).text);
    }
    void on_header_impl(error_code&) override {
        if (!interim())
            m_sink.onHttpHead(head, reason);
    }
    void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
    std::size_t on_body_impl(BeastView body, error_code&) override {
        m_sink.onHttpBody(viewOf(body));
        return body.size();
    }
    void on_chunk_header_impl(std::uint64_t size, BeastView, error_code&) override { m_chunkLeft = size; }
    std::size_t on_chunk_body_impl(std::uint64_t, BeastView body, error_code&) override {
        m_chunkLeft -= body.size();
        m_sink.onHttpBody(viewOf(body));
        return body.size();
    }
    void on_finish_impl(error_code&) override {
        if (!interim())
            m_sink.onHttpEnd();
    }

    HttpSink& m_sink;
    std::uint64_t m_chunkLeft = 0;
};

struct HttpReader::State {
    State(HttpSink& target, std::size_t maxHead)
        : sink(target)
        , maxHeadBytes(maxHead)
        , parser(std::make_unique<Parser>(target, maxHead)) {}

    Status wanted(std::string_view rest, std::size_t& length);
    Status parseSome(std::string_view bytes, std::size_t& used);

    HttpSink& sink;
    std::size_t maxHeadBytes;
    std::unique_ptr<Parser> parser;
    std::string pending;      // not consumed yet: part of a head, or of a chunk's head
    std::size_t searched = 0; // of a head that is not whole: no end begins before that
    bool leftOver = false;
    bool bothLengths = false; // where the next answer begins is not for sure
    Status status = Status::open;
    std::string problem;
};

HttpReader::HttpReader(HttpSink& sink, std::size_t maxHeadBytes)
    : m_state(std::make_unique<State>(sink, maxHeadBytes)) {}

HttpReader::~HttpReader() = default;

HttpReader::Status HttpReader::feed(std::string_view bytes) {
    State& s = *m_state;
    if (s.status == Status::done)
        s.leftOver |= !bytes.empty();
    if (s.status != Status::open || bytes.empty())
        return s.status;
    std::size_t used = 0;
    if (s.pending.empty()) {
        s.status = s.parseSome(bytes, used);
        s.pending.assign(bytes.substr(used));
    } else {
        s.pending.append(bytes);
        s.status = s.parseSome(s.pending, used);
        s.pending.erase(0, used);
    }
    if (s.status == Status::done) {
        s.leftOver = !s.pending.empty();
        s.pending.clear();
    }
    return s.status;
}

/// How much of `rest` Beast is given next: nothing as long as a head is not whole. Beast would look at half a head too,
/// but what it makes of a bad one depends on where it was cut.
HttpReader::Status HttpReader::State::wanted(std::string_view rest, std::size_t& length) {
    length = 0;
    if (parser->atChunkHead()) {
        if (const std::size_t end = bareEnd(rest); end != std::string_view::npos) {
            if (end > maxHeadBytes)
                return Status::tooLarge;
            problem = "a line that holds the length of a chunk ends with a line feed alone";
            return Status::malformed;
        }
        length = chunkHeadLength(rest);
        const std::size_t known = length > 0 ? length : rest.size();
        return known > maxHeadBytes ? Status::tooLarge : Status::open;
    }
    if (parser->is_header_done()) {
        length = rest.size();
        return Status::open;
    }
    const std::size_t common = std::min(rest.size(), kHeadBeginning.size());
    if (rest.substr(0, common) != kHeadBeginning.substr(0, common)) {
        problem = "it does not begin with HTTP/1";
        return Status::malformed;
    }
    const std::size_t end = rest.find(kHeadEnd, std::min(searched, rest.size()));
    searched = rest.size() < kHeadEnd.size() ? 0 : rest.size() - kHeadEnd.size() + 1;
    const std::size_t headLength = end == std::string_view::npos ? rest.size() : end + kHeadEnd.size();
    if (headLength > maxHeadBytes)
        return Status::tooLarge;
    if (end != std::string_view::npos) {
        length = headLength;
        searched = 0;
    }
    return Status::open;
}

HttpReader::Status HttpReader::State::parseSome(std::string_view bytes, std::size_t& used) {
    while (used < bytes.size()) {
        const std::string_view rest = bytes.substr(used);
        std::size_t length = 0;
        const Status good = wanted(rest, length);
        if (good != Status::open || length == 0)
            return good;
        error_code error;
        std::size_t n = 0;
        const bool chunkHead = parser->atChunkHead();
        std::optional<std::string> clean;
        if (chunkHead) {
            clean = withoutPadding(rest.substr(0, length));
        } else if (!parser->is_header_done()) {
            if (auto head = mended(rest.substr(0, length))) {
                bothLengths = bothLengths || head->hadBothLengths;
                clean = std::move(head->text);
            }
        }
        if (clean) {
            // Wholly taken or not at all: it is one thing to Beast.
            n = parser->put({clean->data(), clean->size()}, error) == clean->size() ? length : 0;
        } else {
            n = parser->put({rest.data(), length}, error);
        }
        used += n;
        if (error && (error != http::error::need_more || n == 0)) {
            problem = chunkHead ? "a chunk does not begin with a line that holds its length in hexadecimal digits"
                                : error.message();
            return Status::malformed;
        }
        if (!parser->is_done())
            continue;
        if (!parser->interim())
            return Status::done;
        parser = std::make_unique<Parser>(sink, maxHeadBytes);
    }
    return Status::open;
}

bool HttpReader::finish() {
    State& s = *m_state;
    if (s.status != Status::open)
        return s.status == Status::done;
    if (!s.parser->is_header_done() || s.parser->interim())
        return false;
    if (!s.parser->need_eof())
        return false; // a length or a last chunk is missing, and may still come where only we were done
    error_code error;
    s.parser->put_eof(error);
    s.status = error ? Status::malformed : Status::done;
    return !error;
}

bool HttpReader::reusable() const noexcept {
    return m_state->status == Status::done && m_state->parser->keep_alive() && !m_state->leftOver &&
           !m_state->bothLengths;
}

bool HttpReader::spent() const noexcept {
    if (m_state->status == Status::open)
        return m_state->parser->is_header_done() && !m_state->parser->keep_alive();
    return !reusable();
}

const std::string& HttpReader::problem() const noexcept {
    return m_state->problem;
}

} // namespace decodescope
