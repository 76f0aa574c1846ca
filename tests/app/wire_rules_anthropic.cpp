#include "tests/app/wire_forms.h"

namespace decodescope::test {
namespace {

using nlohmann::json;

std::string start(const std::string& usage = R"({"input_tokens":10,"output_tokens":1})") {
    return typedEvent("message_start",
                      R"("message":{"type":"message","content":[],"model":"m","usage":)" + usage + "}");
}

std::string block(const std::string& index, const std::string& content) {
    return typedEvent("content_block_start", R"("index":)" + index + R"(,"content_block":)" + content);
}

std::string delta(const std::string& index, const std::string& inner) {
    return typedEvent("content_block_delta", R"("index":)" + index + R"(,"delta":)" + inner);
}

std::string text(const std::string& index, const std::string& piece) {
    return delta(index, R"({"type":"text_delta","text":")" + piece + "\"}");
}

std::string stopped(const std::string& index) {
    return typedEvent("content_block_stop", R"("index":)" + index);
}

std::string end(const std::string& usage = R"({"output_tokens":15})", const std::string& reason = "end_turn") {
    return typedEvent("message_delta",
                      R"("delta":{"stop_reason":")" + reason + R"(","stop_sequence":null},"usage":)" + usage) +
           typedEvent("message_stop");
}

const std::string kText = R"({"type":"text","text":""})";

WireCase rule(const std::string& name, const std::string& bytes, const json& expected) {
    return {"anthropic: " + name, "anthropic", bytes, {}, expected};
}

} // namespace

std::vector<WireCase> anthropicRules() {
    return {
        rule(
            "the prompt includes the cache",
            start(
                R"({"input_tokens":10,"cache_creation_input_tokens":5,"cache_read_input_tokens":100,"output_tokens":2})") +
                block("0", kText) + text("0", "Hi") + stopped("0") + end(),
            {{"usage", {{"prompt", 115}, {"completion", 15}, {"reasoning", nullptr}, {"cached", 100}}},
             {"tokens", 15},
             {"token_source", "usage"}}),
        rule("counts are set and never added",
             start(R"({"input_tokens":10,"cache_read_input_tokens":100,"output_tokens":3})") + block("0", kText) +
                 text("0", "Hi") +
                 typedEvent("message_delta",
                            R"("delta":{"stop_reason":null},"usage":{"input_tokens":10,"output_tokens":7})") +
                 text("0", " you") + stopped("0") +
                 end(R"({"input_tokens":10,"cache_read_input_tokens":100,"output_tokens":16})"),
             {{"usage", {{"prompt", 110}, {"completion", 16}, {"cached", 100}}},
              {"tokens", 16},
              {"tokens_per_event", nullptr},
              {"text", "Hi you"}}),
        rule("counts that come only at the end",
             start(R"({"input_tokens":0,"output_tokens":0})") + block("0", kText) + text("0", "Hi") +
                 end(R"({"input_tokens":42,"output_tokens":3})"),
             {{"usage", {{"prompt", 42}, {"completion", 3}}}}),
        rule("what was out at the start is no count",
             start(R"({"input_tokens":10,"output_tokens":4})") + block("0", kText) + text("0", "Hi"),
             {{"status", "incomplete"},
              {"error_kind", "truncated"},
              {"usage", {{"prompt", 10}, {"completion", nullptr}}},
              {"tokens", nullptr},
              {"token_source", "none"}}),
        rule("a finish without the stop",
             start() + block("0", kText) + text("0", "Hi") + stopped("0") +
                 typedEvent("message_delta", R"("delta":{"stop_reason":"max_tokens"},"usage":{"output_tokens":2})"),
             {{"status", "complete"}, {"finish", "max_tokens"}, {"tokens", 2}}),
        rule(
            "tools, their arguments in pieces, blocks in turn",
            start() + block("0", R"({"type":"tool_use","id":"t1","name":"tide","input":{}})") +
                delta("0", R"({"type":"input_json_delta","partial_json":""})") +
                block("1", R"({"type":"server_tool_use","id":"t2","name":"search","input":{}})") +
                delta("0", R"({"type":"input_json_delta","partial_json":"{\"port\":"})") +
                delta("1", R"({"type":"input_json_delta","partial_json":"{}"})") +
                delta("0", R"({"type":"input_json_delta","partial_json":" \"Brest\"}"})") + stopped("0") +
                block(
                    "2",
                    R"({"type":"web_search_tool_result","tool_use_id":"t2","content":[{"type":"text","text":"found"}]})") +
                stopped("2") + stopped("1") + end(R"({"output_tokens":21})", "tool_use"),
            {{"tool_calls",
              {{{"id", "t1"}, {"name", "tide"}, {"arguments", "{\"port\": \"Brest\"}"}},
               {{"id", "t2"}, {"name", "search"}, {"arguments", "{}"}}}},
             {"text", ""},
             {"token_events", 5},
             {"first_token_event", 1},
             {"first_answer_event", 1},
             {"finish", "tool_use"},
             {"tokens", 21}}),
        rule("arguments that come with the name",
             start() + block("0", R"({"type":"tool_use","id":"t","name":"f","input":{"a":1}})") + stopped("0") + end(),
             {{"tool_calls", {{{"name", "f"}, {"arguments", "{\"a\":1}"}}}}, {"token_events", 1}}),
        rule("thinking, its signature, its answer",
             start() + block("0", R"({"type":"thinking","thinking":"","signature":""})") +
                 delta("0", R"({"type":"thinking_delta","thinking":"Hm, "})") +
                 delta("0", R"({"type":"thinking_delta","thinking":"so."})") +
                 delta("0", R"({"type":"signature_delta","signature":"EqQB"})") + stopped("0") + block("1", kText) +
                 text("1", "Yes") + delta("1", R"({"type":"citations_delta","citation":{"cited_text":"no token"}})") +
                 stopped("1") + end(),
             {{"reasoning", "Hm, so."},
              {"text", "Yes"},
              {"token_events", 3},
              {"first_token_event", 2},
              {"first_answer_event", 7}}),
        rule("thinking that is not shown",
             start() + block("0", R"({"type":"thinking","thinking":"","signature":""})") +
                 delta("0", R"({"type":"signature_delta","signature":"EqQB"})") + stopped("0") + block("1", kText) +
                 text("1", "Yes, it is.") + text("1", " It is so.") + stopped("1") + end(R"({"output_tokens":30})"),
             {{"reasoning", ""}, {"tokens", 30}, {"token_source", "usage"}, {"warnings", {"hidden_tokens"}}}),
        rule("thinking that is encrypted",
             start() + block("0", R"({"type":"redacted_thinking","data":"EmwK"})") + stopped("0") + block("1", kText) +
                 text("1", "Yes, it is.") + end(),
             {{"reasoning", ""}, {"text", "Yes, it is."}, {"warnings", {"hidden_tokens"}}}),
        rule("the name of an event is missing or wrong",
             "data: {\"type\":\"message_start\",\"message\":{}}\n\n"
             "event: ping\ndata: "
             "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"x\"}}\n\n"
             "event: content_block_delta\ndata: "
             "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n"
             "data: {\"type\":\"message_stop\"}\n\n",
             {{"status", "complete"}, {"text", "x"}, {"first_token_event", 1}, {"finish", "end_turn"}}),
        rule("overloaded in the middle",
             start() + block("0", kText) + text("0", "Al") +
                 "event: error\ndata: "
                 "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n",
             {{"status", "error"},
              {"error_kind", "in_stream"},
              {"error_message", "Overloaded"},
              {"error_code", "overloaded_error"},
              {"tokens", nullptr},
              {"text", "Al"}}),
        rule("an event that is an error by its type alone",
             start() + dataEvent(R"({"type":"error","error":{"type":"api_error","message":"gone"}})"),
             {{"status", "error"}, {"error_message", "gone"}, {"error_code", "api_error"}}),
        rule("the old completions, all the text each time",
             "event: completion\ndata: {\"completion\":\" Old\",\"stop_reason\":null,\"model\":\"m\"}\n\n"
             "event: completion\ndata: {\"completion\":\" Old oaks\",\"stop_reason\":null}\n\n"
             "event: completion\ndata: {\"completion\":\" Old oaks stand\",\"stop_reason\":\"stop_sequence\"}\n\n" +
                 doneEvent(),
             {{"status", "complete"},
              {"text", " Old oaks stand"},
              {"token_events", 3},
              {"finish", "stop_sequence"},
              {"events", 4}}),
        rule("the old completions, what is new",
             typedEvent("completion", R"("completion":" Old","stop_reason":null)") + typedEvent("ping") +
                 typedEvent("completion", R"("completion":" oaks","stop_reason":null)") +
                 typedEvent("completion", R"("completion":"","stop_reason":"max_tokens")"),
             {{"status", "complete"}, {"text", " Old oaks"}, {"token_events", 2}, {"finish", "max_tokens"}}),
        rule("Bedrock's counts for want of others",
             start("null") + block("0", kText) + text("0", "Hi") +
                 typedEvent("message_delta", R"("delta":{"stop_reason":"end_turn"})") +
                 typedEvent("message_stop",
                            R"("amazon-bedrock-invocationMetrics":{"inputTokenCount":9,"outputTokenCount":2})"),
             {{"usage", {{"prompt", 9}, {"completion", 2}}}, {"tokens", 2}}),
        rule(
            "a whole answer with everything",
            httpAnswer(
                "200 OK", "content-type: application/json\r\n",
                R"({"type":"message","model":"m","content":[{"type":"thinking","thinking":"Hm","signature":"x"},{"type":"text","text":"Yes"},{"type":"tool_use","id":"t","name":"f","input":{"a":1}}],"stop_reason":"tool_use","usage":{"input_tokens":5,"cache_read_input_tokens":2,"output_tokens":9}})"),
            {{"status", "complete"},
             {"text", "Yes"},
             {"reasoning", "Hm"},
             {"tool_calls", {{{"id", "t"}, {"name", "f"}, {"arguments", "{\"a\":1}"}}}},
             {"usage", {{"prompt", 7}, {"completion", 9}, {"cached", 2}}},
             {"tokens", 9},
             {"finish", "tool_use"}}),
        rule(
            "a refusal by status",
            httpAnswer(
                "401 Unauthorized", "content-type: application/json\r\n",
                R"({"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"},"request_id":"r"})"),
            {{"status", "error"},
             {"error_kind", "auth"},
             {"error_message", "invalid x-api-key"},
             {"error_code", "authentication_error"}}),
        rule("529",
             httpAnswer("529 Overloaded", "content-type: application/json\r\n",
                        R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})"),
             {{"error_kind", "http_status"}, {"error_code", "overloaded_error"}, {"http_status", 529}}),
    };
}

} // namespace decodescope::test
