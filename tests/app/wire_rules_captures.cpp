#include "tests/app/wire_rules.h"

namespace decodescope::test {
namespace {

const std::string kEvents = "content-type: text/event-stream\r\n";

std::string ordinary() {
    return textEvent("one") + textEvent(" two", "\"stop\"") + doneEvent();
}

} // namespace

std::vector<WireCase> captureRules() {
    using nlohmann::json;
    const json plain{{"status", "complete"}, {"error_kind", nullptr}, {"events", 3},
                     {"token_events", 2},    {"text", "one two"},     {"http_status", 200}};
    const std::string chunked = "transfer-encoding: chunked\r\n";
    return {
        {"HTTP/2 without a reason", "openai-chat", "HTTP/2 200\r\n" + kEvents + "\r\n" + ordinary(), {4, 13}, plain},
        {"HTTP/2 with a space for the reason",
         "openai-chat",
         "HTTP/2 200 \r\n" + kEvents + "\r\n" + ordinary(),
         {},
         plain},
        {"HTTP/3, a head with chunked that means nothing there",
         "openai-chat",
         "HTTP/3 200\r\n" + kEvents + chunked + "\r\n" + ordinary(),
         {},
         plain},
        {"HTTP/2, early hints first",
         "openai-chat",
         "HTTP/2 103\r\nlink: </x>\r\n\r\nHTTP/2 200\r\n" + kEvents + "\r\n" + ordinary(),
         {},
         plain},
        {"HTTP/2, refused for a while",
         "openai-chat",
         "HTTP/2 429\r\ncontent-type: application/json\r\nretry-after: 2\r\n\r\n{\"error\":{\"message\":\"slow\"}}",
         {},
         {{"status", "error"},
          {"error_kind", "rate_limited"},
          {"error_message", "slow"},
          {"retry_after_ms", 2000},
          {"http_status", 429}}},
        {"HTTP/2, shorter than told",
         "openai-chat",
         "HTTP/2 200\r\n" + kEvents + "content-length: 9999\r\n\r\n" + textEvent("one"),
         {},
         {{"status", "error"}, {"error_kind", "connection_closed"}, {"text", "one"}, {"events", 1}}},
        {"a proxy's consent first",
         "openai-chat",
         "HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 200 OK\r\n" + kEvents + "\r\n" + ordinary(),
         {},
         plain},
        {"a redirect that was followed",
         "openai-chat",
         "HTTP/1.1 308 Permanent Redirect\r\nLocation: /v1/\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\n" + kEvents +
             "\r\n" + ordinary(),
         {},
         plain},
        {"chunks removed, their header kept",
         "openai-chat",
         "HTTP/1.1 200 OK\r\n" + kEvents + chunked + "\r\n" + ordinary(),
         {},
         plain},
        {"lines of a head ended by LF alone",
         "openai-chat",
         "HTTP/1.1 200 OK\nContent-Type: text/event-stream\n\n" + ordinary(),
         {},
         plain},
        {"a web page of which the chunks were removed",
         "openai-chat",
         "HTTP/1.1 502 Bad Gateway\r\n" + chunked + "\r\n<html><title>D&eacute;sol&eacute; &hellip;</title></html>",
         {},
         {{"status", "error"},
          {"error_kind", "http_status"},
          {"error_message", "D\u00E9sol\u00E9 \u2026"},
          {"http_status", 502}}},
        {"a whole head and no chunk of the body",
         "openai-chat",
         "HTTP/1.1 200 OK\r\n" + kEvents + chunked + "\r\n",
         {},
         {{"status", "error"}, {"error_kind", "connection_closed"}, {"events", 0}}},
        {"a version that nobody speaks",
         "openai-chat",
         "HTTP/9.9 200 OK\r\n\r\n" + ordinary(),
         {},
         {{"status", "error"}, {"error_kind", "malformed"}}},
    };
}

} // namespace decodescope::test
