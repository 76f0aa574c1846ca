#include "core/wire/http_reader.h"

#include "core/base/utf8.h"

#include <boost/beast/http/basic_parser.hpp>

#include <algorithm>
#include <limits>
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

/// "0 CRLF CRLF": the fewest bytes that stand between a chunk's data and the end of the response.
constexpr std::size_t kShortestChunkHead = 5;

} // namespace

/// Beast's parser, its finds passed on. Beast copies no body this way.
class HttpReader::Parser final : public http::basic_parser<false> {
public:
    explicit Parser(HttpSink& sink, std::size_t maxHeadBytes)
        : m_sink(sink) {
        eager(false); // so that the length of the head is known where it ends
        // "None" would refuse every Content-Length: Beast 1.74 compares the length with an empty optional.
        body_limit(std::numeric_limits<std::uint64_t>::max());
        // Our own count is the limit; Beast's counts what it has not consumed yet.
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

    Status consume();
    Status parseSome(std::string_view bytes, std::size_t& used);

    HttpSink& sink;
    std::size_t maxHeadBytes;
    std::unique_ptr<Parser> parser;
    std::string pending;       // not consumed yet: part of a head, or of a chunk's head
    std::size_t headBytes = 0; // of the head that is being read
    bool leftOver = false;
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

HttpReader::Status HttpReader::State::parseSome(std::string_view bytes, std::size_t& used) {
    while (used < bytes.size()) {
        const std::string_view rest = bytes.substr(used);
        if (parser->atChunkHead()) {
            // Beast asserts on a last chunk that comes in pieces shorter than this.
            if (rest.size() < kShortestChunkHead)
                return Status::open;
        }
        const bool inHead = !parser->is_header_done();
        error_code error;
        const std::size_t n = parser->put({rest.data(), rest.size()}, error);
        used += n;
        if (inHead) {
            headBytes += n;
            const std::size_t waiting = parser->is_header_done() ? 0 : rest.size() - n;
            if (headBytes + waiting > maxHeadBytes)
                return Status::tooLarge;
        }
        if (error == http::error::need_more) {
            if (parser->atChunkHead() && rest.size() - n > maxHeadBytes)
                return Status::tooLarge;
            if (n == 0)
                return Status::open;
            continue;
        }
        if (error == http::error::header_limit)
            return Status::tooLarge;
        if (error) {
            problem = error.message();
            return Status::malformed;
        }
        if (!parser->is_done())
            continue;
        if (!parser->interim())
            return Status::done;
        parser = std::make_unique<Parser>(sink, maxHeadBytes);
        headBytes = 0;
    }
    return Status::open;
}

bool HttpReader::finish() {
    State& s = *m_state;
    if (s.status != Status::open)
        return s.status == Status::done;
    if (!s.parser->got_some())
        return false;
    error_code error;
    s.parser->put_eof(error);
    s.status = error ? Status::malformed : Status::done;
    return !error;
}

bool HttpReader::reusable() const noexcept {
    return m_state->status == Status::done && m_state->parser->keep_alive() && !m_state->leftOver;
}

const std::string& HttpReader::problem() const noexcept {
    return m_state->problem;
}

} // namespace decodescope
