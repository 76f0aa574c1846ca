#include "tests/app/wire_rules.h"

#include <array>
#include <zlib.h>

namespace decodescope::test {
namespace {

const std::string kEvents = "Content-Type: text/event-stream\r\n";
const std::string kJson = "Content-Type: application/json\r\n";

std::string ordinary() {
    return textEvent("one") + textEvent(" two", "\"stop\"") + doneEvent();
}

/// A chunk with a size line of the caller's spelling.
std::string chunk(const std::string& sizeLine, const std::string& data) {
    return sizeLine + "\r\n" + data + "\r\n";
}

std::string hex(std::size_t n, bool upper) {
    std::array<char, 20> text{};
    (void)std::snprintf(text.data(), text.size(), upper ? "%zX" : "%zx", n);
    return text.data();
}

/// Chunks of seven bytes, so that no boundary is an event's.
std::string chunked(const std::string& body, const std::string& extension, const std::string& trailer) {
    std::string out;
    for (std::size_t at = 0; at < body.size(); at += 11) {
        const std::string piece = body.substr(at, 11);
        out += chunk((at % 2 ? "00" : "") + hex(piece.size(), at % 3 == 0) + extension, piece);
    }
    return out + "0" + extension + "\r\n" + trailer + "\r\n";
}

std::string compressed(const std::string& text, int windowBits) {
    z_stream stream{};
    if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return {};
    std::string out(text.size() + 256, '\0');
    std::string in = text;
    stream.next_in = reinterpret_cast<Bytef*>(in.data());
    stream.avail_in = static_cast<uInt>(in.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(out.size() - stream.avail_out);
    deflateEnd(&stream);
    return out;
}

} // namespace

std::vector<WireCase> httpRules() {
    using nlohmann::json;
    const json plain{{"status", "complete"}, {"error_kind", nullptr}, {"events", 3},
                     {"token_events", 2},    {"text", "one two"},     {"http_status", 200}};
    json mismatch = plain;
    mismatch["warnings"] = {"content_type_mismatch"};
    const std::string gzip = compressed(ordinary(), 15 + 16);
    const std::string zlib = compressed(ordinary(), 15);
    const std::string bare = compressed(ordinary(), -15);
    const std::string chunkedHead = "HTTP/1.1 200 OK\r\n" + kEvents + "Transfer-Encoding: chunked\r\n\r\n";
    return {
        {"content length", "openai-chat", httpAnswer("200 OK", kEvents, ordinary()), {}, plain},
        {"until the connection closes",
         "openai-chat",
         "HTTP/1.0 200 OK\r\n" + kEvents + "\r\n" + ordinary(),
         {},
         plain},
        {"chunk extensions, trailers, sizes in all spellings",
         "openai-chat",
         chunkedHead + chunked(ordinary(), ";a=b;q=\"x;y\"", "X-Sum: 1\r\nServer-Timing: x\r\n"),
         {40, 90, 91, 92},
         plain},
        {"chunk sizes padded with white space",
         "openai-chat",
         chunkedHead + chunked(ordinary(), " \t", "X-Sum: 1\r\n"),
         {},
         plain},
        {"interim answers first",
         "openai-chat",
         "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" +
             httpAnswer("200 OK", kEvents, ordinary()),
         {},
         plain},
        {"no reason phrase, header names in any case",
         "openai-chat",
         httpAnswer("200 ", "CONTENT-TYPE: Text/Event-Stream;charset=UTF-8\r\n", ordinary()),
         {},
         plain},
        {"gzip", "openai-chat", httpAnswer("200 OK", kEvents + "Content-Encoding: gzip\r\n", gzip), {}, plain},
        {"deflate as the standard means it",
         "openai-chat",
         httpAnswer("200 OK", kEvents + "Content-Encoding: deflate\r\n", zlib),
         {},
         plain},
        {"deflate as many send it",
         "openai-chat",
         httpAnswer("200 OK", kEvents + "Content-Encoding: DEFLATE\r\n", bare),
         {},
         plain},
        {"gzip in chunks",
         "openai-chat",
         "HTTP/1.1 200 OK\r\n" + kEvents + "Content-Encoding: x-gzip\r\nTransfer-Encoding: chunked\r\n\r\n" +
             chunked(gzip, "", ""),
         {},
         plain},
        {"damaged gzip",
         "openai-chat",
         httpAnswer("200 OK", kEvents + "Content-Encoding: gzip\r\n", gzip.substr(0, 20) + std::string(40, '\xFF')),
         {},
         {{"status", "error"}, {"error_kind", "malformed"}}},
        {"brotli is refused by name",
         "openai-chat",
         httpAnswer("200 OK", kEvents + "Content-Encoding: br\r\n", "\x0b\x02\x80"),
         {},
         {{"status", "error"}, {"error_kind", "bad_content_type"}, {"events", 0}}},
        {"SSE called plain text",
         "openai-chat",
         httpAnswer("200 OK", "Content-Type: text/plain\r\n", ordinary()),
         {},
         mismatch},
        {"SSE called JSON", "openai-chat", httpAnswer("200 OK", kJson, ": hi\n\n" + ordinary()), {}, mismatch},
        {"SSE called nothing", "openai-chat", httpAnswer("200 OK", "", "event: message\n" + ordinary()), {}, mismatch},
        {"a login page",
         "openai-chat",
         httpAnswer("200 OK", "Content-Type: text/html\r\n",
                    "<!doctype html><html><head><TITLE lang=en>\n Sign in &amp; go &#8211; on </TITLE></head></html>"),
         {},
         {{"status", "error"},
          {"error_kind", "bad_content_type"},
          {"error_message", "Sign in & go \u2013 on"},
          {"events", 0},
          {"http_status", 200}}},
        {"a page that calls itself a stream",
         "openai-chat",
         httpAnswer("200 OK", kEvents, "<html><title>Portal</title></html>"),
         {},
         {{"status", "error"}, {"error_kind", "bad_content_type"}, {"error_message", "Portal"}}},
        {"plain words under 200",
         "openai-chat",
         httpAnswer("200 OK", "Content-Type: text/plain\r\n", "Hello there"),
         {},
         {{"status", "error"}, {"error_kind", "bad_content_type"}, {"events", 0}}},
        {"a whole answer with everything",
         "openai-chat",
         httpAnswer(
             "200 OK", kJson,
             R"({"choices":[{"index":0,"message":{"role":"assistant","content":null,"reasoning_content":"hm","refusal":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","function":{"name":"g","arguments":"[]"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":5,"completion_tokens":30,"completion_tokens_details":{"reasoning_tokens":1}}})"),
         {},
         {{"status", "complete"},
          {"events", 1},
          {"token_events", 0},
          {"first_token_event", nullptr},
          {"first_answer_event", nullptr},
          {"reasoning", "hm"},
          {"finish", "tool_calls"},
          {"warnings", {"not_streamed"}},
          {"tool_calls",
           {{{"id", "a"}, {"name", "f"}, {"arguments", "{}"}}, {{"id", "b"}, {"name", "g"}, {"arguments", "[]"}}}}}},
        {"a whole completions answer",
         "openai-completions",
         httpAnswer(
             "200 OK", kJson,
             "\r\n" +
                 std::string(
                     R"({"choices":[{"index":0,"text":"Hi.","finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2}})")),
         {},
         {{"status", "complete"},
          {"text", "Hi."},
          {"tokens", 2},
          {"token_source", "usage"},
          {"warnings", {"not_streamed"}}}},
        {"a whole answer that is cut",
         "openai-chat",
         "HTTP/1.1 200 OK\r\n" + kJson + "Content-Length: 500\r\n\r\n{\"choices\":[{\"mess",
         {},
         {{"status", "error"}, {"error_kind", "connection_closed"}, {"events", 0}}},
        {"an error body under 200",
         "openai-chat",
         httpAnswer("200 OK", kJson,
                    R"({"object":"error","message":"The input is too long.","type":"BadRequestError","code":400})"),
         {},
         {{"status", "error"},
          {"error_kind", "in_stream"},
          {"error_message", "The input is too long."},
          {"error_code", 400},
          {"http_status", 200}}},
        {"JSON that means nothing",
         "openai-chat",
         httpAnswer("200 OK", kJson, R"({"ok":true})"),
         {},
         {{"status", "error"}, {"events", 0}}},
        {"401",
         "openai-chat",
         httpAnswer("401 Unauthorized", kJson,
                    R"({"error":{"message":"Bad key","type":"invalid_request_error","code":"invalid_api_key"}})"),
         {},
         {{"status", "error"},
          {"error_kind", "auth"},
          {"error_message", "Bad key"},
          {"error_code", "invalid_api_key"},
          {"http_status", 401},
          {"events", 0}}},
        {"403 with a detail",
         "openai-chat",
         httpAnswer("403 Forbidden", kJson, R"({"detail":"No entry"})"),
         {},
         {{"error_kind", "auth"}, {"error_message", "No entry"}}},
        {"422 with a list of details",
         "openai-chat",
         httpAnswer("422 Unprocessable Entity", kJson, R"({"detail":[{"loc":["body"],"msg":"field required"}]})"),
         {},
         {{"error_kind", "http_status"}, {"error_message", "field required"}, {"http_status", 422}}},
        {"400 with a code and no type",
         "openai-chat",
         httpAnswer("400 Bad Request", kJson,
                    R"({"error":{"code":400,"message":"too long","type":"exceed_context_size_error"}})"),
         {},
         {{"error_kind", "http_status"}, {"error_message", "too long"}, {"error_code", 400}}},
        {"500 without a word",
         "openai-chat",
         httpAnswer("500 Internal Server Error", "", ""),
         {},
         {{"status", "error"}, {"error_kind", "http_status"}, {"http_status", 500}, {"events", 0}}},
        {"503 that is not loading",
         "openai-chat",
         httpAnswer("503 Service Unavailable", "Retry-After: 2.5\r\n", "upstream connect error"),
         {},
         {{"error_kind", "http_status"}, {"error_message", "upstream connect error"}, {"retry_after_ms", 2500}}},
        {"an error answer that looks like a stream",
         "openai-chat",
         httpAnswer("429 Too Many Requests",
                    kEvents + "Retry-After: Sun, 06 Nov 1994 08:50:07 GMT\r\nDate: Sunday, 06-Nov-94 08:49:37 GMT\r\n",
                    dataEvent(R"({"error":{"message":"slow"}})")),
         {},
         {{"error_kind", "rate_limited"}, {"retry_after_ms", 30000}, {"events", 0}}},
        {"a retry date in the past",
         "openai-chat",
         httpAnswer("429 Too Many Requests",
                    "Retry-After: Sun Nov  6 08:49:30 1994\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n", ""),
         {},
         {{"error_kind", "rate_limited"}, {"retry_after_ms", 0}}},
        {"nonsense as retry",
         "openai-chat",
         httpAnswer("429 Too Many Requests", "retry-after-ms: soon\r\nRetry-After: later\r\n", ""),
         {},
         {{"error_kind", "rate_limited"}, {"retry_after_ms", nullptr}}},
        {"milliseconds as nonsense, seconds good",
         "openai-chat",
         httpAnswer("429 Too Many Requests", "retry-after-ms: -5\r\nRetry-After: 7\r\n", ""),
         {},
         {{"retry_after_ms", 7000}}},
        {"gzipped error page",
         "openai-chat",
         httpAnswer("502 Bad Gateway", "Content-Type: text/html\r\nContent-Encoding: gzip\r\n",
                    compressed("<html><title>Bad day</title></html>", 15 + 16)),
         {},
         {{"error_kind", "http_status"}, {"error_message", "Bad day"}}},
        {"302 without a place",
         "openai-chat",
         httpAnswer("302 Found", "", ""),
         {},
         {{"error_kind", "redirect"}, {"redirect_to", nullptr}, {"http_status", 302}}},
        {"cut inside the head",
         "openai-chat",
         "HTTP/1.1 200 OK\r\nContent-Ty",
         {},
         {{"status", "error"}, {"error_kind", "connection_closed"}, {"http_status", nullptr}}},
        {"cut before the last chunk",
         "openai-chat",
         chunkedHead + chunk(hex(textEvent("one").size(), false), textEvent("one")),
         {},
         {{"status", "error"}, {"error_kind", "connection_closed"}, {"text", "one"}, {"events", 1}}},
        {"cut after done", "openai-chat", chunkedHead + chunk(hex(ordinary().size(), false), ordinary()), {}, plain},
        {"cut below the content length",
         "openai-chat",
         "HTTP/1.1 200 OK\r\n" + kEvents + "Content-Length: 9999\r\n\r\n" + textEvent("one") + "data: {\"choices\":[]}",
         {},
         {{"status", "error"}, {"error_kind", "connection_closed"}, {"events", 1}, {"text", "one"}}},
        {"a chunk size that is none",
         "openai-chat",
         chunkedHead + "zz\r\nxx",
         {},
         {{"status", "error"}, {"error_kind", "malformed"}, {"http_status", 200}}},
        {"an error told as a stream",
         "openai-chat",
         httpAnswer("429 Too Many Requests", kEvents,
                    ": ping\n\ndata: {\"error\":{\"message\":\"slow\",\"code\":429}}\n\n"),
         {},
         {{"error_kind", "rate_limited"}, {"error_message", "slow"}, {"error_code", 429}, {"events", 0}}},
        {"a list of errors",
         "openai-chat",
         httpAnswer("400 Bad Request", kJson, R"({"success":false,"errors":[{"code":7003,"message":"No route"}]})"),
         {},
         {{"error_kind", "http_status"}, {"error_message", "No route"}, {"error_code", 7003}}},
        {"an error inside detail",
         "openai-chat",
         httpAnswer("500 Internal Server Error", kJson, R"({"detail":{"error":{"message":"no worker"}}})"),
         {},
         {{"error_kind", "http_status"}, {"error_message", "no worker"}}},
        {"an error as msg",
         "openai-chat",
         httpAnswer("500 Internal Server Error", kJson, R"({"msg":"no worker"})"),
         {},
         {{"error_kind", "http_status"}, {"error_message", "no worker"}}},
        {"no HTTP", "openai-chat", "HTTP/9.9 200 OK\r\n\r\n", {}, {{"status", "error"}, {"error_kind", "malformed"}}},
        {"a tail in a whole body",
         "openai-chat",
         httpAnswer("200 OK", kEvents,
                    textEvent("one") + "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}"),
         {},
         {{"status", "complete"}, {"events", 2}, {"finish", "stop"}, {"warnings", {"unterminated_tail", "no_done"}}}},
        {"204",
         "openai-chat",
         "HTTP/1.1 204 No Content\r\n\r\n",
         {},
         {{"status", "incomplete"}, {"error_kind", "truncated"}, {"events", 0}, {"http_status", 204}}},
        {"a length beside chunks counts for nothing",
         "openai-chat",
         "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nContent-Length: 5\r\nTransfer-Encoding: "
         "chunked\r\n\r\n" +
             chunked(ordinary(), "", ""),
         {},
         {{"status", "complete"}, {"text", "one two"}, {"http_status", 200}}},
        {"a status without a phrase, nor the space before it",
         "openai-chat",
         "HTTP/1.1 200\r\ncontent-type: text/event-stream\r\n\r\n" + textEvent("one", "\"stop\"") + doneEvent(),
         {},
         {{"status", "complete"}, {"text", "one"}, {"http_status", 200}}},
        {"an error's status without a phrase",
         "openai-chat",
         "HTTP/1.1 524\r\ncontent-type: text/html\r\n\r\n<title>A timeout occurred</title>",
         {},
         {{"status", "error"},
          {"error_kind", "http_status"},
          {"error_message", "A timeout occurred"},
          {"http_status", 524}}},
        {"a byte order mark before a whole answer",
         "openai-chat",
         httpAnswer("200 OK", "content-type: application/json\r\n",
                    "\xEF\xBB\xBF"
                    R"({"choices":[{"index":0,"message":{"content":"W"},"finish_reason":"stop"}]})"),
         {},
         {{"status", "complete"}, {"text", "W"}, {"warnings", {"not_streamed"}}}},
        {"a byte order mark before an error",
         "openai-chat",
         httpAnswer("500 X", "content-type: application/json\r\n",
                    "\xEF\xBB\xBF"
                    R"({"error":{"message":"boom","code":3}})"),
         {},
         {{"status", "error"}, {"error_message", "boom"}, {"error_code", 3}}},
        {"the provider, told in the head",
         "openai-chat",
         "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nx-inference-provider: Elm\r\n\r\n" +
             textEvent("one", "\"stop\"") + doneEvent(),
         {},
         {{"provider", "Elm"}}},
    };
}

} // namespace decodescope::test
