#include "tests/app/wire_forms.h"

namespace decodescope::test {
namespace {

using nlohmann::json;

const std::string kJson = "content-type: application/json\r\n";

WireCase rule(const std::string& name, const std::string& bytes, const json& expected) {
    return {name, "openai-chat", bytes, {}, expected};
}

WireCase azure(const std::string& name, const std::string& bytes, const json& expected) {
    return {"azure-chat: " + name, "azure-chat", bytes, {}, expected};
}

std::string usage(const std::string& inner) {
    return dataEvent(R"({"choices":[],"usage":{)" + inner + "}}");
}

std::string refused(const std::string& status, const std::string& body) {
    return httpAnswer(status, kJson, body);
}

std::vector<WireCase> extras() {
    return {
        rule(
            "xAI: reasoning is counted beside the completion",
            chatEvent(R"({"reasoning_content":"Hm."})") + textEvent("Yes", "\"stop\"") +
                usage(
                    R"("prompt_tokens":10,"completion_tokens":2,"total_tokens":19,"completion_tokens_details":{"reasoning_tokens":7})") +
                doneEvent(),
            {{"usage", {{"prompt", 10}, {"completion", 9}, {"reasoning", 7}}}, {"tokens", 9}}),
        rule(
            "reasoning is part of the completion where the total says so",
            chatEvent(R"({"reasoning_content":"Hm, hm."})") + textEvent("Yes", "\"stop\"") +
                usage(
                    R"("prompt_tokens":10,"completion_tokens":9,"total_tokens":19,"completion_tokens_details":{"reasoning_tokens":7})") +
                doneEvent(),
            {{"usage", {{"completion", 9}, {"reasoning", 7}}}, {"tokens", 9}}),
        rule(
            "more reasoning than completion",
            chatEvent(R"({"reasoning_content":"Hm."})") + textEvent("Yes", "\"stop\"") +
                usage(
                    R"("prompt_tokens":10,"completion_tokens":5,"completion_tokens_details":{"reasoning_tokens":381})") +
                doneEvent(),
            {{"usage", {{"completion", 5}, {"reasoning", 381}}}, {"warnings", {"usage_mismatch"}}}),
        rule(
            "a completion of 0 beside text",
            textEvent("Yes, it") + textEvent(" is", "\"stop\"") +
                usage(
                    R"("prompt_tokens":10,"completion_tokens":0,"completion_tokens_details":{"reasoning_tokens":381})") +
                doneEvent(),
            {{"tokens", nullptr}, {"token_source", "none"}, {"warnings", {"usage_mismatch"}}}),
        rule(
            "vLLM: ids, a stop reason, the prompt's ids are no tokens",
            dataEvent(
                R"({"prompt_token_ids":[1,2,3,4],"choices":[{"index":0,"delta":{"role":"assistant","content":""},"token_ids":null,"finish_reason":null}]})") +
                dataEvent(
                    R"({"choices":[{"index":0,"delta":{"content":"A b"},"token_ids":[7,8],"finish_reason":null}]})") +
                dataEvent(
                    R"({"choices":[{"index":0,"delta":{"content":" c"},"token_ids":[9],"finish_reason":"stop","stop_reason":2}]})") +
                usage(R"("prompt_tokens":4,"completion_tokens":3)") + doneEvent(),
            {{"tokens", 3}, {"token_source", "usage"}, {"tokens_per_event", {2, 1}}, {"finish", "stop"}}),
        rule("vLLM: ids without a total",
             dataEvent(R"({"choices":[{"index":0,"delta":{"content":"A b"},"token_ids":[7,8]}]})") +
                 dataEvent(
                     R"({"choices":[{"index":0,"delta":{"content":" c"},"token_ids":[9],"finish_reason":"stop"}]})") +
                 doneEvent(),
             {{"tokens", 3}, {"token_source", "token_ids"}, {"tokens_per_event", {2, 1}}, {"usage", nullptr}}),
        rule("vLLM: ids that leave out what a parser took",
             dataEvent(R"({"choices":[{"index":0,"delta":{"content":"A b"},"token_ids":[7,8]}]})") +
                 dataEvent(
                     R"({"choices":[{"index":0,"delta":{"content":" c"},"token_ids":[9],"finish_reason":"stop"}]})") +
                 usage(R"("prompt_tokens":4,"completion_tokens":9)") + doneEvent(),
             {{"tokens", 9},
              {"token_source", "usage"},
              {"tokens_per_event", nullptr},
              {"warnings", {"usage_mismatch"}}}),
        rule(
            "SGLang: what matched, reasoning beside the details",
            textEvent("A") +
                dataEvent(
                    R"({"choices":[{"index":0,"delta":{"content":""},"finish_reason":"stop","matched_stop":2}],"usage":null})") +
                usage(
                    R"("prompt_tokens":4,"completion_tokens":2,"reasoning_tokens":0,"prompt_tokens_details":{"cached_tokens":3})") +
                doneEvent(),
            {{"finish", "stop"}, {"usage", {{"prompt", 4}, {"completion", 2}, {"reasoning", 0}, {"cached", 3}}}}),
        rule("SGLang: a refused request under 200",
             dataEvent(R"({"object":"error","message":"too long","type":"BadRequestError","param":null,"code":400})") +
                 doneEvent(),
             {{"status", "error"}, {"error_kind", "in_stream"}, {"error_message", "too long"}, {"error_code", 400}}),
        rule(
            "OpenRouter: its provider, the native reason, and an error later",
            dataEvent(
                R"({"id":"gen-1","provider":"Elm","choices":[{"index":0,"delta":{"role":"assistant","content":"Be"},"finish_reason":null,"native_finish_reason":null}]})") +
                dataEvent(
                    R"({"id":"gen-1","provider":"Elm","error":{"code":502,"message":"Provider disconnected","metadata":{"raw":"x"}},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error","native_finish_reason":"error"}]})") +
                doneEvent(),
            {{"provider", "Elm"},
             {"status", "error"},
             {"error_code", 502},
             {"error_message", "Provider disconnected"},
             {"finish", "error"},
             {"text", "Be"}}),
        rule(
            "OpenRouter: an error inside the choice",
            dataEvent(
                R"({"choices":[{"index":0,"delta":{"content":"A"},"finish_reason":"error","error":{"code":429,"message":"busy"}}]})") +
                doneEvent(),
            {{"status", "error"}, {"error_code", 429}, {"error_message", "busy"}}),
        rule(
            "OpenRouter: a native finish reason only beside another",
            dataEvent(
                R"({"choices":[{"index":0,"delta":{"content":"A"},"finish_reason":"length","native_finish_reason":"MAX_TOKENS"}]})") +
                doneEvent(),
            {{"finish", "length"}}),
        rule(
            "OpenRouter: a summary of reasoning",
            chatEvent(
                R"({"content":"","reasoning":"I weighed it","reasoning_details":[{"type":"reasoning.summary","summary":"I weighed it","format":"x","index":0}]})") +
                chatEvent(
                    R"({"content":"Yes","reasoning":null,"reasoning_details":[{"type":"reasoning.encrypted","data":"gAAA"}]})",
                    "\"stop\"") +
                usage(
                    R"("prompt_tokens":4,"completion_tokens":14,"completion_tokens_details":{"reasoning_tokens":10})") +
                doneEvent(),
            {{"reasoning", "I weighed it"},
             {"text", "Yes"},
             {"tokens", 14},
             {"token_events", 2},
             {"warnings", {"hidden_tokens"}}}),
        rule("Groq: why it broke off",
             textEvent("A") + dataEvent(R"({"choices":[],"x_groq":{"id":"r","error":"over capacity"}})"),
             {{"status", "error"}, {"error_kind", "in_stream"}, {"error_message", "over capacity"}}),
        rule(
            "Groq: usage and times beside the message, no queue",
            textEvent("A") +
                chatEvent(
                    "{}", "\"stop\"",
                    R"("x_groq":{"id":"r","usage":{"queue_time":null,"prompt_tokens":31,"prompt_time":0.004,"completion_tokens":2,"completion_time":0.012}})") +
                doneEvent(),
            {{"usage", {{"prompt", 31}, {"completion", 2}}},
             {"timings", {{"queue_ms", nullptr}, {"prompt_ms", 4}, {"decode_ms", 12}}}}),
        rule(
            "DeepSeek: what the cache held",
            textEvent("A", "\"stop\"") +
                usage(
                    R"("prompt_tokens":14,"completion_tokens":1,"prompt_cache_hit_tokens":8,"prompt_cache_miss_tokens":6)") +
                doneEvent(),
            {{"usage", {{"prompt", 14}, {"cached", 8}}}}),
        rule(
            "Mistral: parts, padding, references",
            dataEvent(
                R"({"p":"abcd","choices":[{"index":0,"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm"}],"closed":false}]},"finish_reason":null}]})") +
                dataEvent(
                    R"({"p":"ab","choices":[{"index":0,"delta":{"content":[{"type":"text","text":"Oui"},{"type":"reference","reference_ids":[1]}]},"finish_reason":null}]})") +
                chatEvent(R"({"content":""})", "\"model_length\"") + doneEvent(),
            {{"reasoning", "Hm"}, {"text", "Oui"}, {"finish", "model_length"}, {"first_answer_event", 1}}),
        rule("LM Studio: its statistics",
             chatEvent(R"({"content":"A"})", "\"stop\"",
                       R"("stats":{"tokens_per_second":51.4,"generation_time":0.5,"stop_reason":"eosFound"})") +
                 doneEvent(),
             {{"timings", {{"decode_ms", 500}, {"prompt_ms", nullptr}}}, {"finish", "stop"}}),
        rule(
            "Perplexity: the whole message beside each delta, and totals so far",
            dataEvent(
                R"({"choices":[{"index":0,"delta":{"content":"A"},"message":{"content":"A"},"finish_reason":null}],"usage":{"prompt_tokens":5,"completion_tokens":1,"total_tokens":6}})") +
                dataEvent(
                    R"({"choices":[{"index":0,"delta":{"content":"B"},"message":{"content":"AB"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}})"),
            {{"text", "AB"},
             {"status", "complete"},
             {"usage", {{"prompt", 5}, {"completion", 2}}},
             {"tokens", 2},
             {"token_source", "usage"},
             {"warnings", {"no_done"}}}),
        azure(
            "filter results first, annotations between and after",
            dataEvent(
                R"({"id":"","object":"","model":"","choices":[],"prompt_filter_results":[{"prompt_index":0,"content_filter_results":{"hate":{"filtered":false,"severity":"safe"}}}]})") +
                chatEvent(R"({"role":"assistant","content":"","refusal":null})") + textEvent("Sea") +
                dataEvent(
                    R"({"id":"","choices":[{"index":0,"finish_reason":null,"content_filter_results":{"hate":{"filtered":false}},"content_filter_offsets":{"check_offset":1,"start_offset":1,"end_offset":4}}]})") +
                textEvent(" gull") + chatEvent("{}", "\"stop\"") +
                dataEvent(
                    R"({"id":"","choices":[{"index":0,"finish_reason":null,"content_filter_results":{"error":{"code":"content_filter_error","message":"not filtered"}},"content_filter_offsets":{}}]})") +
                usage(R"("prompt_tokens":9,"completion_tokens":3)") + doneEvent(),
            {{"status", "complete"},
             {"text", "Sea gull"},
             {"events", 9},
             {"token_events", 2},
             {"first_token_event", 2},
             {"finish", "stop"},
             {"tokens", 3}}),
        azure(
            "a filter that stops the answer late",
            textEvent("Sea", "\"stop\"") +
                dataEvent(R"({"choices":[{"index":0,"finish_reason":"content_filter","content_filter_results":{}}]})") +
                doneEvent(),
            {{"finish", "content_filter"}, {"status", "complete"}}),
        azure(
            "a prompt that the filter refused",
            refused(
                "400 Bad Request",
                R"({"error":{"message":"The prompt was filtered","type":null,"param":"prompt","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation"}}})"),
            {{"status", "error"},
             {"error_message", "The prompt was filtered"},
             {"error_code", "content_filter"},
             {"http_status", 400}}),
    };
}

/// What vendors put into the body of an error answer.
std::vector<WireCase> errorBodies() {
    const auto body = [](const std::string& name, const std::string& text, const std::string& message,
                         const json& code) {
        return rule(
            "error body, " + name, refused("400 Bad Request", text),
            {{"status", "error"}, {"error_kind", "http_status"}, {"error_message", message}, {"error_code", code}});
    };
    return {
        body("Gemini, in a list",
             R"([{"error":{"code":400,"message":"bad model","status":"INVALID_ARGUMENT","details":[{"@type":"x"}]}}])",
             "bad model", 400),
        body("Ollama", R"({"error":"model \"x\" not found"})", "model \"x\" not found", nullptr),
        body("a gateway of Azure", R"({"statusCode":401,"message":"no key"})", "no key", 401),
        body("Mistral, a list of faults",
             R"({"detail":[{"type":"missing","loc":["body","model"],"msg":"Field required"}]})", "Field required",
             nullptr),
        body(
            "Mistral, faults inside the message",
            R"({"object":"error","message":{"detail":[{"type":"missing","msg":"Field required"}]},"type":"invalid_request_error","code":null})",
            "Field required", "invalid_request_error"),
        body("Mistral, a number as text",
             R"({"object":"error","message":"no such model","type":"invalid_model","code":"1500"})", "no such model",
             "1500"),
        body("vLLM of old",
             R"({"object":"error","message":"too long","type":"BadRequestError","param":null,"code":400})", "too long",
             400),
        body("xAI", R"({"code":"Client specified an invalid argument","error":"no such model"})", "no such model",
             "Client specified an invalid argument"),
        body("Cloudflare's API", R"({"success":false,"errors":[{"code":10000,"message":"Authentication error"}]})",
             "Authentication error", 10000),
        body(
            "Cloudflare's edge",
            R"({"type":"https://errors.example/1015","title":"Error 1015: rate limited","status":429,"detail":"You are being rate limited.","error_code":1015,"cloudflare_error":true})",
            "You are being rate limited.", 1015),
        body("a problem with a title alone", R"({"title":"Not Found","status":404})", "Not Found", nullptr),
        body("a detail before a message", R"({"message":"failed","detail":"no such route"})", "no such route", nullptr),
        body("a list of sentences", R"({"error":["inputs is missing"],"warnings":[]})", "inputs is missing", nullptr),
        body("an error that is only true", R"({"error":true,"message":"gone","type":"error"})", "gone", nullptr),
        body("text", "upstream said no", "upstream said no", nullptr),
    };
}

} // namespace

std::vector<WireCase> vendorRules() {
    std::vector<WireCase> all = extras();
    for (const WireCase& c : errorBodies())
        all.push_back(c);
    return all;
}

} // namespace decodescope::test
