#include "tests/app/wire_rules.h"

namespace decodescope::test {
namespace {

using nlohmann::json;

const std::string kLines = "content-type: application/x-ndjson\r\n";
const std::string kJson = "content-type: application/json; charset=utf-8\r\n";

std::string said(const std::string& text) {
    return R"({"model":"m","message":{"role":"assistant","content":")" + text + R"("},"done":false})";
}

std::string chatEnd(const std::string& more = R"(,"done_reason":"stop","prompt_eval_count":5,"eval_count":3)",
                    const std::string& text = "") {
    return R"({"model":"m","message":{"role":"assistant","content":")" + text + R"("},"done":true)" + more + "}";
}

std::string generated(const std::string& text) {
    return R"({"model":"m","response":")" + text + R"(","done":false})";
}

std::string ordinary(const std::string& lineEnd = "\n") {
    return said("one") + lineEnd + said(" two") + lineEnd + chatEnd() + lineEnd;
}

const json kPlain{{"status", "complete"},
                  {"error_kind", nullptr},
                  {"events", 3},
                  {"token_events", 2},
                  {"text", "one two"},
                  {"finish", "stop"},
                  {"tokens", 3},
                  {"token_source", "eval_count"},
                  {"usage", {{"prompt", 5}, {"completion", 3}}}};

json plainWarning(const char* warning) {
    json out = kPlain;
    out["warnings"] = {warning};
    return out;
}

std::vector<WireCase> lineRules() {
    return {
        {"lines by CRLF", "ollama-chat", ordinary("\r\n"), {50}, kPlain},
        {"blank lines between", "ollama-chat", "\n" + ordinary("\n\r\n \n"), {}, kPlain},
        {"lines with a byte order mark", "ollama-chat", "\xEF\xBB\xBF" + ordinary(), {1, 2}, kPlain},
        {"lines under their own type", "ollama-chat", httpAnswer("200 OK", kLines, ordinary()), {}, kPlain},
        {"lines under the type of JSON",
         "ollama-chat",
         httpAnswer("200 OK", kJson, ordinary()),
         {},
         plainWarning("content_type_mismatch")},
        {"lines without a type",
         "ollama-chat",
         httpAnswer("200 OK", "", ordinary()),
         {},
         plainWarning("content_type_mismatch")},
        {"events where lines were to come",
         "ollama-chat",
         httpAnswer("200 OK", "content-type: text/event-stream\r\n",
                    dataEvent(said("one")) + dataEvent(said(" two")) + dataEvent(chatEnd())),
         {},
         kPlain},
        {"bare events where lines were to come",
         "ollama-chat",
         dataEvent(said("one")) + dataEvent(said(" two")) + dataEvent(chatEnd()),
         {},
         plainWarning("content_type_mismatch")},
        {"the last line without its end",
         "ollama-chat",
         said("one") + "\n" + said(" two") + "\n" + chatEnd(),
         {},
         plainWarning("unterminated_tail")},
        {"the last line cut in its middle",
         "ollama-chat",
         said("one") + "\n" + said(" two").substr(0, 40),
         {},
         {{"status", "incomplete"},
          {"error_kind", "truncated"},
          {"text", "one"},
          {"events", 1},
          {"warnings", {"unterminated_tail"}}}},
        {"cut between the bytes of a character",
         "ollama-chat",
         said("a\u00E4\U0001F600") + "\n" + chatEnd() + "\n",
         {58, 60, 61},
         {{"text", "a\u00E4\U0001F600"}, {"events", 2}}},
        {"a separator of lines inside a string",
         "ollama-chat",
         said("a\u2028b\u0085c") + "\n" + chatEnd() + "\n",
         {},
         {{"text", "a\u2028b\u0085c"}, {"events", 2}}},
        {"a line that is no JSON",
         "ollama-chat",
         said("a") + "\noops\n" + said("b") + "\n" + chatEnd() + "\n",
         {},
         {{"status", "complete"}, {"text", "ab"}, {"events", 4}, {"warnings", {"bad_json"}}}},
        {"a first line that is no JSON",
         "ollama-chat",
         "oops\n" + ordinary(),
         {},
         [] {
             json out = plainWarning("bad_json");
             out["events"] = 4;
             return out;
         }()},
        {"a line that is no UTF-8",
         "ollama-generate",
         generated("a\xC3") + "\n" + generated("b") + "\n" + R"({"response":"","done":true})" + "\n",
         {},
         {{"text", "a\uFFFDb"}, {"warnings", {"invalid_utf8"}}}},
        {"lines after the last", "ollama-chat", ordinary() + said("ghost") + "\n", {}, plainWarning("data_after_done")},
        {"lines cut by the transport",
         "ollama-chat",
         "HTTP/1.1 200 OK\r\n" + kLines + "content-length: 999\r\n\r\n" + said("a") + "\n",
         {},
         {{"status", "error"}, {"error_kind", "connection_closed"}, {"text", "a"}, {"events", 1}}},
        {"lines cut by the transport after the last",
         "ollama-chat",
         "HTTP/1.1 200 OK\r\n" + kLines + "transfer-encoding: chunked\r\n\r\n400\r\n" + ordinary(),
         {},
         kPlain},
        {"a web page where lines were to come",
         "ollama-chat",
         httpAnswer("200 OK", "content-type: text/html\r\n", "<html><title>Sign in</title></html>"),
         {},
         {{"status", "error"}, {"error_kind", "bad_content_type"}, {"error_message", "Sign in"}}},
        {"no lines at all",
         "ollama-chat",
         httpAnswer("200 OK", kLines, ""),
         {},
         {{"status", "incomplete"}, {"error_kind", "truncated"}, {"events", 0}}},
    };
}

std::vector<WireCase> ollamaMessages() {
    const std::string durations =
        R"(,"total_duration":900000000,"load_duration":500500000,"prompt_eval_duration":100000000,"eval_duration":250000000)";
    return {
        {"Ollama, calls come whole",
         "ollama-chat",
         R"({"message":{"role":"assistant","content":"","tool_calls":[{"id":"c1","function":{"index":0,"name":"look","arguments":{"city":"Rome","n":2}}},)"
         R"({"function":{"index":1,"name":"wait","arguments":{}}}]},"done":false})"
         "\n" +
             chatEnd() + "\n",
         {},
         {{"status", "complete"},
          {"token_events", 1},
          {"first_token_event", 0},
          {"text", ""},
          {"tool_calls",
           {{{"id", "c1"}, {"name", "look"}, {"arguments", R"({"city":"Rome","n":2})"}},
            {{"id", nullptr}, {"name", "wait"}, {"arguments", "{}"}}}}}},
        {"Ollama, calls in two messages",
         "ollama-chat",
         R"({"message":{"tool_calls":[{"function":{"name":"a","arguments":{"x":1}}}]},"done":false})"
         "\n"
         R"({"message":{"tool_calls":[{"function":{"name":"a","arguments":{"x":2}}}]},"done":false})"
         "\n" +
             chatEnd() + "\n",
         {},
         {{"token_events", 2},
          {"tool_calls",
           {{{"id", nullptr}, {"name", "a"}, {"arguments", R"({"x":1})"}},
            {{"id", nullptr}, {"name", "a"}, {"arguments", R"({"x":2})"}}}}}},
        {"Ollama, thinking in both APIs",
         "ollama-generate",
         R"({"response":"","thinking":"Hm","done":false})"
         "\n" +
             generated("Yes") + "\n" +
             R"({"response":"","done":true,"done_reason":"length","eval_count":2,"prompt_eval_count":8,"prompt_eval_cached_count":6})"
             "\n",
         {},
         {{"reasoning", "Hm"},
          {"text", "Yes"},
          {"first_token_event", 0},
          {"first_answer_event", 1},
          {"finish", "length"},
          {"tokens", 2},
          {"token_source", "eval_count"},
          {"usage", {{"prompt", 8}, {"completion", 2}, {"cached", 6}, {"reasoning", nullptr}}}}},
        {"Ollama, thinking in tags",
         "ollama-generate",
         generated("<think>a") + "\n" + generated("b</th") + "\n" + generated("ink>c") + "\n" +
             R"({"response":"","done":true})"
             "\n",
         {},
         {{"reasoning", "ab"}, {"text", "c"}, {"first_answer_event", 2}},
         true},
        {"Ollama, what was held back for a tag belongs to the line that brought it",
         "ollama-generate",
         generated("a<") + "\n" + R"({"respon)",
         {},
         {{"status", "incomplete"}, {"text", "a<"}, {"events", 1}, {"token_events", 1}},
         true},
        {"Ollama, durations",
         "ollama-chat",
         said("a") + "\n" + chatEnd(durations + R"(,"prompt_eval_count":26,"eval_count":2,"done_reason":"stop")") +
             "\n",
         {},
         {{"timings", {{"load_ms", 500.5}, {"prompt_ms", 100}, {"decode_ms", 250}}}, {"tokens", 2}}},
        {"Ollama, counts of a cached prompt are left out",
         "ollama-generate",
         generated("a") + "\n" + generated("b") + "\n" +
             R"({"response":"","done":true,"done_reason":"stop","total_duration":7,"eval_count":3})"
             "\n",
         {},
         {{"status", "complete"},
          {"usage", {{"prompt", nullptr}, {"completion", 3}, {"cached", nullptr}}},
          {"tokens", 3},
          {"timings", {{"prompt_ms", nullptr}, {"decode_ms", nullptr}}}}},
        {"Ollama, nothing is counted",
         "ollama-generate",
         generated("a") + "\n" +
             R"({"response":"","done":true})"
             "\n",
         {},
         {{"status", "complete"},
          {"usage", nullptr},
          {"timings", nullptr},
          {"tokens", nullptr},
          {"token_source", "none"},
          {"finish", nullptr}}},
        {"Ollama, null wherever it can be",
         "ollama-chat",
         R"({"model":null,"message":null,"done":null,"error":null})"
         "\n"
         R"({"message":{"content":null,"thinking":null,"tool_calls":null},"done":false})"
         "\n" +
             said("x") + "\n" +
             R"({"message":{"content":""},"done":true,"done_reason":null,"eval_count":null,"eval_duration":null})"
             "\n",
         {},
         {{"status", "complete"},
          {"events", 4},
          {"text", "x"},
          {"first_token_event", 2},
          {"usage", nullptr},
          {"timings", nullptr}}},
        {"Ollama, members of another kind than expected",
         "ollama-chat",
         R"({"message":"hi","done":"","eval_count":"3"})"
         "\n"
         R"({"message":{"content":5,"tool_calls":{"a":1}},"done":0})"
         "\n"
         R"([1,2])"
         "\n"
         "7\n" +
             ordinary(),
         {},
         {{"status", "complete"}, {"text", "one two"}, {"events", 7}}},
        {"Ollama, log probabilities",
         "ollama-chat",
         R"({"message":{"content":"ab"},"done":false,"logprobs":[{"token":"a","logprob":-1},{"token":"b","logprob":-1}]})"
         "\n"
         R"({"message":{"content":"c"},"done":false,"logprobs":[{"token":"c","logprob":-1}]})"
         "\n" +
             chatEnd() + "\n",
         {},
         {{"tokens", 3}, {"tokens_per_event", {2, 1}}, {"token_source", "eval_count"}}},
        {"Ollama, halves of a pair in two lines",
         "ollama-generate",
         generated("\\ud83d") + "\n" + generated("\\ude00!") + "\n" +
             R"({"response":"","done":true})"
             "\n",
         {},
         {{"text", "\U0001F600!"}, {"warnings", {"lone_surrogate"}}}},
        {"Ollama, a half that stays alone",
         "ollama-generate",
         generated("a\\ud83d") + "\n" +
             R"({"response":"","done":true})"
             "\n",
         {},
         {{"text", "a\uFFFD"}, {"token_events", 1}, {"warnings", {"lone_surrogate"}}}},
        {"Ollama, the last line has text",
         "ollama-generate",
         generated("a") + "\n" +
             R"({"response":"b","done":true,"done_reason":"stop","eval_count":2})"
             "\n",
         {},
         {{"text", "ab"}, {"token_events", 2}, {"finish", "stop"}, {"status", "complete"}}},
    };
}

std::vector<WireCase> ollamaEnds() {
    const std::string whole =
        R"({"model":"m","message":{"role":"assistant","content":"All at once"},"done":true,"done_reason":"stop","prompt_eval_count":5,"eval_count":4,"eval_duration":2000000})";
    const json notStreamed{{"status", "complete"}, {"events", 1},
                           {"token_events", 0},    {"text", "All at once"},
                           {"tokens", 4},          {"token_source", "eval_count"},
                           {"finish", "stop"},     {"warnings", {"not_streamed"}}};
    return {
        {"Ollama, not streamed", "ollama-chat", httpAnswer("200 OK", kJson, whole), {}, notStreamed},
        {"Ollama, not streamed, a line end", "ollama-chat", httpAnswer("200 OK", kJson, whole + "\n"), {}, notStreamed},
        {"Ollama, not streamed, without a head", "ollama-chat", whole, {}, notStreamed},
        {"Ollama, not streamed, printed",
         "ollama-chat",
         "{\n  \"message\": {\n    \"content\": \"All at once\"\n  },\n  \"done\": true,\n  \"done_reason\": "
         "\"stop\",\n\n  \"eval_count\": 4\n}\n",
         {},
         notStreamed},
        {"Ollama, all in one line of a stream",
         "ollama-chat",
         httpAnswer("200 OK", kLines, whole + "\n"),
         {},
         {{"status", "complete"}, {"events", 1}, {"token_events", 1}, {"text", "All at once"}}},
        {"Ollama, a printed text cut off",
         "ollama-chat",
         "{\n  \"message\": {\n",
         {},
         {{"status", "incomplete"}, {"error_kind", "truncated"}}},
        {"Ollama, an error in a line",
         "ollama-chat",
         said("a") + "\n" +
             R"({"error":"out of memory"})"
             "\n",
         {},
         {{"status", "error"},
          {"error_kind", "in_stream"},
          {"error_message", "out of memory"},
          {"text", "a"},
          {"events", 2}}},
        {"Ollama, an error and nothing else",
         "ollama-chat",
         httpAnswer("200 OK", kJson, R"({"error":"no such model"})"),
         {},
         {{"status", "error"}, {"error_kind", "in_stream"}, {"error_message", "no such model"}, {"events", 1}}},
        {"Ollama, an error, then the last line",
         "ollama-chat",
         R"({"error":"x"})"
         "\n" +
             ordinary(),
         {},
         {{"status", "error"}, {"error_kind", "in_stream"}, {"error_message", "x"}}},
        {"Ollama, an unknown model",
         "ollama-chat",
         httpAnswer("404 Not Found", kJson, R"({"error":"model 'x' not found"})"),
         {},
         {{"status", "error"},
          {"error_kind", "http_status"},
          {"http_status", 404},
          {"error_message", "model 'x' not found"},
          {"events", 0}}},
        {"Ollama, loading",
         "ollama-generate",
         httpAnswer("503 Service Unavailable", kJson, R"({"error":"model is loading"})"),
         {},
         {{"status", "error"}, {"error_kind", "loading"}}},
        {"Ollama, no last line",
         "ollama-generate",
         generated("cut") + "\n",
         {},
         {{"status", "incomplete"}, {"error_kind", "truncated"}, {"text", "cut"}, {"events", 1}}},
        {"Ollama, a model was loaded and nothing asked",
         "ollama-generate",
         R"({"model":"m","response":"","done":true,"done_reason":"load"})"
         "\n",
         {},
         {{"status", "complete"}, {"finish", "load"}, {"token_events", 0}, {"events", 1}}},
        {"Ollama, done with nothing",
         "ollama-generate",
         R"({"response":"","done":true})"
         "\n",
         {},
         {{"status", "incomplete"}, {"error_kind", "truncated"}}},
    };
}

std::string bedrock() {
    return std::string("\0\0\0\x76\0\0\0\x52\x96\xD5\xFA\xDE\x0B:event-type\x07\0\x0CmessageStart", 39) +
           std::string(79, '\0');
}

std::vector<WireCase> refusedRules() {
    const json refused{{"status", "error"}, {"error_kind", "bad_content_type"}, {"events", 0}, {"token_events", 0}};
    json named = refused;
    named["error_message"] =
        "The server sent a binary Bedrock event stream, which Decodescope does not read: ask through a proxy "
        "that speaks the OpenAI API.";
    json other = refused;
    other["error_message"] = "The server sent binary data as application/grpc, which Decodescope does not read.";
    return {
        {"Bedrock by its name",
         "anthropic",
         httpAnswer("200 OK", "content-type: application/vnd.amazon.eventstream\r\n", bedrock()),
         {},
         named},
        {"Bedrock as events",
         "anthropic",
         httpAnswer("200 OK", "content-type: text/event-stream\r\n", bedrock()),
         {3},
         named},
        {"Bedrock as lines", "ollama-chat", httpAnswer("200 OK", kLines, bedrock()), {}, named},
        {"Bedrock as JSON", "gemini-array", httpAnswer("200 OK", kJson, bedrock()), {}, named},
        {"Bedrock without a head", "openai-chat", bedrock(), {}, named},
        {"frames of gRPC",
         "openai-chat",
         httpAnswer("200 OK", "content-type: application/grpc\r\n", std::string("\0\0\0\0\5hello", 10)),
         {},
         other},
        {"events under Bedrock's name",
         "openai-chat",
         httpAnswer("200 OK", "content-type: application/vnd.amazon.eventstream\r\n",
                    textEvent("a", "\"stop\"") + doneEvent()),
         {},
         {{"status", "complete"}, {"text", "a"}, {"warnings", {"content_type_mismatch"}}}},
        {"the only line torn at a word is a stream cut off",
         "ollama-chat",
         R"({"message":{"role":"assistant","content":"Hi"},"done":fal)",
         {},
         {{"status", "incomplete"}, {"error_kind", "truncated"}}},
        {"the only line torn after its first bracket",
         "ollama-generate",
         "{",
         {},
         {{"status", "incomplete"}, {"error_kind", "truncated"}}},
    };
}

} // namespace

std::vector<WireCase> ollamaRules() {
    std::vector<WireCase> all = lineRules();
    for (const auto& group : {ollamaMessages(), ollamaEnds(), refusedRules()})
        all.insert(all.end(), group.begin(), group.end());
    return all;
}

} // namespace decodescope::test
