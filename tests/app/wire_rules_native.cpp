#include "tests/app/wire_forms.h"

namespace decodescope::test {
namespace {

using nlohmann::json;

const std::string kJson = "content-type: application/json\r\n";

WireCase rule(const std::string& protocol, const std::string& name, const std::string& bytes, const json& expected) {
    return {protocol + ": " + name, protocol, bytes, {}, expected};
}

std::vector<WireCase> llamaCpp() {
    const auto ruled = [](const std::string& name, const std::string& bytes, const json& expected) {
        return rule("llamacpp-completion", name, bytes, expected);
    };
    return {
        ruled(
            "ids count, and the end token with them",
            dataEvent(R"({"content":"Old","tokens":[11,12],"stop":false})") +
                dataEvent(R"({"content":"","tokens":[13],"stop":false})") +
                dataEvent(R"({"content":" oak","tokens":[14],"stop":false})") +
                dataEvent(
                    R"({"content":"","tokens":[],"stop":true,"stop_type":"eos","timings":{"prompt_n":4,"prompt_ms":20.5,"predicted_n":5,"predicted_ms":30,"cache_n":8}})"),
            {{"tokens", 5},
             {"token_source", "timings"},
             {"tokens_per_event", {2, 2}},
             {"finish", "eos"},
             {"usage", {{"prompt", 12}, {"completion", 5}, {"cached", 8}}},
             {"timings", {{"prompt_ms", 20.5}, {"decode_ms", 30}, {"queue_ms", nullptr}, {"load_ms", nullptr}}}}),
        ruled(
            "reading the prompt is no token",
            dataEvent(
                R"({"content":"","tokens":[0],"stop":false,"tokens_predicted":0,"tokens_evaluated":100,"prompt_progress":{"total":100,"cache":0,"processed":64,"time_ms":9}})") +
                dataEvent(
                    R"({"content":"","tokens":[0],"stop":false,"tokens_predicted":0,"prompt_progress":{"total":100,"cache":0,"processed":100,"time_ms":15}})") +
                dataEvent(R"({"content":"A","tokens":[5],"stop":false,"tokens_predicted":1})") +
                dataEvent(R"({"content":"B","tokens":[6],"stop":false,"tokens_predicted":2})") +
                dataEvent(
                    R"({"content":"","tokens":[],"stop":true,"stop_type":"limit","tokens_predicted":2,"tokens_evaluated":100})"),
            {{"events", 5},
             {"token_events", 2},
             {"first_token_event", 2},
             {"tokens", 2},
             {"token_source", "timings"},
             {"tokens_per_event", {1, 1}},
             {"finish", "limit"},
             {"usage", {{"prompt", 100}, {"completion", 2}, {"cached", nullptr}}}}),
        ruled(
            "its counter with each event",
            dataEvent(R"({"content":"A b","tokens":[],"stop":false,"timings":{"predicted_n":2}})") +
                dataEvent(R"({"content":" c d e","tokens":[],"stop":false,"timings":{"predicted_n":5}})") +
                dataEvent(
                    R"({"content":"","stop":true,"stop_type":"word","stopping_word":"X","timings":{"predicted_n":6,"predicted_ms":1}})"),
            {{"tokens", 6}, {"token_source", "timings"}, {"tokens_per_event", {2, 3}}, {"finish", "word"}}),
        ruled("ids alone, and then silence",
              dataEvent(R"({"content":"A","tokens":[1],"stop":false})") +
                  dataEvent(R"({"content":"B","tokens":[2,3],"stop":false})"),
              {{"status", "incomplete"},
               {"error_kind", "truncated"},
               {"tokens", 3},
               {"token_source", "token_ids"},
               {"tokens_per_event", {1, 2}},
               {"usage", nullptr}}),
        ruled("probabilities alone",
              dataEvent(R"({"content":"AB","stop":false,"completion_probabilities":[{"token":"A"},{"token":"B"}]})") +
                  dataEvent(R"({"content":"C","stop":false,"completion_probabilities":[{"content":"C","probs":[]}]})") +
                  dataEvent(R"({"content":"","stop":true,"stop_type":"none"})"),
              {{"tokens", 3}, {"token_source", "logprobs"}, {"tokens_per_event", {2, 1}}, {"finish", "stop"}}),
        ruled("older builds stop by flags",
              dataEvent(R"({"content":"A","stop":false})") +
                  dataEvent(
                      R"({"content":"","stop":true,"stopped_eos":false,"stopped_word":false,"stopped_limit":true})"),
              {{"finish", "limit"}, {"status", "complete"}}),
        ruled("the prompt without a cache",
              dataEvent(R"({"content":"A","stop":false})") +
                  dataEvent(R"({"content":"","stop":true,"stop_type":"eos","timings":{"prompt_n":7,"predicted_n":2}})"),
              {{"usage", {{"prompt", 7}, {"completion", 2}, {"cached", nullptr}}}, {"timings", nullptr}}),
        ruled("several prompts at once",
              dataEvent(R"({"index":0,"content":"A","stop":false,"tokens_predicted":1})") +
                  dataEvent(R"({"index":1,"content":"B","stop":false,"tokens_predicted":1})") +
                  dataEvent(R"({"index":0,"content":"","stop":true,"stop_type":"eos","tokens_predicted":2})") +
                  dataEvent(R"({"index":1,"content":"C","stop":false,"tokens_predicted":2})") +
                  dataEvent(R"({"index":1,"content":"","stop":true,"stop_type":"limit","tokens_predicted":2})"),
              {{"status", "complete"},
               {"text", "A"},
               {"choices", {{"0", {{"text", "A"}, {"finish", "eos"}}}, {"1", {{"text", "BC"}, {"finish", "limit"}}}}},
               {"usage", {{"completion", 4}}},
               {"tokens", 4}}),
        ruled("an error with a number",
              dataEvent(R"({"content":"A","stop":false})") +
                  dataEvent(R"({"error":{"code":500,"message":"no slot","type":"server_error"}})"),
              {{"status", "error"}, {"error_kind", "in_stream"}, {"error_code", 500}, {"error_message", "no slot"}}),
        ruled("loading",
              httpAnswer("503 Service Unavailable", kJson,
                         R"({"error":{"code":503,"message":"Loading model","type":"unavailable_error"}})"),
              {{"error_kind", "loading"}, {"error_code", 503}, {"http_status", 503}}),
        ruled(
            "a whole answer",
            httpAnswer(
                "200 OK", kJson,
                R"({"index":0,"content":"Old oak","tokens":[1,2],"stop":true,"stop_type":"limit","tokens_predicted":2,"tokens_evaluated":12,"timings":{"cache_n":8,"prompt_n":4,"prompt_ms":20,"predicted_n":2,"predicted_ms":30}})"),
            {{"status", "complete"},
             {"text", "Old oak"},
             {"tokens", 2},
             {"token_source", "timings"},
             {"usage", {{"prompt", 12}, {"completion", 2}, {"cached", 8}}},
             {"warnings", {"not_streamed"}}}),
    };
}

std::vector<WireCase> sglang() {
    const auto ruled = [](const std::string& name, const std::string& bytes, const json& expected) {
        return rule("sglang-generate", name, bytes, expected);
    };
    const auto event = [](const std::string& text, const std::string& meta) {
        return dataEvent(R"({"text":")" + text + R"(","meta_info":{"id":"a",)" + meta + "}}");
    };
    return {
        ruled(
            "all the text so far and a running count",
            event(" The", R"("finish_reason":null,"prompt_tokens":5,"completion_tokens":1,"cached_tokens":2)") +
                event(" The quick brown",
                      R"("finish_reason":null,"prompt_tokens":5,"completion_tokens":3,"cached_tokens":2)") +
                event(
                    " The quick brown fox",
                    R"("finish_reason":{"type":"length","length":4},"prompt_tokens":5,"completion_tokens":4,"cached_tokens":2)") +
                doneEvent(),
            {{"status", "complete"},
             {"text", " The quick brown fox"},
             {"token_events", 3},
             {"events", 4},
             {"finish", "length"},
             {"usage", {{"prompt", 5}, {"completion", 4}, {"cached", 2}}},
             {"tokens", 4},
             {"token_source", "usage"},
             {"tokens_per_event", {1, 2, 1}}}),
        ruled("what is new and a running count",
              event(" The", R"("finish_reason":null,"completion_tokens":1)") +
                  event(" quick", R"("finish_reason":null,"completion_tokens":2)") +
                  event(" fox", R"("finish_reason":{"type":"stop","matched":2},"completion_tokens":4)") + doneEvent(),
              {{"text", " The quick fox"}, {"finish", "stop"}, {"tokens", 4}, {"tokens_per_event", {1, 1, 2}}}),
        ruled("the last event repeats the text",
              event("A", R"("finish_reason":null,"completion_tokens":1)") +
                  event("AB", R"("finish_reason":null,"completion_tokens":2)") +
                  event("AB", R"("finish_reason":{"type":"stop"},"completion_tokens":3)") + doneEvent(),
              {{"text", "AB"}, {"token_events", 2}, {"tokens", 3}}),
        ruled(
            "given up",
            event("A", R"("finish_reason":null,"completion_tokens":1)") +
                event(
                    "A",
                    R"("finish_reason":{"type":"abort","message":"too long","status_code":400,"err_type":"BadRequestError"},"completion_tokens":1)") +
                doneEvent(),
            {{"status", "error"},
             {"error_kind", "in_stream"},
             {"error_message", "too long"},
             {"error_code", 400},
             {"finish", "abort"},
             {"text", "A"}}),
        ruled("an error object", dataEvent(R"({"error":{"message":"input too long"}})") + doneEvent(),
              {{"status", "error"}, {"error_kind", "in_stream"}, {"error_message", "input too long"}}),
        ruled("without [DONE]", event("A", R"("finish_reason":{"type":"stop"},"completion_tokens":1)"),
              {{"status", "complete"}, {"warnings", {"no_done"}}}),
        ruled(
            "two choices, each with a count of its own",
            dataEvent(R"({"index":0,"text":"A","meta_info":{"finish_reason":null,"completion_tokens":1}})") +
                dataEvent(R"({"index":1,"text":"B","meta_info":{"finish_reason":null,"completion_tokens":1}})") +
                dataEvent(
                    R"({"index":0,"text":"A1","meta_info":{"finish_reason":{"type":"stop"},"completion_tokens":2}})") +
                dataEvent(
                    R"({"index":1,"text":"B2","meta_info":{"finish_reason":{"type":"length"},"completion_tokens":2}})") +
                doneEvent(),
            {{"choices", {{"0", {{"text", "A1"}, {"finish", "stop"}}}, {"1", {{"text", "B2"}, {"finish", "length"}}}}},
             {"tokens", 4}}),
        ruled(
            "a whole answer",
            httpAnswer(
                "200 OK", kJson,
                R"({"text":" Paris","meta_info":{"finish_reason":{"type":"stop"},"prompt_tokens":5,"completion_tokens":2,"cached_tokens":0}})"),
            {{"text", " Paris"}, {"tokens", 2}, {"usage", {{"prompt", 5}, {"completion", 2}, {"cached", 0}}}}),
    };
}

std::vector<WireCase> tgi() {
    const auto ruled = [](const std::string& name, const std::string& bytes, const json& expected) {
        return rule("tgi", name, bytes, expected);
    };
    const auto token = [](const std::string& text, const std::string& special, const std::string& more) {
        return R"({"token":{"id":7,"text":")" + text + R"(","logprob":-0.5,"special":)" + special + "}," + more + "}";
    };
    const std::string nothing = R"("generated_text":null,"details":null)";
    return {
        ruled("ids count where no total is told",
              dataEvent(token(" a", "false", nothing)) + dataEvent(token("", "false", nothing)) +
                  dataEvent(token(" b", "false", nothing)) +
                  dataEvent(token("</s>", "true", R"("generated_text":" a b","details":null)")),
              {{"status", "complete"},
               {"text", " a b"},
               {"finish", nullptr},
               {"token_events", 2},
               {"tokens", 4},
               {"token_source", "token_ids"},
               {"tokens_per_event", {1, 2}},
               {"usage", nullptr}}),
        ruled(
            "stopped at the limit, the last event with text",
            dataEvent(token(" a", "false", nothing)) +
                dataEvent(token(
                    " b", "false",
                    R"("generated_text":" a b","details":{"finish_reason":"length","generated_tokens":2,"seed":null,"input_length":9})")),
            {{"text", " a b"},
             {"finish", "length"},
             {"token_events", 2},
             {"usage", {{"prompt", 9}, {"completion", 2}}},
             {"tokens", 2},
             {"token_source", "usage"},
             {"tokens_per_event", {1, 1}}}),
        ruled("each event a list of one",
              dataEvent("[" + token(" a", "false", nothing) + "]") +
                  dataEvent(
                      "[" +
                      token("</s>", "true",
                            R"("generated_text":" a","details":{"finish_reason":"eos_token","generated_tokens":2})") +
                      "]"),
              {{"status", "complete"}, {"text", " a"}, {"finish", "eos_token"}, {"tokens", 2}, {"token_events", 1}}),
        ruled("an error with its type",
              dataEvent(token(" a", "false", nothing)) + "event: error\n" +
                  dataEvent(R"({"error":"Request failed during generation: out of memory","error_type":"generation"})"),
              {{"status", "error"},
               {"error_kind", "in_stream"},
               {"error_message", "Request failed during generation: out of memory"},
               {"error_code", "generation"}}),
        ruled("refused",
              httpAnswer("422 Unprocessable Entity", kJson,
                         R"({"error":"Input validation error: too long","error_type":"validation"})"),
              {{"error_kind", "http_status"},
               {"error_message", "Input validation error: too long"},
               {"error_code", "validation"}}),
        ruled(
            "a whole answer",
            httpAnswer(
                "200 OK", kJson,
                R"({"generated_text":" a b","details":{"finish_reason":"length","generated_tokens":2,"prefill":[{"id":1},{"id":2},{"id":3}],"tokens":[]}})"),
            {{"text", " a b"}, {"finish", "length"}, {"usage", {{"prompt", 3}, {"completion", 2}}}, {"tokens", 2}}),
    };
}

std::vector<WireCase> triton() {
    const auto ruled = [](const std::string& name, const std::string& bytes, const json& expected) {
        return rule("triton", name, bytes, expected);
    };
    const auto event = [](const std::string& text) {
        return dataEvent(R"({"model_name":"m","model_version":"1","sequence_end":false,"text_output":")" + text +
                         "\"}");
    };
    return {
        ruled("all the text so far, found out",
              event("Deep") + event("Deep blue") + event("Deep blue sea") + event("Deep blue sea"),
              {{"status", "complete"},
               {"text", "Deep blue sea"},
               {"token_events", 3},
               {"finish", nullptr},
               {"tokens", nullptr},
               {"token_source", "none"},
               {"warnings", {"no_finish_in_protocol"}}}),
        ruled("what is new", event("ha") + event("ha") + event(" ho"),
              {{"status", "complete"}, {"text", "haha ho"}, {"token_events", 3}}),
        ruled("nothing at all", event(""), {{"status", "incomplete"}, {"error_kind", "truncated"}, {"text", ""}}),
        ruled("a finish where the backend tells one",
              dataEvent(R"({"text_output":"A","finish_reason":""})") +
                  dataEvent(R"({"text_output":"B","finish_reason":"length"})"),
              {{"status", "complete"}, {"text", "AB"}, {"finish", "length"}}),
        ruled("cut off",
              "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n300\r\n" +
                  event("A"),
              {{"status", "error"}, {"error_kind", "connection_closed"}}),
    };
}

std::vector<WireCase> cohere() {
    const auto ruled = [](const std::string& name, const std::string& bytes, const json& expected) {
        return rule("cohere-v2", name, bytes, expected);
    };
    const auto content = [](const std::string& index, const std::string& inner) {
        return typedEvent("content-delta", R"("index":)" + index + R"(,"delta":{"message":{"content":)" + inner + "}}");
    };
    const std::string end = typedEvent(
        "message-end",
        R"("delta":{"finish_reason":"COMPLETE","usage":{"billed_units":{"input_tokens":3,"output_tokens":9},"tokens":{"input_tokens":69,"output_tokens":12},"cached_tokens":16}})");
    return {
        ruled(
            "thinking and its answer",
            typedEvent("content-start",
                       R"("index":0,"delta":{"message":{"content":{"type":"thinking","thinking":""}}})") +
                content("0", R"({"thinking":"Hm."})") + typedEvent("content-end", R"("index":0)") +
                typedEvent("content-start", R"("index":1,"delta":{"message":{"content":{"type":"text","text":""}}})") +
                content("1", R"({"text":"Yes"})") +
                typedEvent("citation-start",
                           R"("index":0,"delta":{"message":{"citations":{"start":0,"end":3,"text":"Yes"}}})") +
                typedEvent("citation-end", R"("index":0)") + end,
            {{"reasoning", "Hm."},
             {"text", "Yes"},
             {"first_token_event", 1},
             {"first_answer_event", 4},
             {"token_events", 2},
             {"usage", {{"prompt", 69}, {"completion", 12}, {"cached", 16}}},
             {"tokens", 12},
             {"token_source", "usage"}}),
        ruled(
            "a plan and its calls",
            typedEvent("tool-plan-delta", R"("delta":{"message":{"tool_plan":"I will look."}})") +
                typedEvent(
                    "tool-call-start",
                    R"("index":0,"delta":{"message":{"tool_calls":{"id":"a","type":"function","function":{"name":"tide","arguments":""}}}})") +
                typedEvent("tool-call-delta",
                           R"("index":0,"delta":{"message":{"tool_calls":{"function":{"arguments":"{\"p\":"}}}})") +
                typedEvent("tool-call-delta",
                           R"("index":0,"delta":{"message":{"tool_calls":{"function":{"arguments":"1}"}}}})") +
                typedEvent("tool-call-end", R"("index":0)") +
                typedEvent(
                    "tool-call-start",
                    R"("index":1,"delta":{"message":{"tool_calls":{"id":"b","function":{"name":"wind","arguments":"{}"}}}})") +
                typedEvent("message-end", R"("delta":{"finish_reason":"TOOL_CALL","usage":{}})"),
            {{"reasoning", "I will look."},
             {"tool_calls",
              {{{"id", "a"}, {"name", "tide"}, {"arguments", "{\"p\":1}"}},
               {{"id", "b"}, {"name", "wind"}, {"arguments", "{}"}}}},
             {"token_events", 5},
             {"first_token_event", 0},
             {"first_answer_event", 1},
             {"finish", "TOOL_CALL"},
             {"usage", nullptr}}),
        ruled("stopped at the limit",
              content("0", R"({"text":"A"})") + typedEvent("message-end", R"("delta":{"finish_reason":"MAX_TOKENS"})"),
              {{"status", "complete"}, {"finish", "MAX_TOKENS"}}),
        ruled("an error for a finish",
              content("0", R"({"text":"A"})") +
                  typedEvent("message-end", R"("delta":{"error":"the model gave up","finish_reason":"ERROR"})"),
              {{"status", "error"},
               {"error_kind", "in_stream"},
               {"error_message", "the model gave up"},
               {"error_code", "ERROR"},
               {"finish", "ERROR"}}),
        ruled("an error for a finish, without a word",
              content("0", R"({"text":"A"})") + typedEvent("message-end", R"("delta":{"finish_reason":"ERROR"})"),
              {{"status", "error"}, {"error_kind", "in_stream"}, {"error_code", "ERROR"}}),
        ruled("a message that is no event",
              content("0", R"({"text":"A"})") + dataEvent(R"({"message":"internal server error"})"),
              {{"status", "error"}, {"error_message", "internal server error"}}),
        ruled("refused", httpAnswer("401 Unauthorized", kJson, R"({"id":"x","message":"invalid api token"})"),
              {{"error_kind", "auth"}, {"error_message", "invalid api token"}, {"error_code", nullptr}}),
        ruled(
            "a whole answer",
            httpAnswer(
                "200 OK", kJson,
                R"({"id":"x","finish_reason":"COMPLETE","message":{"role":"assistant","tool_plan":"Plan.","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}],"content":[{"type":"thinking","thinking":"Hm."},{"type":"text","text":"Yes"}]},"usage":{"tokens":{"input_tokens":69,"output_tokens":12}}})"),
            {{"text", "Yes"},
             {"reasoning", "Plan.Hm."},
             {"tool_calls", {{{"id", "a"}, {"name", "f"}, {"arguments", "{}"}}}},
             {"tokens", 12},
             {"usage", {{"prompt", 69}, {"completion", 12}}}}),
    };
}

} // namespace

std::vector<WireCase> nativeRules() {
    std::vector<WireCase> all;
    for (const auto& group : {llamaCpp(), sglang(), tgi(), triton(), cohere()})
        all.insert(all.end(), group.begin(), group.end());
    return all;
}

} // namespace decodescope::test
