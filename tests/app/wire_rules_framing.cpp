#include "tests/app/wire_rules.h"

namespace decodescope::test {

std::string dataEvent(const std::string& data) {
    return "data: " + data + "\n\n";
}

std::string doneEvent() {
    return dataEvent("[DONE]");
}

std::string chatEvent(const std::string& delta, const std::string& finish, const std::string& more) {
    return dataEvent(R"({"id":"c","model":"m","choices":[{"index":0,"delta":)" + delta + R"(,"finish_reason":)" +
                     finish + "}]" + (more.empty() ? "" : "," + more) + "}");
}

std::string textEvent(const std::string& text, const std::string& finish) {
    return chatEvent("{\"content\":\"" + text + "\"}", finish);
}

std::string httpAnswer(const std::string& statusLine, const std::string& headers, const std::string& body) {
    return "HTTP/1.1 " + statusLine + "\r\n" + headers + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
           body;
}

namespace {

/// The same bytes with other line ends.
std::string withLineEnds(std::string text, const std::string& end) {
    std::string out;
    for (const char c : text)
        out += c == '\n' ? end : std::string(1, c);
    return out;
}

std::string ordinary() {
    return textEvent("one") + textEvent(" two", "\"stop\"") + doneEvent();
}

} // namespace

std::vector<WireCase> framingRules() {
    const nlohmann::json plain{{"status", "complete"}, {"events", 3},      {"token_events", 2},
                               {"text", "one two"},    {"finish", "stop"}, {"warnings", nlohmann::json::array()}};
    const std::string mixed = "data: {\"choices\":[{\"index\":0,\r\ndata: \"delta\":{\"content\":\"one\"},\r"
                              "data: \"finish_reason\":null}]}\n\r" +
                              textEvent(" two", "\"stop\"") + doneEvent();
    return {
        {"bare CR", "openai-chat", withLineEnds(ordinary(), "\r"), {}, plain},
        {"CRLF", "openai-chat", withLineEnds(ordinary(), "\r\n"), {3, 5}, plain},
        {"mixed line ends and several data lines", "openai-chat", mixed, {}, plain},
        {"byte order mark and CR", "openai-chat", "\xEF\xBB\xBF" + withLineEnds(ordinary(), "\r"), {1, 2}, plain},
        {"blank lines first", "openai-chat", "\n\r\n\r" + ordinary(), {}, plain},
        {"fields that are no messages",
         "openai-chat",
         "retry: 3000\n\nid: 7\n\nevent: ping\n\ndata\n\ndata:\n\n: hello\n\nfoo: bar\nfoo\n\n" + ordinary() +
             "id: 8\n: bye\n\n",
         {},
         plain},
        {"id with every event",
         "openai-chat",
         "id: 1\n" + textEvent("one") + ": still here\n\nid: 2\nevent: message\n" + textEvent(" two", "\"stop\"") +
             "id\n" + doneEvent(),
         {},
         plain},
        {"no space, much space",
         "openai-chat",
         "data:" + textEvent("one").substr(6) + "data:   " + textEvent(" two", "\"stop\"").substr(6) +
             "data:\t [DONE] \t\n\n",
         {},
         plain},
        {"unterminated done",
         "openai-chat",
         textEvent("one") + textEvent(" two", "\"stop\"") + "data: [DONE]",
         {},
         {{"status", "complete"}, {"events", 3}, {"text", "one two"}, {"warnings", {"unterminated_tail"}}}},
        {"one line end at the end",
         "openai-chat",
         textEvent("one") + textEvent(" two", "\"stop\"") + "data: [DONE]\n",
         {},
         {{"status", "complete"}, {"events", 3}, {"warnings", {"unterminated_tail"}}}},
        {"a tail that is cut inside its JSON",
         "openai-chat",
         textEvent("one") + "data: {\"choices\":[{\"ind",
         {},
         {{"status", "incomplete"},
          {"error_kind", "truncated"},
          {"events", 1},
          {"text", "one"},
          {"finish", nullptr},
          {"warnings", {"unterminated_tail"}}}},
        {"clean end without finish",
         "openai-chat",
         textEvent("one") + textEvent(" two"),
         {},
         {{"status", "incomplete"},
          {"error_kind", "truncated"},
          {"events", 2},
          {"text", "one two"},
          {"finish", nullptr}}},
        {"an empty file",
         "openai-chat",
         "",
         {},
         {{"status", "incomplete"}, {"error_kind", "truncated"}, {"events", 0}, {"token_events", 0}, {"reads", 0}}},
        {"done alone proves nothing",
         "openai-chat",
         chatEvent(R"({"role":"assistant","content":""})") + doneEvent(),
         {},
         {{"status", "incomplete"}, {"error_kind", "truncated"}, {"events", 2}, {"token_events", 0}}},
        {"done after text without finish",
         "openai-chat",
         textEvent("one") + doneEvent(),
         {},
         {{"status", "complete"}, {"error_kind", nullptr}, {"events", 2}, {"finish", nullptr}}},
        {"finish and no done",
         "openai-chat",
         textEvent("one") + textEvent(" two", "\"stop\""),
         {},
         {{"status", "complete"}, {"events", 2}, {"warnings", {"no_done"}}}},
        {"events after done",
         "openai-chat",
         ordinary() + textEvent("ghost") + dataEvent(R"({"error":{"message":"late"}})") + doneEvent(),
         {},
         {{"status", "complete"}, {"events", 3}, {"text", "one two"}, {"warnings", {"data_after_done"}}}},
        {"a comment wrapped into data",
         "openai-chat",
         "data: : keepalive\n\ndata::\n\n" + ordinary(),
         {},
         {{"status", "complete"}, {"events", 3}, {"text", "one two"}, {"warnings", {"wrapped_comment"}}}},
        {"no JSON",
         "openai-chat",
         textEvent("one") + "data: oops {\n\n" + textEvent(" two", "\"stop\"") + doneEvent(),
         {},
         {{"status", "complete"}, {"events", 4}, {"token_events", 2}, {"text", "one two"}, {"warnings", {"bad_json"}}}},
        {"too deep",
         "openai-chat",
         textEvent("one") + "data: " + std::string(65, '[') + std::string(65, ']') + "\n\n" +
             textEvent("", "\"stop\"") + doneEvent(),
         {},
         {{"status", "complete"}, {"events", 4}, {"text", "one"}, {"warnings", {"bad_json"}}}},
        {"JSON that is no object",
         "openai-chat",
         dataEvent("5") + dataEvent("[1,2]") + dataEvent("null") + ordinary(),
         {},
         {{"status", "complete"}, {"events", 6}, {"token_events", 2}, {"first_token_event", 3}, {"text", "one two"}}},
        {"separators of other alphabets",
         "openai-chat",
         textEvent("a\xE2\x80\xA8"
                   "b\xC2\x85"
                   "c\xE2\x80\xA9"
                   "d") +
             textEvent("", "\"stop\"") + doneEvent(),
         {},
         {{"status", "complete"}, {"events", 3}, {"text", "a\u2028b\u0085c\u2029d"}}},
        {"replacement characters from the server",
         "openai-chat",
         textEvent("x\xEF\xBF\xBD\xEF\xBF\xBD") + textEvent("\\ufffd", "\"stop\"") + doneEvent(),
         {},
         {{"text", "x\uFFFD\uFFFD\uFFFD"}, {"token_events", 2}, {"warnings", {"replacement_char"}}}},
        {"bytes that are no UTF-8",
         "openai-chat",
         textEvent("a\xC3(b\xE2\x82") + textEvent("\xFF", "\"stop\"") + doneEvent(),
         {},
         {{"text", "a\uFFFD(b\uFFFD\uFFFD"}, {"events", 3}, {"token_events", 2}, {"warnings", {"invalid_utf8"}}}},
        {"halves alone in their deltas",
         "openai-chat",
         textEvent("a") + textEvent("\\uD83D") + textEvent("\\uDE00") + textEvent("b", "\"stop\"") + doneEvent(),
         {},
         {{"text", "a\U0001F600b"}, {"events", 5}, {"warnings", {"lone_surrogate"}}}},
        {"halves across a change of channel",
         "openai-chat",
         chatEvent(R"({"reasoning_content":"r\ud83d"})") + textEvent("t\\ud83d") +
             chatEvent(R"({"reasoning_content":"\ude01"})") + textEvent("\\ude00!", "\"stop\"") + doneEvent(),
         {},
         {{"text", "t\U0001F600!"},
          {"reasoning", "r\U0001F601"},
          {"token_events", 4},
          {"warnings", {"lone_surrogate"}}}},
        {"a half that stays alone on a channel that is over",
         "openai-chat",
         chatEvent(R"({"reasoning_content":"r\ud83d"})") + textEvent("t", "\"stop\"") + doneEvent(),
         {},
         {{"reasoning", "r\uFFFD"}, {"text", "t"}, {"events", 3}, {"token_events", 2}, {"first_answer_event", 1}}},
        {"a half that stays alone",
         "openai-chat",
         textEvent("a\\ud83d") + textEvent("b") + textEvent("\\ude00c\\ud83d", "\"stop\"") + doneEvent(),
         {},
         {{"text", "a\uFFFDb\uFFFDc\uFFFD"}, {"token_events", 3}, {"warnings", {"lone_surrogate"}}}},
        {"a half alone in its delta that stays alone",
         "openai-chat",
         textEvent("a") + textEvent("\\ud83d") + textEvent("b", "\"stop\"") + doneEvent(),
         {},
         {{"text", "a\uFFFDb"}, {"token_events", 3}, {"events", 4}, {"warnings", {"lone_surrogate"}}}},
        {"halves within one delta",
         "openai-chat",
         textEvent("\\ud83d\\ude00 \\ude00\\ud83d", "\"stop\"") + doneEvent(),
         {},
         {{"text", "\U0001F600 \uFFFD\uFFFD"}, {"token_events", 1}, {"warnings", {"lone_surrogate"}}}},
    };
}

} // namespace decodescope::test
