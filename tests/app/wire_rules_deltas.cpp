#include "tests/app/wire_rules.h"

namespace decodescope::test {
namespace {

std::string stop() {
    return chatEvent("{}", "\"stop\"") + doneEvent();
}

WireCase withThinkTags(WireCase c) {
    c.thinkTags = true;
    return c;
}

WireCase withCumulative(WireCase c) {
    c.cumulative = true;
    return c;
}

} // namespace

std::vector<WireCase> deltaRules() {
    using nlohmann::json;
    return {
        {"nulls everywhere",
         "openai-chat",
         dataEvent(R"({"choices":null,"usage":null,"error":null,"provider":null})") +
             dataEvent(R"({"choices":[null,{"index":null,"delta":null,"finish_reason":null,"logprobs":null}]})") +
             chatEvent(R"({"role":null,"content":null,"tool_calls":null,"reasoning":null,"refusal":null})") +
             textEvent("hi", "\"stop\"") + doneEvent(),
         {},
         {{"status", "complete"}, {"events", 5}, {"token_events", 1}, {"first_token_event", 3}, {"text", "hi"}}},
        {"wrong types everywhere",
         "openai-chat",
         dataEvent(R"({"choices":{"a":1},"usage":[],"timings":"x","model":5})") +
             dataEvent(
                 R"({"choices":[5,"x",[],{"index":"0","delta":"d","finish_reason":7}],"usage":{"completion_tokens":"9"}})") +
             chatEvent(R"({"content":5,"tool_calls":{"index":0},"reasoning":true})", "[]") +
             textEvent("hi", "\"stop\"") + doneEvent(),
         {},
         {{"status", "complete"}, {"events", 5}, {"token_events", 1}, {"text", "hi"}, {"usage", nullptr}}},
        {"finish is not undone by null or empty",
         "openai-chat",
         textEvent("x") + textEvent("", "\"stop\"") + textEvent("", "null") + textEvent("", "\"\"") +
             chatEvent("{}", "null", R"("usage":{"prompt_tokens":3,"completion_tokens":2})") + doneEvent(),
         {},
         {{"finish", "stop"}, {"tokens", 2}, {"status", "complete"}, {"events", 6}}},
        {"a later finish wins",
         "openai-chat",
         textEvent("x", "\"stop\"") + chatEvent("{}", "\"tool_calls\"") + doneEvent(),
         {},
         {{"finish", "tool_calls"}, {"status", "complete"}}},
        {"Azure: filter results, annotations without delta",
         "openai-chat",
         dataEvent(R"({"id":"","model":"","choices":[],"prompt_filter_results":[{"prompt_index":0}]})") +
             chatEvent(R"({"role":"assistant","content":""})") + textEvent("Sea") +
             dataEvent(
                 R"({"id":"","choices":[{"index":0,"finish_reason":null,"content_filter_results":{},"content_filter_offsets":{}}]})") +
             textEvent("gull") + stop(),
         {},
         {{"status", "complete"}, {"events", 7}, {"token_events", 2}, {"first_token_event", 2}, {"text", "Seagull"}}},
        {"two choices in one event",
         "openai-chat",
         dataEvent(R"({"choices":[{"index":0,"delta":{"content":"A"}},{"index":1,"delta":{"content":"B"}}]})") +
             dataEvent(
                 R"({"choices":[{"index":1,"delta":{},"finish_reason":"length"},{"index":0,"delta":{},"finish_reason":"stop"}]})") +
             doneEvent(),
         {},
         {{"text", "A"},
          {"token_events", 1},
          {"events", 3},
          {"finish", "stop"},
          {"choices", {{"0", {{"text", "A"}, {"finish", "stop"}}}, {"1", {{"text", "B"}, {"finish", "length"}}}}}}},
        {"the other choice speaks first",
         "openai-chat",
         dataEvent(R"({"choices":[{"index":1,"delta":{"content":"B"}}]})") + textEvent("A") +
             dataEvent(R"({"choices":[{"index":1,"delta":{},"finish_reason":"stop"}]})") + stop(),
         {},
         {{"text", "A"}, {"first_token_event", 0}, {"token_events", 2}}},
        {"reasoning under each name",
         "openai-chat",
         chatEvent(R"({"reasoning_content":"a"})") + chatEvent(R"({"reasoning":"b"})") +
             chatEvent(
                 R"({"reasoning_details":[{"type":"reasoning.text","text":"c"},{"type":"reasoning.summary","summary":"d"},{"type":"reasoning.encrypted","data":"zzz"}]})") +
             chatEvent(R"({"thinking":"e"})") + textEvent("done") + stop(),
         {},
         {{"reasoning", "abcde"},
          {"text", "done"},
          {"first_token_event", 0},
          {"first_answer_event", 4},
          {"token_events", 5}}},
        {"the same thought thrice",
         "openai-chat",
         chatEvent(
             R"({"reasoning_content":"So it","reasoning":"So it","reasoning_details":[{"text":"So"},{"text":" it"}],"content":[{"type":"thinking","thinking":"So it"},{"type":"text","text":"Yes"}]})") +
             stop(),
         {},
         {{"reasoning", "So it"}, {"text", "Yes"}, {"token_events", 1}, {"first_answer_event", 0}}},
        {"empty reasoning beside text",
         "openai-chat",
         chatEvent(R"({"reasoning_content":"","content":""})") + chatEvent(R"({"reasoning":null,"content":"x"})") +
             stop(),
         {},
         {{"reasoning", ""}, {"text", "x"}, {"first_token_event", 1}, {"first_answer_event", 1}}},
        {"content parts of many kinds",
         "openai-chat",
         chatEvent(
             R"({"content":[{"type":"text","text":"a"},{"type":"reference","reference_ids":[1]},"b",null,{"type":"refusal","refusal":"no"},{"type":"thinking","thinking":"t"}]})") +
             stop(),
         {},
         {{"text", "ab"}, {"refusal", "no"}, {"reasoning", "t"}, {"token_events", 1}}},
        {"parallel calls told apart by index",
         "openai-chat",
         chatEvent(
             R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":""}},{"index":1,"id":"b","function":{"name":"g"}}]})") +
             chatEvent(
                 R"({"tool_calls":[{"index":1,"function":{"arguments":"{1"}},{"index":0,"function":{"arguments":"{0"}}]})") +
             chatEvent(R"({"tool_calls":[{"index":0,"function":{"arguments":"}"}}]})") +
             chatEvent(R"({"tool_calls":[{"index":1,"function":{"arguments":"}"}}]})") +
             chatEvent("{}", "\"tool_calls\"") + doneEvent(),
         {},
         {{"tool_calls",
           {{{"id", "a"}, {"name", "f"}, {"arguments", "{0}"}}, {{"id", "b"}, {"name", "g"}, {"arguments", "{1}"}}}},
          {"token_events", 4},
          {"first_answer_event", 0}}},
        {"parallel calls without index",
         "openai-chat",
         chatEvent(R"({"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]})") +
             chatEvent(R"({"tool_calls":[{"id":"b","function":{"name":"g","arguments":"{"}}]})") +
             chatEvent(R"({"tool_calls":[{"id":"b","function":{"arguments":"}"}}]})") +
             chatEvent(R"({"tool_calls":[{"function":{"arguments":" "}}]})") + chatEvent("{}", "\"tool_calls\"") +
             doneEvent(),
         {},
         {{"tool_calls",
           {{{"id", "a"}, {"name", "f"}, {"arguments", "{}"}}, {{"id", "b"}, {"name", "g"}, {"arguments", "{} "}}}}}},
        {"parallel calls that are all number 0",
         "openai-chat",
         chatEvent(R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}]})") +
             chatEvent(R"({"tool_calls":[{"index":0,"id":"b","function":{"name":"f","arguments":"{\"x\":2}"}}]})") +
             chatEvent("{}", "\"tool_calls\"") + doneEvent(),
         {},
         {{"tool_calls",
           {{{"id", "a"}, {"name", "f"}, {"arguments", "{\"x\":1}"}},
            {{"id", "b"}, {"name", "f"}, {"arguments", "{\"x\":2}"}}}}}},
        {"a call without id, its arguments an object",
         "openai-chat",
         chatEvent(R"({"tool_calls":[{"function":{"name":"f","arguments":{"x": 1}}},{"function":{"name":"g"}}]})") +
             stop(),
         {},
         {{"tool_calls",
           {{{"id", nullptr}, {"name", "f"}, {"arguments", "{\"x\": 1}"}},
            {{"id", nullptr}, {"name", "g"}, {"arguments", ""}}}}}},
        {"the name repeated with each piece",
         "openai-chat",
         chatEvent(R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}]})") +
             chatEvent(R"({"tool_calls":[{"index":0,"id":"z","function":{"arguments":"}"}}]})") +
             chatEvent(R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":" "}}]})") + stop(),
         {},
         {{"tool_calls", {{{"id", "a"}, {"name", "f"}, {"arguments", "{} "}}}}}},
        {"legacy function call",
         "openai-chat",
         chatEvent(R"({"function_call":{"name":"f","arguments":""}})") +
             chatEvent(R"({"function_call":{"arguments":"{}"}})") + chatEvent("{}", "\"function_call\"") + doneEvent(),
         {},
         {{"tool_calls", {{{"id", nullptr}, {"name", "f"}, {"arguments", "{}"}}}}, {"token_events", 2}}},
        withThinkTags({"think tags cut anywhere",
                       "openai-chat",
                       textEvent("<th") + textEvent("ink>Pl") + textEvent("an.</") + textEvent("think") +
                           textEvent(">Go") + textEvent(" <b>on</b>") + stop(),
                       {},
                       {{"reasoning", "Plan."},
                        {"text", "Go <b>on</b>"},
                        {"first_token_event", 1},
                        {"first_answer_event", 4},
                        {"token_events", 4},
                        {"events", 8}}}),
        withThinkTags({"the beginning of a tag that never comes",
                       "openai-chat",
                       textEvent("a") + textEvent("<") + textEvent("b") + textEvent(" <thin") + stop(),
                       {},
                       {{"reasoning", ""}, {"text", "a<b <thin"}, {"token_events", 4}}}),
        withThinkTags({"two thoughts",
                       "openai-chat",
                       textEvent("<think>a</think>b<think>c</think>d<", "\"stop\"") + doneEvent(),
                       {},
                       {{"reasoning", "ac"}, {"text", "bd<"}, {"token_events", 1}}}),
        {"think tags left alone without the option",
         "openai-chat",
         textEvent("<think>a</think>b", "\"stop\"") + doneEvent(),
         {},
         {{"reasoning", ""}, {"text", "<think>a</think>b"}}},
        withCumulative(
            {"cumulative text",
             "openai-chat",
             textEvent("Deep") + textEvent("Deep blue") + textEvent("Deep blue") + textEvent("Deep blue sea") + stop(),
             {},
             {{"text", "Deep blue sea"}, {"token_events", 3}}}),
        withCumulative({"cumulative text that grows by half a pair",
                        "openai-chat",
                        textEvent("a\\ud83d") + textEvent("a\\ud83d\\ude00b", "\"stop\"") + doneEvent(),
                        {},
                        {{"text", "a\U0001F600b"}}}),
        {"one chunk repeats everything",
         "openai-chat",
         textEvent("The quick") + textEvent(" brown fox") + textEvent(" jumps") +
             textEvent("The quick brown fox jumps over") + textEvent(" it") + stop(),
         {},
         {{"text", "The quick brown fox jumps over it"}, {"token_events", 5}, {"warnings", {"cumulative_chunk"}}}},
        {"a model that repeats itself",
         "openai-chat",
         textEvent("ha") + textEvent("haha") + textEvent("hahahaha") + textEvent("hahahaha") + stop(),
         {},
         {{"text", "hahahahahahahahahahaha"}, {"token_events", 4}}},
        {"an error object, then the normal end",
         "openai-chat",
         textEvent("Par") +
             dataEvent(R"({"error":{"message":"worker died","type":"InternalServerError","code":500}})") +
             textEvent("", "\"stop\"") + doneEvent(),
         {},
         {{"status", "error"},
          {"error_kind", "in_stream"},
          {"error_message", "worker died"},
          {"error_code", 500},
          {"text", "Par"},
          {"events", 4},
          {"token_events", 1},
          {"http_status", 200}}},
        {"an error in words",
         "openai-chat",
         dataEvent(R"({"error":"out of memory"})") + doneEvent(),
         {},
         {{"error_kind", "in_stream"}, {"error_message", "out of memory"}, {"error_code", nullptr}, {"events", 2}}},
        {"an error by its own word",
         "openai-chat",
         dataEvent(R"({"object":"error","message":"too long","type":"BadRequestError","code":400})"),
         {},
         {{"error_kind", "in_stream"}, {"error_message", "too long"}, {"error_code", 400}, {"events", 1}}},
        {"an error in a choice",
         "openai-chat",
         dataEvent(
             R"({"choices":[{"index":0,"delta":{"content":"x"},"error":{"code":"overloaded","message":"busy"},"finish_reason":"error"}]})") +
             doneEvent(),
         {},
         {{"error_kind", "in_stream"},
          {"error_message", "busy"},
          {"error_code", "overloaded"},
          {"finish", "error"},
          {"text", "x"}}},
        {"event: error with plain words",
         "openai-chat",
         textEvent("x") + "event: error\ndata: gone\n\n" + doneEvent(),
         {},
         {{"error_kind", "in_stream"}, {"error_message", "gone"}, {"events", 3}}},
        {"event: error with an unwrapped object",
         "openai-chat",
         "event: error\ndata: {\"message\":\"no\",\"type\":\"server_error\"}\n\n",
         {},
         {{"error_kind", "in_stream"}, {"error_message", "no"}, {"error_code", "server_error"}, {"events", 1}}},
        {"error: field after text, in several lines",
         "openai-chat",
         textEvent("x") + "error: {\"code\":500,\nerror: \"message\":\"slot lost\"}\n\n" + doneEvent(),
         {},
         {{"error_kind", "in_stream"},
          {"error_message", "slot lost"},
          {"error_code", 500},
          {"events", 2},
          {"text", "x"}}},
        {"error: field at the end, unterminated",
         "openai-chat",
         textEvent("x") + "error: {\"message\":\"cut\"}",
         {},
         {{"error_kind", "in_stream"}, {"error_message", "cut"}, {"events", 1}}},
        {"completions: text, null, reasoning",
         "openai-completions",
         dataEvent(R"({"choices":[{"index":0,"text":null}]})") + dataEvent(R"({"choices":[{"index":0,"text":"a"}]})") +
             dataEvent(R"({"choices":[{"index":0,"text":"b","finish_reason":"length"}]})") + doneEvent(),
         {},
         {{"status", "complete"}, {"text", "ab"}, {"finish", "length"}, {"token_events", 2}, {"first_token_event", 1}}},
        {"the id of a call that comes late",
         "openai-chat",
         chatEvent(R"({"tool_calls":[{"index":0,"function":{"name":"f","arguments":""}}]})") +
             chatEvent(R"({"tool_calls":[{"index":0,"id":"a","function":{"arguments":"{}"}}]})") +
             chatEvent(R"({"tool_calls":[{"index":0,"id":"invented","function":{"arguments":""}}]})") +
             chatEvent("{}", "\"tool_calls\"") + doneEvent(),
         {},
         {{"tool_calls", {{{"id", "a"}, {"name", "f"}, {"arguments", "{}"}}}}}},
        {"a custom tool takes text",
         "openai-chat",
         chatEvent(
             R"({"tool_calls":[{"index":0,"id":"a","type":"custom","custom":{"name":"sql","input":"SELECT"}}]})") +
             chatEvent(R"({"tool_calls":[{"index":0,"custom":{"input":" 1"}}]})") + chatEvent("{}", "\"tool_calls\"") +
             doneEvent(),
         {},
         {{"tool_calls", {{{"id", "a"}, {"name", "sql"}, {"arguments", "SELECT 1"}}}}}},
        {"an event named error is one, whatever its data",
         "openai-chat",
         textEvent("a") + "event: error\ndata: [DONE]\n\n",
         {},
         {{"status", "error"}, {"error_kind", "in_stream"}, {"text", "a"}}},
        {"a status and its words alone are an error",
         "openai-chat",
         textEvent("a") + dataEvent(R"({"code":400,"message":"too long"})") + doneEvent(),
         {},
         {{"status", "error"}, {"error_kind", "in_stream"}, {"error_message", "too long"}, {"error_code", 400}}},
        {"half a pair at the end of a text so far",
         "openai-chat",
         textEvent("a\\ud83d") + textEvent("a\\ud83d\\ude00b", "\"stop\"") + doneEvent(),
         {},
         {{"text", "a\xF0\x9F\x98\x80"
                   "b"},
          {"warnings", {"lone_surrogate"}}},
         false,
         true},
    };
}

} // namespace decodescope::test
