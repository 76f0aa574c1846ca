#include "tests/app/wire_forms.h"

namespace decodescope::test {
namespace {

using nlohmann::json;

std::string created() {
    return typedEvent("response.created", R"("response":{"status":"in_progress","model":"m","usage":null})");
}

std::string text(const std::string& delta) {
    return typedEvent("response.output_text.delta", R"("item_id":"m","output_index":0,"delta":")" + delta + "\"");
}

std::string ended(const std::string& how, const std::string& more) {
    return typedEvent("response." + how, R"("response":{"status":")" + how + "\"" + more + "}");
}

const std::string kUsage =
    R"(,"usage":{"input_tokens":20,"input_tokens_details":{"cached_tokens":8},"output_tokens":9,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":29})";

std::string arguments(const std::string& item, const std::string& place, const std::string& delta) {
    return typedEvent("response.function_call_arguments.delta",
                      R"("item_id":")" + item + R"(","output_index":)" + place + R"(,"delta":")" + delta + "\"");
}

std::string call(const std::string& item, const std::string& place, const std::string& name) {
    return typedEvent("response.output_item.added",
                      R"("output_index":)" + place + R"(,"item":{"type":"function_call","id":")" + item +
                          R"(","call_id":"call_)" + item + R"(","name":")" + name + R"(","arguments":""})");
}

WireCase rule(const std::string& name, const std::string& bytes, const json& expected) {
    return {"openai-responses: " + name, "openai-responses", bytes, {}, expected};
}

} // namespace

std::vector<WireCase> responsesRules() {
    return {
        rule("usage comes with the end", created() + text("Far") + text(" out") + ended("completed", kUsage),
             {{"status", "complete"},
              {"finish", "completed"},
              {"tokens", 9},
              {"token_source", "usage"},
              {"tokens_per_event", nullptr},
              {"usage", {{"prompt", 20}, {"completion", 9}, {"reasoning", 0}, {"cached", 8}}}}),
        rule("incomplete at a limit is complete",
             created() + text("Far") +
                 ended("incomplete", R"(,"incomplete_details":{"reason":"max_output_tokens"})" + kUsage),
             {{"status", "complete"}, {"error_kind", nullptr}, {"finish", "max_output_tokens"}, {"tokens", 9}}),
        rule("incomplete without a reason", created() + text("Far") + ended("incomplete", ""),
             {{"status", "complete"}, {"finish", "incomplete"}}),
        rule("failed",
             created() + text("Far") + ended("failed", R"(,"error":{"code":"server_error","message":"gone"})" + kUsage),
             {{"status", "error"},
              {"error_kind", "in_stream"},
              {"error_message", "gone"},
              {"error_code", "server_error"},
              {"finish", nullptr},
              {"tokens", 9}}),
        rule("failed without a word", created() + ended("failed", R"(,"error":null)"),
             {{"status", "error"}, {"error_kind", "in_stream"}, {"error_code", "failed"}}),
        rule("an error of its own",
             created() + text("Far") +
                 typedEvent("error", R"("code":"rate_limit_exceeded","message":"too many","param":null)"),
             {{"status", "error"}, {"error_message", "too many"}, {"error_code", "rate_limit_exceeded"}}),
        rule("an error of its own without a code", created() + typedEvent("error", R"("code":null,"message":"gone")"),
             {{"status", "error"}, {"error_message", "gone"}, {"error_code", nullptr}}),
        rule("an error of its own, wrapped",
             created() + typedEvent("error", R"("error":{"type":"invalid_request_error","code":null,"message":"bad"})"),
             {{"status", "error"}, {"error_message", "bad"}, {"error_code", "invalid_request_error"}}),
        rule(
            "calls in turn, the name with the item",
            created() + call("a", "0", "tide") + arguments("a", "0", "{\\\"port\\\":") + call("b", "1", "wind") +
                arguments("b", "1", "{}") + arguments("a", "0", "\\\"Brest\\\"}") +
                typedEvent("response.function_call_arguments.done",
                           R"("item_id":"a","output_index":0,"arguments":"{\"port\":\"Brest\"}")") +
                typedEvent(
                    "response.output_item.done",
                    R"("output_index":0,"item":{"type":"function_call","id":"a","call_id":"call_a","name":"tide","arguments":"{\"port\":\"Brest\"}"})") +
                ended("completed", kUsage),
            {{"status", "complete"},
             {"token_events", 5},
             {"first_token_event", 1},
             {"first_answer_event", 1},
             {"tool_calls",
              {{{"id", "call_a"}, {"name", "tide"}, {"arguments", "{\"port\":\"Brest\"}"}},
               {{"id", "call_b"}, {"name", "wind"}, {"arguments", "{}"}}}}}),
        rule("calls that are all at place 0",
             created() + call("a", "0", "f") + call("b", "0", "g") + arguments("a", "0", "1") +
                 arguments("b", "0", "2") + ended("completed", ""),
             {{"tool_calls", {{{"name", "f"}, {"arguments", "1"}}, {{"name", "g"}, {"arguments", "2"}}}}}),
        rule("calls told apart by their place alone",
             created() +
                 typedEvent("response.output_item.added",
                            R"("output_index":0,"item":{"type":"function_call","call_id":"x","name":"f"})") +
                 typedEvent("response.output_item.added",
                            R"("output_index":1,"item":{"type":"function_call","call_id":"y","name":"g"})") +
                 typedEvent("response.function_call_arguments.delta", R"("output_index":0,"delta":"1")") +
                 typedEvent("response.function_call_arguments.delta", R"("output_index":1,"delta":"2")") +
                 ended("completed", ""),
             {{"tool_calls", {{{"id", "x"}, {"arguments", "1"}}, {{"id", "y"}, {"arguments", "2"}}}}}),
        rule("arguments of an item that was never announced",
             created() + arguments("z", "3", "{}") + ended("completed", ""),
             {{"tool_calls", {{{"id", nullptr}, {"name", ""}, {"arguments", "{}"}}}}, {"token_events", 1}}),
        rule("a refusal",
             created() + typedEvent("response.refusal.delta", R"("delta":"I ")") +
                 typedEvent("response.refusal.delta", R"("delta":"cannot.")") +
                 typedEvent("response.refusal.done", R"("refusal":"I cannot.")") + ended("completed", ""),
             {{"refusal", "I cannot."}, {"text", ""}, {"token_events", 2}, {"first_answer_event", 1}}),
        rule("reasoning in full",
             created() + typedEvent("response.reasoning_text.delta", R"("delta":"Hm, so it is. ")") + text("Yes") +
                 ended(
                     "completed",
                     R"(,"usage":{"input_tokens":2,"output_tokens":6,"output_tokens_details":{"reasoning_tokens":4}})"),
             {{"reasoning", "Hm, so it is. "},
              {"text", "Yes"},
              {"first_token_event", 1},
              {"first_answer_event", 2},
              {"usage", {{"completion", 6}, {"reasoning", 4}, {"cached", nullptr}}},
              {"tokens", 6}}),
        rule(
            "a summary of reasoning hides tokens",
            created() +
                typedEvent("response.reasoning_summary_text.delta",
                           R"("summary_index":0,"delta":"I weighed it all with care.")") +
                text("Yes") +
                ended(
                    "completed",
                    R"(,"usage":{"input_tokens":2,"output_tokens":22,"output_tokens_details":{"reasoning_tokens":20}})"),
            {{"reasoning", "I weighed it all with care."}, {"tokens", 22}, {"warnings", {"hidden_tokens"}}}),
        rule(
            "reasoning of which nothing is shown",
            created() + text("Yes") + text(".") +
                ended(
                    "completed",
                    R"(,"usage":{"input_tokens":2,"output_tokens":67,"output_tokens_details":{"reasoning_tokens":64}})"),
            {{"tokens", 67}, {"warnings", {"hidden_tokens"}}, {"first_token_event", 1}}),
        rule("log probabilities count tokens",
             created() +
                 typedEvent("response.output_text.delta",
                            R"("delta":"Far o","logprobs":[{"token":"Far"},{"token":" o"}])") +
                 typedEvent("response.output_text.delta", R"("delta":"ut","logprobs":[{"token":"ut"}])") +
                 ended("completed", ""),
             {{"tokens", 3}, {"token_source", "logprobs"}, {"tokens_per_event", {2, 1}}}),
        rule("a number is left out",
             typedEvent("response.created", R"("response":{},"sequence_number":0)") +
                 typedEvent("response.output_text.delta", R"("delta":"a","sequence_number":1)") +
                 typedEvent("response.output_text.delta", R"("delta":"c","sequence_number":3)") +
                 typedEvent("response.completed", R"("response":{"status":"completed"},"sequence_number":4)"),
             {{"status", "complete"}, {"text", "ac"}, {"warnings", {"sequence_gap"}}}),
        rule("events without names",
             "data: {\"type\":\"response.created\",\"response\":{}}\n\n"
             "event: response.created\n"
             "data: {\"type\":\"response.output_text.delta\",\"delta\":\"x\"}\n\n"
             "data: {\"type\":\"response.completed\",\"response\":{}}\n\n",
             {{"text", "x"}, {"status", "complete"}, {"finish", "completed"}, {"first_token_event", 1}}),
        rule(
            "everything at the end",
            created() +
                ended(
                    "completed",
                    R"(,"output":[{"type":"reasoning","summary":[{"type":"summary_text","text":"Hm"}]},{"type":"message","content":[{"type":"output_text","text":"All"}]},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}])"),
            {{"status", "complete"},
             {"text", "All"},
             {"reasoning", "Hm"},
             {"token_events", 1},
             {"first_token_event", 1},
             {"tool_calls", {{{"id", "c"}, {"name", "f"}, {"arguments", "{}"}}}}}),
        rule(
            "a whole answer with everything",
            httpAnswer(
                "200 OK", "content-type: application/json\r\n",
                R"({"object":"response","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"error":null,"output":[{"type":"reasoning","content":[{"type":"reasoning_text","text":"Hm"}],"summary":[]},{"type":"message","content":[{"type":"output_text","text":"All"},{"type":"refusal","refusal":"No"}]},{"type":"function_call","id":"i","call_id":"c","name":"f","arguments":"{}"}],"usage":{"input_tokens":3,"output_tokens":5}})"),
            {{"status", "complete"},
             {"finish", "max_output_tokens"},
             {"text", "All"},
             {"reasoning", "Hm"},
             {"refusal", "No"},
             {"tool_calls", {{{"id", "c"}, {"name", "f"}, {"arguments", "{}"}}}},
             {"tokens", 5},
             {"warnings", {"not_streamed"}}}),
        rule(
            "a whole answer that failed",
            httpAnswer(
                "200 OK", "content-type: application/json\r\n",
                R"({"object":"response","status":"failed","error":{"code":"server_error","message":"gone"},"output":[]})"),
            {{"status", "error"}, {"error_kind", "in_stream"}, {"error_message", "gone"}}),
        {"a whole answer that failed has no finish reason",
         "openai-responses",
         httpAnswer(
             "200 OK", "content-type: application/json\r\n",
             R"({"id":"r","object":"response","status":"failed","output":[],"error":{"code":"server_error","message":"boo"},"usage":null})"),
         {},
         {{"status", "error"}, {"error_message", "boo"}, {"finish", nullptr}}},
    };
}

} // namespace decodescope::test
