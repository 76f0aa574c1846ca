#include "tests/app/wire_forms.h"

namespace decodescope::test {

std::string typedEvent(const std::string& type, const std::string& more) {
    return "event: " + type + "\n" +
           dataEvent(R"({"type":")" + type + "\"" + (more.empty() ? std::string() : "," + more) + "}");
}

namespace {

const std::string kErrorObject = R"("error":{"message":"engine lost","type":"server_error"})";

WireForm chat(const std::string& protocol) {
    WireForm form;
    form.protocol = protocol;
    form.opening = chatEvent(R"({"role":"assistant","content":""})");
    form.openingEvents = 1;
    form.beforeText = R"(data: {"choices":[{"index":0,"delta":{"content":")";
    form.afterText = "\"},\"finish_reason\":null}]}\n\n";
    form.closing = chatEvent("{}", "\"stop\"");
    form.closingEvents = 1;
    form.finish = "stop";
    form.whole = R"({"choices":[{"index":0,"message":{"content":"whole one"},"finish_reason":"stop"}]})";
    form.errorEvent = dataEvent("{" + kErrorObject + "}");
    return form;
}

WireForm completions() {
    WireForm form = chat("openai-completions");
    form.opening.clear();
    form.openingEvents = 0;
    form.beforeText = R"(data: {"choices":[{"index":0,"text":")";
    form.afterText = "\",\"finish_reason\":null}]}\n\n";
    form.closing = dataEvent(R"({"choices":[{"index":0,"text":"","finish_reason":"stop"}]})");
    form.whole = R"({"choices":[{"index":0,"text":"whole one","finish_reason":"stop"}]})";
    return form;
}

WireForm responses() {
    WireForm form;
    form.protocol = "openai-responses";
    form.opening = typedEvent("response.created", R"("response":{"status":"in_progress","output":[],"usage":null})") +
                   typedEvent("response.output_item.added", R"("output_index":0,"item":{"id":"m","type":"message"})");
    form.openingEvents = 2;
    form.beforeText =
        R"(data: {"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":")";
    form.afterText = "\"}\n\n";
    form.closing = typedEvent("response.output_text.done", R"("item_id":"m","text":"all of it once more")") +
                   typedEvent("response.completed", R"("response":{"status":"completed","output":[],"usage":null})");
    form.closingEvents = 2;
    form.closingIsEnd = true;
    form.finish = "completed";
    form.whole =
        R"({"object":"response","status":"completed","error":null,"output":[{"type":"message","content":[{"type":"output_text","text":"whole one"}]}]})";
    form.errorEvent = typedEvent("response.failed", R"("response":{"status":"failed",)" + kErrorObject + "}");
    return form;
}

WireForm anthropic() {
    WireForm form;
    form.protocol = "anthropic";
    form.opening =
        typedEvent("message_start", R"("message":{"type":"message","content":[],"model":"m","usage":null})") +
        typedEvent("content_block_start", R"("index":0,"content_block":{"type":"text","text":""})") +
        typedEvent("ping");
    form.openingEvents = 3;
    form.beforeText = R"(data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":")";
    form.afterText = "\"}}\n\n";
    form.closing = typedEvent("content_block_stop", R"("index":0)") +
                   typedEvent("message_delta", R"("delta":{"stop_reason":"end_turn"},"usage":null)") +
                   typedEvent("message_stop");
    form.closingEvents = 3;
    form.closingIsEnd = true;
    form.finish = "end_turn";
    form.whole = R"({"type":"message","content":[{"type":"text","text":"whole one"}],"stop_reason":"end_turn"})";
    form.errorEvent = typedEvent("error", kErrorObject);
    return form;
}

WireForm llamaCpp() {
    WireForm form;
    form.protocol = "llamacpp-completion";
    form.beforeText = R"(data: {"index":0,"content":")";
    form.afterText = "\",\"tokens\":[],\"stop\":false}\n\n";
    form.closing = dataEvent(R"({"index":0,"content":"","tokens":[],"stop":true,"stop_type":"eos"})");
    form.closingEvents = 1;
    form.closingIsEnd = true;
    form.finish = "eos";
    form.whole = R"({"index":0,"content":"whole one","tokens":[],"stop":true,"stop_type":"eos"})";
    form.errorEvent = dataEvent("{" + kErrorObject + "}");
    return form;
}

WireForm sglang() {
    WireForm form;
    form.protocol = "sglang-generate";
    form.beforeText = R"(data: {"text":")";
    form.afterText = "\",\"meta_info\":{\"id\":\"a\",\"finish_reason\":null}}\n\n";
    form.closing = dataEvent(R"({"text":"","meta_info":{"finish_reason":{"type":"stop","matched":2}}})");
    form.closingEvents = 1;
    form.finish = "stop";
    form.whole = R"({"text":"whole one","meta_info":{"finish_reason":{"type":"stop"}}})";
    form.errorEvent = dataEvent("{" + kErrorObject + "}");
    return form;
}

WireForm tgi() {
    WireForm form;
    form.protocol = "tgi";
    form.beforeText = R"(data:{"token":{"id":5,"text":")";
    form.afterText = "\",\"special\":false},\"generated_text\":null,\"details\":null}\n\n";
    form.closing =
        R"(data:{"token":{"id":2,"text":"</s>","special":true},"generated_text":"all of it once more","details":{"finish_reason":"eos_token"}})"
        "\n\n";
    form.closingEvents = 1;
    form.closingIsEnd = true;
    form.finish = "eos_token";
    form.whole = R"([{"generated_text":"whole one","details":{"finish_reason":"eos_token"}}])";
    form.errorEvent = dataEvent(R"({"error":"engine lost","error_type":"generation"})");
    return form;
}

WireForm triton() {
    WireForm form;
    form.protocol = "triton";
    form.beforeText = R"(data: {"model_name":"m","text_output":")";
    form.afterText = "\"}\n\n";
    form.finish = nullptr;
    form.tellsItsEnd = false;
    form.whole = R"({"model_name":"m","text_output":"whole one"})";
    form.errorEvent = dataEvent(R"({"error":"engine lost"})");
    return form;
}

WireForm cohere() {
    WireForm form;
    form.protocol = "cohere-v2";
    form.opening =
        typedEvent("message-start", R"("delta":{"message":{"role":"assistant","content":[]}})") +
        typedEvent("content-start", R"("index":0,"delta":{"message":{"content":{"type":"text","text":""}}})");
    form.openingEvents = 2;
    form.beforeText = R"(data: {"type":"content-delta","index":0,"delta":{"message":{"content":{"text":")";
    form.afterText = "\"}}}}\n\n";
    form.closing = typedEvent("content-end", R"("index":0)") +
                   typedEvent("message-end", R"("delta":{"finish_reason":"COMPLETE","usage":null})");
    form.closingEvents = 2;
    form.closingIsEnd = true;
    form.finish = "COMPLETE";
    form.whole =
        R"({"id":"x","finish_reason":"COMPLETE","message":{"role":"assistant","content":[{"type":"text","text":"whole one"}]}})";
    form.errorEvent = typedEvent("message-end", R"("delta":{"finish_reason":"ERROR","error":"engine lost"})");
    return form;
}

} // namespace

std::vector<WireForm> wireForms() {
    return {chat("openai-chat"), completions(), responses(), chat("azure-chat"), anthropic(),
            llamaCpp(),          sglang(),      tgi(),       triton(),           cohere()};
}

} // namespace decodescope::test
