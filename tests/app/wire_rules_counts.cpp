#include "tests/app/wire_rules.h"

namespace decodescope::test {
namespace {

std::string usageEvent(const std::string& usage) {
    return dataEvent(R"({"choices":[],"usage":)" + usage + "}");
}
std::string stop() {
    return chatEvent("{}", "\"stop\"");
}

} // namespace

std::vector<WireCase> countRules() {
    using nlohmann::json;
    return {
        {"token ids that agree with the usage",
         "openai-chat",
         dataEvent(
             R"({"choices":[{"index":0,"delta":{"role":"assistant","content":""},"token_ids":null}],"prompt_token_ids":[1,2]})") +
             dataEvent(R"({"choices":[{"index":0,"delta":{"content":"a b"},"token_ids":[5,6]}]})") +
             dataEvent(R"({"choices":[{"index":0,"delta":{"content":" c"},"token_ids":[7]}]})") + stop() +
             usageEvent(R"({"prompt_tokens":2,"completion_tokens":3})") + doneEvent(),
         {},
         {{"tokens", 3},
          {"token_source", "usage"},
          {"tokens_per_event", {2, 1}},
          {"usage", {{"prompt", 2}, {"completion", 3}}}}},
        {"cached tokens by another name",
         "openai-chat",
         textEvent("a", "\"stop\"") +
             dataEvent(
                 R"({"choices":[],"usage":{"prompt_tokens":50,"completion_tokens":1,"cache_read_input_tokens":32}})") +
             doneEvent(),
         {},
         {{"usage", {{"prompt", 50}, {"completion", 1}, {"cached", 32}}}}},
        {"token ids alone",
         "openai-chat",
         dataEvent(R"({"choices":[{"index":0,"delta":{"content":"a b"},"token_ids":[5,6]}]})") +
             dataEvent(R"({"choices":[{"index":0,"delta":{"content":" c"},"token_ids":[7]}]})") + stop() + doneEvent(),
         {},
         {{"tokens", 3}, {"token_source", "token_ids"}, {"tokens_per_event", {2, 1}}, {"usage", nullptr}}},
        {"ids of a held-back character go to the event that shows it",
         "openai-chat",
         dataEvent(R"({"choices":[{"index":0,"delta":{"content":"a"},"token_ids":[5]}]})") +
             dataEvent(R"({"choices":[{"index":0,"delta":{"content":""},"token_ids":[6]}]})") +
             dataEvent(R"({"choices":[{"index":0,"delta":{"content":"b"},"token_ids":[7]}]})") + stop() + doneEvent(),
         {},
         {{"tokens", 3}, {"tokens_per_event", {1, 2}}, {"token_events", 2}}},
        {"logprobs of a refusal",
         "openai-chat",
         dataEvent(
             R"({"choices":[{"index":0,"delta":{"refusal":"No way"},"logprobs":{"content":null,"refusal":[{"token":"No"},{"token":" way"}]}}]})") +
             stop() + doneEvent(),
         {},
         {{"tokens", 2}, {"token_source", "logprobs"}, {"tokens_per_event", {2}}, {"refusal", "No way"}}},
        {"usage: last not-null wins, no addition",
         "openai-chat",
         usageEvent(R"({"prompt_tokens":9,"completion_tokens":0})") + textEvent("a") + usageEvent("null") +
             usageEvent(
                 R"({"prompt_tokens":9,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":8},"completion_tokens_details":{"reasoning_tokens":0}})") +
             stop() + usageEvent(R"({"prompt_tokens":null,"completion_tokens":null})") + doneEvent(),
         {},
         {{"usage", {{"prompt", 9}, {"completion", 4}, {"reasoning", 0}, {"cached", 8}}}, {"tokens", 4}}},
        {"a count of no output and nothing generated: no success, whatever reason it gives",
         "openai-chat",
         chatEvent(R"({"role":"assistant","content":""})") + stop() +
             usageEvent(R"({"prompt_tokens":4096,"completion_tokens":0})") + doneEvent(),
         {},
         {{"status", "incomplete"},
          {"error_kind", "truncated"},
          {"finish", "stop"},
          {"token_events", 0},
          {"usage", {{"prompt", 4096}, {"completion", 0}}}}},
        {"a count of no output after the finish reason, without [DONE]",
         "openai-chat",
         chatEvent("{}", "\"length\"") + usageEvent(R"({"prompt_tokens":4096,"completion_tokens":0})"),
         {},
         {{"status", "incomplete"}, {"error_kind", "truncated"}, {"finish", "length"}, {"token_events", 0}}},
        {"no output in Anthropic's words",
         "anthropic",
         "event: message_start\n" +
             dataEvent(
                 R"({"type":"message_start","message":{"role":"assistant","usage":{"input_tokens":3,"output_tokens":1}}})") +
             "event: message_delta\n" +
             dataEvent(R"({"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":0}})") +
             "event: message_stop\n" + dataEvent(R"({"type":"message_stop"})"),
         {},
         {{"status", "incomplete"}, {"error_kind", "truncated"}, {"finish", "end_turn"}}},
        {"no output in Ollama's words",
         "ollama-chat",
         R"({"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","eval_count":0})"
         "\n",
         {},
         {{"status", "incomplete"}, {"error_kind", "truncated"}}},
        {"no output in a whole answer",
         "openai-chat",
         R"({"choices":[{"index":0,"message":{"role":"assistant","content":""},"finish_reason":"stop"}],)"
         R"("usage":{"prompt_tokens":9,"completion_tokens":0}})",
         {},
         {{"status", "incomplete"}, {"error_kind", "truncated"}, {"text", ""}}},
        {"tokens that were counted and not shown are an answer",
         "openai-chat",
         chatEvent(R"({"role":"assistant","content":""})") +
             usageEvent(R"({"prompt_tokens":9,"completion_tokens":0})") + stop() +
             usageEvent(R"({"prompt_tokens":9,"completion_tokens":7})") + doneEvent(),
         {},
         {{"status", "complete"}, {"error_kind", nullptr}, {"token_events", 0}, {"tokens", 7}}},
        {"a finish reason and no count: the protocol's end stands",
         "openai-chat",
         chatEvent(R"({"role":"assistant","content":""})") + stop() + doneEvent(),
         {},
         {{"status", "complete"}, {"error_kind", nullptr}, {"token_events", 0}, {"tokens", nullptr}}},
        {"usage: absurd numbers are none",
         "openai-chat",
         textEvent("a") + usageEvent(R"({"prompt_tokens":-1,"completion_tokens":1e400})") +
             usageEvent(R"({"prompt_tokens":2.5,"completion_tokens":123456789012345678901234567890})") + stop() +
             doneEvent(),
         {},
         {{"usage", nullptr}, {"tokens", nullptr}, {"token_source", "none"}}},
        {"usage in a choice, under x_groq, cache hits",
         "openai-chat",
         textEvent("a") + dataEvent(R"({"choices":[],"x_groq":{"usage":{"prompt_tokens":5,"completion_tokens":2}}})") +
             dataEvent(
                 R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop","usage":{"prompt_cache_hit_tokens":4}}]})") +
             doneEvent(),
         {},
         {{"usage", {{"prompt", 5}, {"completion", 2}, {"reasoning", nullptr}, {"cached", 4}}}, {"tokens", 2}}},
        {"Groq: queue time may be null",
         "openai-chat",
         textEvent("a") + stop() +
             usageEvent(
                 R"({"queue_time":null,"prompt_tokens":5,"prompt_time":0.002,"completion_tokens":2,"completion_time":0.5})") +
             doneEvent(),
         {},
         {{"timings", {{"queue_ms", nullptr}, {"prompt_ms", 2}, {"decode_ms", 500}}}}},
        {"llama.cpp: progress, then a running counter",
         "openai-chat",
         dataEvent(
             R"({"choices":[{"index":0,"delta":{"role":"assistant","content":null}}],"prompt_progress":{"total":100,"cache":0,"processed":50,"time_ms":9}})") +
             chatEvent(R"({"content":"a"})", "null",
                       R"("timings":{"predicted_n":1,"prompt_ms":12.5,"predicted_ms":1})") +
             chatEvent(R"({"content":"bcd"})", "null",
                       R"("timings":{"predicted_n":4,"prompt_ms":12.5,"predicted_ms":31})") +
             chatEvent("{}", "\"length\"", R"("timings":{"predicted_n":4,"prompt_ms":12.5,"predicted_ms":40})") +
             doneEvent(),
         {},
         {{"tokens", 4},
          {"token_source", "timings"},
          {"tokens_per_event", {1, 3}},
          {"first_token_event", 1},
          {"timings", {{"prompt_ms", 12.5}, {"decode_ms", 40}}}}},
        {"the provider, told once",
         "openai-chat",
         chatEvent(R"({"content":"a"})", "null", R"("provider":"Elm","system_fingerprint":"fp")") + stop() +
             doneEvent(),
         {},
         {{"provider", "Elm"}, {"text", "a"}}},
        {"usage counts both choices",
         "openai-chat",
         dataEvent(
             R"({"choices":[{"index":0,"delta":{"content":"A"},"logprobs":{"content":[{}]}},{"index":1,"delta":{"content":"B b"},"logprobs":{"content":[{},{}]}}]})") +
             dataEvent(
                 R"({"choices":[{"index":0,"delta":{},"finish_reason":"length"},{"index":1,"delta":{},"finish_reason":"length"}]})") +
             usageEvent(R"({"prompt_tokens":1,"completion_tokens":3})") + doneEvent(),
         {},
         {{"tokens", 3}, {"tokens_per_event", {3}}, {"token_events", 1}}},
        {"ids that add up to far less than the usage",
         "openai-chat",
         dataEvent(R"({"choices":[{"index":0,"delta":{"content":"a"},"token_ids":[5]}]})") +
             dataEvent(R"({"choices":[{"index":0,"delta":{"content":"b"},"token_ids":[6]}]})") + stop() +
             usageEvent(R"({"prompt_tokens":3,"completion_tokens":40})") + doneEvent(),
         {},
         {{"tokens", 40}, {"tokens_per_event", nullptr}, {"warnings", {"hidden_tokens", "usage_mismatch"}}}},
        {"a final usage far beyond the running counter",
         "openai-chat",
         chatEvent(R"({"content":"a"})", "null", R"("usage":{"prompt_tokens":1,"completion_tokens":10})") +
             chatEvent(R"({"content":"b"})", "null", R"("usage":{"prompt_tokens":1,"completion_tokens":20})") + stop() +
             usageEvent(R"({"prompt_tokens":1,"completion_tokens":19503})") + doneEvent(),
         {},
         {{"tokens", 19503}, {"tokens_per_event", nullptr}, {"warnings", {"hidden_tokens", "usage_mismatch"}}}},
        {"ids that a parser of tools keeps to itself",
         "openai-chat",
         dataEvent(R"({"choices":[{"index":0,"delta":{"content":"a"},"token_ids":[1]}]})") +
             dataEvent(
                 R"({"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"get_weather","arguments":"{\"city\": \"Paris\"}"}}]},"token_ids":[]}]})") +
             chatEvent("{}", "\"tool_calls\"") + usageEvent(R"({"prompt_tokens":1,"completion_tokens":24})") +
             doneEvent(),
         {},
         {{"tokens", 24}, {"tokens_per_event", nullptr}, {"warnings", {"usage_mismatch"}}}},
        {"ids that a parser of thoughts keeps to itself",
         "openai-chat",
         dataEvent(R"({"choices":[{"index":0,"delta":{"reasoning_content":"Let me think."}}]})") +
             dataEvent(R"({"choices":[{"index":0,"delta":{"content":"Yes"},"token_ids":[3]}]})") + stop() +
             usageEvent(R"({"prompt_tokens":1,"completion_tokens":12})") + doneEvent(),
         {},
         {{"tokens", 12}, {"tokens_per_event", nullptr}, {"warnings", {"usage_mismatch"}}}},
        {"ids of the answer beside thoughts whose count is told",
         "openai-chat",
         dataEvent(R"({"choices":[{"index":0,"delta":{"content":"Yes"},"token_ids":[3]}]})") +
             dataEvent(R"({"choices":[{"index":0,"delta":{"content":" sir"},"token_ids":[4]}]})") + stop() +
             usageEvent(
                 R"({"prompt_tokens":1,"completion_tokens":66,"completion_tokens_details":{"reasoning_tokens":64}})") +
             doneEvent(),
         {},
         {{"tokens", 66}, {"tokens_per_event", {1, 1}}, {"warnings", {"hidden_tokens"}}}},
        {"a running counter that falls back",
         "openai-chat",
         chatEvent(R"({"content":"a"})", "null", R"("usage":{"prompt_tokens":1,"completion_tokens":5})") +
             chatEvent(R"({"content":"b"})", "null", R"("usage":{"prompt_tokens":1,"completion_tokens":3})") +
             chatEvent(R"({"content":"c"})", "null", R"("usage":{"prompt_tokens":1,"completion_tokens":6})") + stop() +
             doneEvent(),
         {},
         {{"tokens", 6}, {"tokens_per_event", nullptr}}},
        {"a running counter beside the only text",
         "openai-chat",
         chatEvent(R"({"content":"abc"})", "null", R"("usage":{"prompt_tokens":1,"completion_tokens":3})") +
             chatEvent("{}", "\"stop\"", R"("usage":{"prompt_tokens":1,"completion_tokens":4})") + doneEvent(),
         {},
         {{"tokens", 4}, {"tokens_per_event", {3}}}},
        {"the usage of an only text told twice is no running counter",
         "openai-chat",
         chatEvent(R"({"content":"abc"})", "\"stop\"", R"("usage":{"prompt_tokens":1,"completion_tokens":4})") +
             usageEvent(R"({"prompt_tokens":1,"completion_tokens":4})") + doneEvent(),
         {},
         {{"tokens", 4}, {"tokens_per_event", nullptr}}},
        {"a call without arguments has tokens of markup",
         "anthropic",
         dataEvent(
             R"({"type":"message_start","message":{"role":"assistant","usage":{"input_tokens":25,"output_tokens":1}}})") +
             dataEvent(
                 R"({"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"get_time","input":{}}})") +
             dataEvent(R"({"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":38}})") +
             dataEvent(R"({"type":"message_stop"})"),
         {},
         {{"tokens", 38}, {"no_warnings", {"hidden_tokens", "usage_mismatch"}}}},
        {"the end token of a repeated text is no text's",
         "sglang-generate",
         dataEvent(R"({"text":"Deep","meta_info":{"prompt_tokens":9,"finish_reason":null,"completion_tokens":1}})") +
             dataEvent(
                 R"({"text":"Deep blue","meta_info":{"prompt_tokens":9,"finish_reason":null,"completion_tokens":2}})") +
             dataEvent(
                 R"({"text":"Deep blue","meta_info":{"prompt_tokens":9,"finish_reason":{"type":"stop","matched":2},"completion_tokens":3}})") +
             doneEvent(),
         {},
         {{"text", "Deep blue"}, {"tokens", 3}, {"token_events", 2}, {"tokens_per_event", {1, 1}}}},
    };
}

} // namespace decodescope::test
