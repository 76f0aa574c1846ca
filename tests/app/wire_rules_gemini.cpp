#include "tests/app/wire_rules.h"

namespace decodescope::test {
namespace {

const std::string kEvents = "content-type: text/event-stream\r\n";
const std::string kJson = "content-type: application/json; charset=UTF-8\r\n";

/// A message with one candidate.
std::string reply(const std::string& parts, const std::string& more = "", const std::string& outside = "") {
    return R"({"candidates":[{"content":{"role":"model","parts":[)" + parts + R"(]},"index":0)" + more + "}]" +
           outside + "}";
}

std::string textReply(const std::string& text, const std::string& more = "", const std::string& outside = "") {
    return reply(R"({"text":")" + text + "\"}", more, outside);
}

const std::string kStop = R"(,"finishReason":"STOP")";
const std::string kOverloaded = R"({"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}})";

std::string usage(const std::string& members) {
    return R"(,"usageMetadata":{)" + members + "}";
}

std::string ordinaryArray() {
    return "[" + textReply("one") + "\r\n,\r\n" +
           textReply(" two", kStop, usage(R"("promptTokenCount":4,"candidatesTokenCount":2)")) + "\r\n]\r\n";
}

std::string ordinaryEvents() {
    return dataEvent(textReply("one")) +
           dataEvent(textReply(" two", kStop, usage(R"("promptTokenCount":4,"candidatesTokenCount":2)")));
}

using nlohmann::json;

const json kPlain{{"status", "complete"}, {"error_kind", nullptr},   {"events", 2},
                  {"token_events", 2},    {"text", "one two"},       {"finish", "STOP"},
                  {"tokens", 2},          {"token_source", "usage"}, {"usage", {{"prompt", 4}, {"completion", 2}}}};

json plainWarning(const char* warning) {
    json out = kPlain;
    out["warnings"] = {warning};
    return out;
}

std::vector<WireCase> geminiMessages() {
    return {
        {"Gemini, thoughts beside the candidates, parts of both kinds in one message",
         "gemini-sse",
         dataEvent(reply(R"({"text":"Hm","thought":true},{"text":"Yes"})")) +
             dataEvent(textReply(".", kStop,
                                 usage(R"("promptTokenCount":9,"cachedContentTokenCount":5,"candidatesTokenCount":2,)"
                                       R"("thoughtsTokenCount":1,"totalTokenCount":12)"))),
         {},
         {{"status", "complete"},
          {"text", "Yes."},
          {"reasoning", "Hm"},
          {"first_token_event", 0},
          {"first_answer_event", 0},
          {"tokens", 3},
          {"usage", {{"prompt", 9}, {"completion", 3}, {"reasoning", 1}, {"cached", 5}}}}},
        {"Gemini, a count that is left out later stays",
         "gemini-sse",
         dataEvent(textReply("a", "", usage(R"("promptTokenCount":7,"thoughtsTokenCount":40)"))) +
             dataEvent(textReply("b", kStop,
                                 usage(R"("promptTokenCount":7,"candidatesTokenCount":2,"thoughtsTokenCount":null)"))),
         {},
         {{"usage", {{"prompt", 7}, {"completion", 42}, {"reasoning", 40}}},
          {"tokens", 42},
          {"warnings", {"hidden_tokens"}}}},
        {"Gemini, thinking took all tokens",
         "gemini-sse",
         dataEvent(
             R"({"candidates":[{"finishReason":"MAX_TOKENS","index":0}],"usageMetadata":{"promptTokenCount":3,"thoughtsTokenCount":64}})"),
         {},
         {{"status", "complete"},
          {"finish", "MAX_TOKENS"},
          {"token_events", 0},
          {"tokens", 64},
          {"usage", {{"completion", 64}, {"reasoning", 64}}},
          {"first_token_event", nullptr}}},
        {"Gemini, calls come whole, two in one message",
         "gemini-sse",
         dataEvent(reply(R"({"functionCall":{"id":"c1","name":"look","args":{"city":"Rome"}},"thoughtSignature":"x"},)"
                         R"({"functionCall":{"name":"wait","args":{}}})")) +
             dataEvent(textReply("", kStop)),
         {},
         {{"status", "complete"},
          {"text", ""},
          {"token_events", 1},
          {"first_token_event", 0},
          {"first_answer_event", 0},
          {"tool_calls",
           {{{"id", "c1"}, {"name", "look"}, {"arguments", R"({"city":"Rome"})"}},
            {{"id", nullptr}, {"name", "wait"}, {"arguments", "{}"}}}}}},
        {"Gemini, the arguments of a call go on in later parts",
         "gemini-sse",
         dataEvent(reply(R"({"functionCall":{"name":"say","willContinue":true}})")) +
             dataEvent(reply(
                 R"({"functionCall":{"partialArgs":[{"jsonPath":"$.t","stringValue":"hi"}],"willContinue":true}})")) +
             dataEvent(reply(R"({"functionCall":{}})", kStop)),
         {},
         {{"token_events", 2},
          {"tool_calls",
           {{{"id", nullptr}, {"name", "say"}, {"arguments", R"({"jsonPath":"$.t","stringValue":"hi"})"}}}}}},
        {"Gemini, several candidates",
         "gemini-sse",
         dataEvent(
             R"({"candidates":[{"content":{"parts":[{"text":"A"}]},"index":0},{"content":{"parts":[{"text":"B"}]},"index":1}]})") +
             dataEvent(
                 R"({"candidates":[{"content":{"parts":[{"text":"b"}]},"index":1,"finishReason":"MAX_TOKENS"}]})") +
             dataEvent(R"({"candidates":[{"content":{"parts":[{"text":"a"}]},"index":0,"finishReason":"STOP"}]})"),
         {},
         {{"status", "complete"},
          {"text", "Aa"},
          {"token_events", 3},
          {"choices",
           {{"0", {{"text", "Aa"}, {"finish", "STOP"}}}, {"1", {{"text", "Bb"}, {"finish", "MAX_TOKENS"}}}}}}},
        {"Gemini, one of two candidates never ends",
         "gemini-sse",
         dataEvent(
             R"({"candidates":[{"content":{"parts":[{"text":"A"}]},"finishReason":"STOP"},{"content":{"parts":[{"text":"B"}]}}]})"),
         {},
         {{"status", "incomplete"}, {"error_kind", "truncated"}}},
        {"Gemini, null wherever it can be",
         "gemini-sse",
         dataEvent(
             R"({"candidates":null,"usageMetadata":null,"promptFeedback":null,"modelVersion":null,"error":null})") +
             dataEvent(R"({"candidates":[{"content":null,"finishReason":null,"index":null}]})") +
             dataEvent(reply(R"(null,{"text":null,"functionCall":null},{"text":"x"})", kStop)),
         {},
         {{"status", "complete"},
          {"events", 3},
          {"token_events", 1},
          {"first_token_event", 2},
          {"text", "x"},
          {"usage", nullptr}}},
        {"Gemini, members of another kind than expected",
         "gemini-sse",
         dataEvent(R"({"candidates":{"content":"x"},"usageMetadata":[1],"promptFeedback":"no"})") +
             dataEvent(
                 R"({"candidates":[{"content":{"parts":{"text":"x"}},"index":-1},{"content":{"parts":[{"text":7}]},"index":99999999}]})") +
             dataEvent(textReply("x", kStop)),
         {},
         {{"status", "complete"}, {"events", 3}, {"text", "x"}}},
        {"Gemini, defaults written out are no reasons",
         "gemini-sse",
         dataEvent(textReply("a", R"(,"finishReason":"FINISH_REASON_UNSPECIFIED")",
                             R"(,"promptFeedback":{"blockReason":"BLOCK_REASON_UNSPECIFIED"})")),
         {},
         {{"status", "incomplete"}, {"error_kind", "truncated"}, {"finish", nullptr}, {"text", "a"}}},
        {"Gemini, safety ratings of the prompt alone are no block",
         "gemini-sse",
         dataEvent(
             textReply("fine", kStop, R"(,"promptFeedback":{"safetyRatings":[{"category":"X","probability":"LOW"}]})")),
         {},
         {{"status", "complete"}, {"error_kind", nullptr}, {"text", "fine"}}},
        {"Gemini, the answer was stopped by a filter",
         "gemini-sse",
         dataEvent(textReply("So")) +
             dataEvent(R"({"candidates":[{"finishReason":"SAFETY","index":0,"safetyRatings":[]}]})"),
         {},
         {{"status", "complete"}, {"finish", "SAFETY"}, {"text", "So"}, {"token_events", 1}}},
        {"Gemini, a prompt refused in words",
         "gemini-sse",
         dataEvent(R"({"promptFeedback":{"blockReason":"SAFETY","blockReasonMessage":"Not that."}})"),
         {},
         {{"status", "error"},
          {"error_kind", "blocked"},
          {"error_message", "Not that."},
          {"error_code", "SAFETY"},
          {"events", 1}}},
        {"Gemini, wrapped by a front end",
         "gemini-sse",
         dataEvent(R"({"response":)" + textReply("in", kStop) + "}"),
         {},
         {{"status", "complete"}, {"text", "in"}}},
        {"Gemini, code to be run is a call",
         "gemini-sse",
         dataEvent(reply(R"({"executableCode":{"language":"PYTHON","code":"1+1"}})")) +
             dataEvent(reply(R"({"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"2"}},{"text":"2"})", kStop)),
         {},
         {{"text", "2"}, {"token_events", 2}, {"tool_calls", {{{"id", nullptr}, {"name", ""}, {"arguments", "1+1"}}}}}},
        {"Gemini, halves of a pair in two messages",
         "gemini-sse",
         dataEvent(textReply("a\\ud83d")) + dataEvent(textReply("\\ude00b", kStop)),
         {},
         {{"text", "a\U0001F600b"}, {"warnings", {"lone_surrogate"}}}},
        {"Gemini, tags of thought in the text",
         "gemini-sse",
         dataEvent(textReply("<thi")) + dataEvent(textReply("nk>why</think>so", kStop)),
         {},
         {{"reasoning", "why"}, {"text", "so"}},
         true},
    };
}

std::vector<WireCase> geminiEnds() {
    return {
        {"Gemini, no finish reason",
         "gemini-sse",
         dataEvent(textReply("cut")),
         {},
         {{"status", "incomplete"}, {"error_kind", "truncated"}, {"text", "cut"}}},
        {"Gemini, an empty answer",
         "gemini-sse",
         httpAnswer("200 OK", kEvents, ""),
         {},
         {{"status", "incomplete"}, {"error_kind", "truncated"}, {"events", 0}}},
        {"Gemini, the [DONE] of a proxy after the finish reason",
         "gemini-sse",
         ordinaryEvents() + doneEvent(),
         {},
         [] {
             json out = kPlain;
             out["events"] = 3;
             return out;
         }()},
        {"Gemini, the [DONE] of a proxy instead of one",
         "gemini-sse",
         dataEvent(textReply("cut")) + doneEvent(),
         {},
         {{"status", "incomplete"}, {"error_kind", "truncated"}, {"events", 2}}},
        {"Gemini, an error in the stream",
         "gemini-sse",
         dataEvent(textReply("par")) + dataEvent(kOverloaded),
         {},
         {{"status", "error"},
          {"error_kind", "in_stream"},
          {"error_message", "The model is overloaded."},
          {"error_code", 503},
          {"text", "par"},
          {"events", 2}}},
        {"Gemini, an error without its field",
         "gemini-sse",
         dataEvent(textReply("par")) + "{\n  \"error\": {\n    \"code\": 500,\n    \"message\": \"Internal.\",\n    "
                                       "\"details\": [\n      {}\n    ]\n  }\n}\n",
         {},
         {{"status", "error"},
          {"error_kind", "in_stream"},
          {"error_message", "Internal."},
          {"error_code", 500},
          {"text", "par"},
          {"events", 1}}},
        {"Gemini, an error after the finish reason",
         "gemini-sse",
         ordinaryEvents() + dataEvent(kOverloaded),
         {},
         {{"status", "error"}, {"error_kind", "in_stream"}, {"finish", "STOP"}}},
        {"Gemini, closed in a chunk",
         "gemini-sse",
         "HTTP/1.1 200 OK\r\n" + kEvents + "transfer-encoding: chunked\r\n\r\n60\r\n" +
             dataEvent(textReply("a")).substr(0, 50),
         {},
         {{"status", "error"}, {"error_kind", "connection_closed"}, {"events", 0}}},
        {"Gemini, too many requests",
         "gemini-sse",
         httpAnswer("429 Too Many Requests", kJson + "retry-after: 3\r\n",
                    R"([{"error":{"code":429,"message":"Slow down.","status":"RESOURCE_EXHAUSTED"}}])"),
         {},
         {{"status", "error"},
          {"error_kind", "rate_limited"},
          {"error_message", "Slow down."},
          {"error_code", 429},
          {"retry_after_ms", 3000},
          {"http_status", 429},
          {"events", 0}}},
        {"Gemini, a key that is none",
         "gemini-array",
         httpAnswer("400 Bad Request", kJson,
                    R"([{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT"}}])"),
         {},
         {{"status", "error"},
          {"error_kind", "http_status"},
          {"error_message", "API key not valid."},
          {"error_code", 400}}},
        {"Gemini, not streamed",
         "gemini-sse",
         httpAnswer("200 OK", kJson,
                    textReply("whole", kStop, usage(R"("promptTokenCount":2,"candidatesTokenCount":1)"))),
         {},
         {{"status", "complete"},
          {"text", "whole"},
          {"events", 1},
          {"token_events", 0},
          {"tokens", 1},
          {"finish", "STOP"},
          {"warnings", {"not_streamed"}}}},
        {"Gemini, not streamed and refused",
         "gemini-array",
         httpAnswer("200 OK", kJson, R"({"promptFeedback":{"blockReason":"OTHER"}})"),
         {},
         {{"status", "error"}, {"error_kind", "blocked"}, {"error_message", "OTHER"}}},
    };
}

std::vector<WireCase> geminiArrays() {
    const std::string printed =
        "[{\n  \"candidates\": [\n    {\n      \"content\": {\n        \"parts\": [\n          {\"text\": "
        "\"a]}\\\"[\"}\n"
        "        ]\n      }\n    }\n  ]\n}\n,\n{\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"{\\\\\"}]},"
        "\n\"finishReason\": \"STOP\"}]}\n]\n";
    return {
        {"an array", "gemini-array", ordinaryArray(), {1, 30}, kPlain},
        {"an array in chunks", "gemini-array", httpAnswer("200 OK", kJson, ordinaryArray()), {}, kPlain},
        {"an array with a byte order mark", "gemini-array", "\xEF\xBB\xBF" + ordinaryArray(), {2}, kPlain},
        {"an array, printed, brackets in strings",
         "gemini-array",
         printed,
         {},
         {{"status", "complete"}, {"events", 2}, {"text", "a]}\"[{\\"}, {"finish", "STOP"}}},
        {"an array sent as events", "gemini-array", httpAnswer("200 OK", kEvents, ordinaryEvents()), {}, kPlain},
        {"events where an array was to come",
         "gemini-array",
         ordinaryEvents(),
         {},
         plainWarning("content_type_mismatch")},
        {"an array where events were to come",
         "gemini-sse",
         ordinaryArray(),
         {},
         plainWarning("content_type_mismatch")},
        {"an array where events were asked for, under its own type",
         "gemini-sse",
         httpAnswer("200 OK", kJson, ordinaryArray()),
         {},
         kPlain},
        {"an array under the type of events",
         "gemini-sse",
         httpAnswer("200 OK", kEvents, ordinaryArray()),
         {},
         plainWarning("content_type_mismatch")},
        {"an array without a comma, and with too many",
         "gemini-array",
         "[," + textReply("one") + textReply(" two", kStop, usage(R"("promptTokenCount":4,"candidatesTokenCount":2)")) +
             ",]",
         {},
         kPlain},
        {"an array with garbage between",
         "gemini-array",
         "[" + textReply("a") + ",oops," + textReply("b", kStop) + "]",
         {},
         {{"status", "complete"}, {"events", 3}, {"token_events", 2}, {"text", "ab"}, {"warnings", {"bad_json"}}}},
        {"an array with a damaged element",
         "gemini-array",
         "[" + textReply("a") + ",{\"x\":}," + textReply("b", kStop) + "]",
         {},
         {{"status", "complete"}, {"events", 3}, {"text", "ab"}, {"warnings", {"bad_json"}}}},
        {"an array that is not finished",
         "gemini-array",
         "[" + textReply("a") + ",\n",
         {},
         {{"status", "incomplete"}, {"error_kind", "truncated"}, {"text", "a"}, {"events", 1}}},
        {"an array cut in an element",
         "gemini-array",
         "[" + textReply("a") + "," + textReply("b").substr(0, 60),
         {},
         {{"status", "incomplete"},
          {"error_kind", "truncated"},
          {"text", "a"},
          {"events", 1},
          {"warnings", {"unterminated_tail"}}}},
        {"an array not closed after its finish reason",
         "gemini-array",
         "[" + textReply("a", kStop),
         {},
         {{"status", "complete"}, {"text", "a"}, {"events", 1}, {"warnings", {"unterminated_tail"}}}},
        {"an array closed without a finish reason",
         "gemini-array",
         "[" + textReply("a") + "]",
         {},
         {{"status", "incomplete"}, {"error_kind", "truncated"}, {"text", "a"}}},
        {"an empty array",
         "gemini-array",
         "[]",
         {},
         {{"status", "incomplete"}, {"error_kind", "truncated"}, {"events", 0}}},
        {"something behind the array",
         "gemini-array",
         "[" + textReply("a", kStop) + "]" + textReply("ghost"),
         {},
         {{"status", "complete"}, {"text", "a"}, {"events", 1}, {"warnings", {"data_after_done"}}}},
        {"an array of one error",
         "gemini-array",
         "[" + kOverloaded + "]",
         {},
         {{"status", "error"}, {"error_kind", "in_stream"}, {"error_code", 503}, {"events", 1}}},
        {"an array with an error at its end",
         "gemini-array",
         "[" + textReply("a") + "\r\n," + kOverloaded + "]",
         {},
         {{"status", "error"}, {"error_kind", "in_stream"}, {"text", "a"}, {"events", 2}}},
        {"an array whose text is no UTF-8",
         "gemini-array",
         "[" + textReply("a\xFFz", kStop) + "]",
         {},
         {{"status", "complete"}, {"text", "a\uFFFDz"}, {"warnings", {"invalid_utf8"}}}},
        {"an array cut by the transport",
         "gemini-array",
         "HTTP/1.1 200 OK\r\n" + kJson + "content-length: 5000\r\n\r\n[" + textReply("a"),
         {},
         {{"status", "error"}, {"error_kind", "connection_closed"}, {"text", "a"}, {"events", 1}}},
        {"an object where an array was to come",
         "gemini-array",
         textReply("a", kStop),
         {},
         {{"status", "complete"}, {"text", "a"}, {"events", 1}, {"token_events", 0}, {"warnings", {"not_streamed"}}}},
        {"a list of one error within the events",
         "gemini-sse",
         dataEvent(R"([{"error":{"code":429,"message":"quota","status":"RESOURCE_EXHAUSTED"}}])"),
         {},
         {{"status", "error"}, {"error_kind", "in_stream"}, {"error_message", "quota"}, {"error_code", 429}}},
    };
}

} // namespace

std::vector<WireCase> geminiRules() {
    std::vector<WireCase> all = geminiMessages();
    for (const auto& group : {geminiEnds(), geminiArrays()})
        all.insert(all.end(), group.begin(), group.end());
    return all;
}

} // namespace decodescope::test
