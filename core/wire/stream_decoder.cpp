#include "core/wire/stream_decoder.h"

#include "core/base/utf8.h"
#include "core/wire/body_choice.h"
#include "core/wire/body_sniffer.h"
#include "core/wire/content_coding.h"
#include "core/wire/dialect.h"
#include "core/wire/http_reader.h"
#include "core/wire/json_cutter.h"
#include "core/wire/message_reader.h"
#include "core/wire/retry_after.h"
#include "core/wire/sse_decoder.h"
#include "core/wire/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace decodescope {
namespace {

std::string inBytes(std::size_t bytes) {
    constexpr std::size_t kMiB = std::size_t{1} << 20;
    return bytes % kMiB == 0 ? fmt::format("{} MiB", bytes / kMiB) : fmt::format("{} bytes", bytes);
}

class Decoder final : public StreamDecoder, private HttpSink, private SseSink, private JsonTextSink {
public:
    Decoder(const DecoderOptions& options, std::unique_ptr<Dialect> dialect);

    void feed(const ByteChunk& chunk, std::vector<StreamEvent>& out) override;
    void finish(const TransportEnd& end, std::vector<StreamEvent>& out) override;
    [[nodiscard]] bool complete() const noexcept override;
    [[nodiscard]] bool onlyTailExpected() const noexcept override;
    [[nodiscard]] bool reusable() const noexcept override { return m_http.reusable(); }
    [[nodiscard]] bool spent() const noexcept override { return m_http.spent(); }
    void drain(std::string_view bytes) override;

private:
    /// What is made of the bytes of the body.
    enum class Body {
        waiting, ///< no head yet
        sniffing,
        events,
        lines,
        array,
        whole, ///< one JSON text
        kept,  ///< an error answer, kept to be shown
        ignored
    };

    void onHttpHead(const ResponseHead& head, std::string_view reason) override;
    void onHttpBody(std::string_view bytes) override;
    void onHttpEnd() override { endBody(EndOfBody::clean); }
    void onSseEvent(std::string_view name, std::string_view data) override;
    void onSseComment(std::string_view text) override;
    void onSseErrorField(std::string_view data) override;
    void onSseBareJson(std::string_view text) override;
    void onJsonText(std::string_view text) override;
    void onArrayEnd() override { m_arrayClosed = true; }

    enum class EndOfBody { clean, cut };
    void takeRead(std::string_view bytes);
    void beginBareBody();
    void tellProvider();
    void chooseCoding();
    void takeBody(std::string_view bytes);
    void sniff(std::string_view bytes);
    void choose(BodyKind kind);
    void endBody(EndOfBody how);
    void endOfMessages();
    void endOfLines();
    void cameWhole();
    [[nodiscard]] std::string_view contentType() const { return headerValue(m_facts.headers, "content-type"); }
    void keep(std::string_view bytes, std::size_t limit);
    void keepWhole(std::string_view bytes);
    void takeMessage(std::string_view name, std::string_view data);
    void eventTooLarge();
    void failAs(ErrorKind kind, std::string message);
    void readHttp(std::string_view bytes);

    DecoderOptions m_options;
    HttpReader m_http;
    SseDecoder m_sse;
    LineCutter m_lines;
    ArrayCutter m_array;
    MessageReader m_reader;
    std::unique_ptr<Inflater> m_inflater;
    Body m_body = Body::waiting;
    std::string m_sniffed;
    std::string m_kept; // the body of an error answer, or of one that came whole
    std::size_t m_bodyBytes = 0;
    bool m_headless = false;
    bool m_linesAreWhole = false; // the lines turned out to be one JSON text, printed over several
    bool m_arrayClosed = false;
    std::uint64_t m_taken = 0; // bytes of all reads
    bool m_inTail = false;
    bool m_keptEnough = false;
    bool m_ended = false;
    Instant m_lastAt{};
    std::uint32_t m_lastRead = 0;
    bool m_anyRead = false;
    ResponseFacts m_facts;
};

Decoder::Decoder(const DecoderOptions& options, std::unique_ptr<Dialect> dialect)
    : m_options(options)
    , m_http(*this, options.limits.headerBytes)
    , m_sse(*this, options.limits.eventBytes)
    , m_lines(*this, options.limits.eventBytes)
    , m_array(*this, options.limits.eventBytes)
    , m_reader(std::move(dialect), {options.thinkTags, options.cumulative, options.limits.jsonDepth}) {
    m_facts.requestUrl = options.requestUrl;
    m_facts.framed = options.framing == Framing::http;
}

void Decoder::feed(const ByteChunk& chunk, std::vector<StreamEvent>& out) {
    if (m_ended)
        return;
    m_lastAt = chunk.at;
    m_lastRead = chunk.read;
    m_anyRead = true;
    m_reader.at(chunk.at, chunk.read, out);
    m_taken += chunk.bytes.size();
    const std::size_t first = out.size();
    takeRead(chunk.bytes);
    for (std::size_t i = first; i < out.size(); ++i)
        out[i].streamEnd = m_taken;
}

void Decoder::takeRead(std::string_view bytes) {
    if (m_facts.failure != ErrorKind::none || bytes.empty())
        return;
    m_facts.anyBytes = true;
    if (m_options.framing == Framing::http) {
        readHttp(bytes);
    } else {
        beginBareBody();
        takeBody(bytes);
    }
}

void Decoder::drain(std::string_view bytes) {
    if (m_ended)
        m_http.feed(bytes);
}

void Decoder::readHttp(std::string_view bytes) {
    switch (m_http.feed(bytes)) {
    case HttpReader::Status::open:
    case HttpReader::Status::done:
        return;
    case HttpReader::Status::tooLarge:
        failAs(ErrorKind::tooLarge,
               fmt::format("The head of the answer is longer than {} KiB.", m_options.limits.headerBytes >> 10));
        return;
    case HttpReader::Status::malformed:
        failAs(ErrorKind::malformed, fmt::format("The answer is not proper HTTP: {}.", m_http.problem()));
        return;
    }
}

void Decoder::finish(const TransportEnd& end, std::vector<StreamEvent>& out) {
    if (m_ended)
        return;
    // What only the end completes had arrived with the last read.
    m_reader.at(m_anyRead ? m_lastAt : end.at, m_lastRead, out);
    const std::size_t first = out.size();
    const bool peerClosed = end.kind == ErrorKind::none;
    bool clean = peerClosed;
    if (m_options.framing == Framing::http)
        clean = peerClosed && m_facts.failure == ErrorKind::none && m_http.finish();
    else
        beginBareBody();
    endBody(clean ? EndOfBody::clean : EndOfBody::cut);
    m_reader.flush();
    m_ended = true;
    for (std::size_t i = first; i < out.size(); ++i)
        out[i].streamEnd = m_taken;

    StreamEnd last = judge(m_facts, end, m_reader, m_kept);
    if (last.verdict == StreamEnd::Verdict::complete && !last.notStreamed && !m_reader.doneSeen()) {
        if (m_reader.dialect().endsWithDone())
            m_reader.warn("no_done");
        else if (!m_reader.dialect().tellsItsEnd())
            m_reader.warn("no_finish_in_protocol");
    }
    m_reader.at(end.at, m_lastRead, out);
    m_reader.emit(std::move(last));
}

bool Decoder::complete() const noexcept {
    return m_ended || m_facts.failure != ErrorKind::none || m_reader.over() || m_facts.bodyEnded || m_keptEnough;
}

bool Decoder::onlyTailExpected() const noexcept {
    return !complete() && (m_reader.finished() || m_reader.error().has_value());
}

void Decoder::failAs(ErrorKind kind, std::string message) {
    m_body = Body::ignored;
    if (m_facts.failure == ErrorKind::none) {
        m_facts.failure = kind;
        m_facts.failureMessage = std::move(message);
    }
}

void Decoder::beginBareBody() {
    if (m_body != Body::waiting)
        return;
    m_body = Body::sniffing;
    m_headless = true;
    m_facts.status = 200;
    m_facts.headDone = true;
    m_reader.emit(ResponseHead{});
}

void Decoder::onHttpHead(const ResponseHead& head, std::string_view reason) {
    if (m_ended)
        return;
    m_facts.status = head.status;
    m_facts.headDone = true;
    m_facts.reason = reason;
    m_facts.headers = head.headers;
    m_reader.emit(head);
    tellProvider();
    m_body = head.status >= 200 && head.status < 300 ? Body::sniffing : Body::kept;
    chooseCoding();
}

/// Who answered behind a router: x-inference-provider and its like. What the body says of it counts for more.
void Decoder::tellProvider() {
    constexpr std::string_view kBegin = "x-";
    constexpr std::string_view kEnd = "-provider";
    for (const auto& [name, value] : m_facts.headers) {
        if (!value.empty() && name.starts_with(kBegin) && name.ends_with(kEnd)) {
            m_reader.emit(ServerIdentity{value, {}, {}});
            return;
        }
    }
}

void Decoder::chooseCoding() {
    BodyCodings codings;
    for (const auto& [name, value] : m_facts.headers)
        codings.take(name, value);
    switch (const ContentCoding coding = codings.coding(); coding) {
    case ContentCoding::identity:
        return;
    case ContentCoding::gzip:
    case ContentCoding::deflate:
        m_inflater = std::make_unique<Inflater>(coding, m_options.limits.bodyBytes);
        return;
    case ContentCoding::unknown:
        break;
    }
    if (m_body == Body::kept)
        m_body = Body::ignored; // the status says enough
    else
        failAs(ErrorKind::badContentType,
               fmt::format(
                   "The server compressed the stream with \"{}\", which Decodescope does not read (it asked for none; "
                   "gzip and deflate would do).",
                   codings.names()));
}

void Decoder::onHttpBody(std::string_view bytes) {
    if (m_ended || m_body == Body::ignored)
        return;
    if (!m_inflater) {
        takeBody(bytes);
        return;
    }
    switch (m_inflater->feed(bytes, [this](std::string_view piece) { takeBody(piece); })) {
    case Inflater::Status::open:
        return;
    case Inflater::Status::tooLarge:
        failAs(ErrorKind::tooLarge, "The compressed answer grows beyond all measure when it is unpacked.");
        return;
    case Inflater::Status::corrupt:
        failAs(ErrorKind::malformed, "The compressed body of the answer is damaged.");
        return;
    }
}

void Decoder::takeBody(std::string_view bytes) {
    const std::size_t allowed = m_options.limits.bodyBytes - m_bodyBytes;
    const bool over = bytes.size() > allowed;
    bytes = bytes.substr(0, allowed);
    m_bodyBytes += bytes.size();
    switch (m_body) {
    case Body::waiting:
    case Body::ignored:
        return;
    case Body::sniffing:
        sniff(bytes);
        if (m_body == Body::kept)
            return;
        break;
    case Body::events:
        if (m_sse.feed(bytes) == SseDecoder::Status::tooLarge)
            eventTooLarge();
        break;
    case Body::lines:
        if (m_lines.feed(bytes) == LineCutter::Status::tooLarge)
            eventTooLarge();
        break;
    case Body::array:
        if (m_array.feed(bytes) == ArrayCutter::Status::tooLarge)
            eventTooLarge();
        break;
    case Body::whole:
        keepWhole(bytes);
        break;
    case Body::kept:
        keep(bytes, m_options.limits.errorBodyBytes);
        return;
    }
    if (over)
        failAs(ErrorKind::tooLarge, fmt::format("The answer is longer than {}.", inBytes(m_options.limits.bodyBytes)));
}

void Decoder::keep(std::string_view bytes, std::size_t limit) {
    const std::size_t room = limit - std::min(limit, m_kept.size());
    m_keptEnough = m_keptEnough || bytes.size() > room;
    m_kept.append(bytes.substr(0, room));
}

void Decoder::keepWhole(std::string_view bytes) {
    keep(bytes, m_options.limits.eventBytes);
    if (m_keptEnough)
        failAs(ErrorKind::tooLarge,
               fmt::format("The answer is longer than {} MiB.", m_options.limits.eventBytes >> 20));
}

void Decoder::eventTooLarge() {
    failAs(ErrorKind::tooLarge,
           fmt::format("One event of the stream is longer than {} MiB.", m_options.limits.eventBytes >> 20));
}

void Decoder::sniff(std::string_view bytes) {
    m_sniffed.append(bytes);
    const BodyKind kind = sniffBody(m_sniffed);
    if (kind != BodyKind::undecided)
        choose(kind);
}

void Decoder::choose(BodyKind kind) {
    const Dialect& dialect = m_reader.dialect();
    const BodyChoice choice = chooseBody(kind, {dialect.framing(), dialect.mayBeArray(), m_headless, contentType()});
    switch (choice.form) {
    case BodyForm::events:
        m_body = Body::events;
        break;
    case BodyForm::lines:
        m_body = Body::lines;
        break;
    case BodyForm::array:
        m_body = Body::array;
        break;
    case BodyForm::whole:
        m_body = Body::whole;
        break;
    case BodyForm::refused:
        m_body = Body::kept;
        m_facts.refused = true;
        break;
    }
    if (choice.mismatch)
        m_reader.warn("content_type_mismatch");
    const std::string first = std::exchange(m_sniffed, {});
    m_bodyBytes -= first.size();
    takeBody(first);
}

void Decoder::takeMessage(std::string_view name, std::string_view data) {
    if (m_facts.failure != ErrorKind::none)
        return;
    if (m_reader.messages() >= m_options.limits.messages) {
        failAs(ErrorKind::tooLarge, fmt::format("The stream has more than {} events.", m_options.limits.messages));
        return;
    }
    m_reader.message(name, data, m_inTail);
}

void Decoder::onSseEvent(std::string_view name, std::string_view data) {
    takeMessage(name, data);
}

void Decoder::onJsonText(std::string_view text) {
    if (m_facts.failure != ErrorKind::none)
        return;
    if (m_arrayClosed) {
        m_reader.warn("data_after_done");
        return;
    }
    // One JSON text printed over several lines is an answer that came whole.
    m_linesAreWhole = m_linesAreWhole || (m_body == Body::lines && m_reader.messages() == 0 && opensBrackets(text));
    if (!m_linesAreWhole) {
        // Lines are sent under the type of one JSON text often enough to be read, and to be named.
        if (m_body == Body::lines && m_reader.messages() == 1 && isMediaType(contentType(), "application/json"))
            m_reader.warn("content_type_mismatch");
        takeMessage({}, text);
        return;
    }
    keepWhole(text);
    keepWhole("\n");
}

void Decoder::onSseComment(std::string_view text) {
    if (m_facts.failure == ErrorKind::none)
        m_reader.comment(text);
}

void Decoder::onSseErrorField(std::string_view data) {
    if (m_facts.failure == ErrorKind::none)
        m_reader.errorField(data);
}

void Decoder::onSseBareJson(std::string_view text) {
    if (m_facts.failure == ErrorKind::none)
        m_reader.bareJson(text);
}

void Decoder::endBody(EndOfBody how) {
    if (m_facts.bodyEnded)
        return;
    m_facts.bodyEnded = true;
    // The compressed stream may be cut although its transfer was not.
    const bool unpacked = !m_inflater || m_inflater->ended() || m_bodyBytes == 0;
    m_facts.cleanEnd = how == EndOfBody::clean && unpacked;
    if (m_body == Body::sniffing)
        choose(BodyKind::undecided);
    if (m_facts.refused)
        m_facts.failureMessage = refusalOf(m_kept, contentType());
    if (m_facts.cleanEnd)
        endOfMessages();
}

/// The body ended cleanly: what only its end completes.
void Decoder::endOfMessages() {
    m_inTail = true;
    if (m_body == Body::events)
        m_sse.finish();
    else if (m_body == Body::lines)
        endOfLines();
    else if (m_body == Body::array && m_array.finish() == ArrayCutter::Tail::unfinished)
        m_reader.warn("unterminated_tail");
    if ((m_body != Body::whole && !m_linesAreWhole) || m_facts.failure != ErrorKind::none)
        return;
    if (m_reader.wholeAnswer(m_kept)) {
        cameWhole();
        return;
    }
    if (m_linesAreWhole && opensBrackets(m_kept))
        return; // one line of a stream that was torn in it
    m_facts.whole = true;
    failAs(ErrorKind::malformed, "The server sent JSON that is no answer of this protocol.");
}

void Decoder::endOfLines() {
    const bool terminated = m_lines.finish() == LineCutter::Tail::nothing;
    // Everything in one line is an answer that came whole, unless it was sent as lines.
    const bool single = m_reader.messages() == 1 && m_reader.doneSeen() && m_reader.anyFragment();
    const bool sentAsLines = m_headless ? terminated : isLinesType(contentType());
    if (single && !sentAsLines)
        cameWhole();
}

void Decoder::cameWhole() {
    m_facts.whole = true;
    if (m_options.streamRequested)
        m_reader.warn("not_streamed");
}

} // namespace

Result<std::unique_ptr<StreamDecoder>> StreamDecoder::create(const DecoderOptions& options) {
    std::unique_ptr<Dialect> dialect = createDialect(options.protocol);
    if (!dialect)
        return fail(ErrorCode::usage, fmt::format("This version does not decode the protocol \"{}\". It knows: {}.",
                                                  options.protocol, fmt::join(knownProtocols(), ", ")));
    return std::make_unique<Decoder>(options, std::move(dialect));
}

} // namespace decodescope
