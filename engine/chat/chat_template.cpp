#include "engine/chat/chat_template.h"

#include "engine/chat/families.h"

#include <fmt/format.h>

namespace decodescope::engine {

namespace {

constexpr std::size_t kMaxTemplateBytes = std::size_t{1} << 20;

/// Marks of families that are known by name but not built in.
struct ForeignFamily {
    std::string_view mark, name;
};
constexpr ForeignFamily kForeign[] = {
    {"<|turn>", "Gemma 4"},
    {"<\xEF\xBD\x9CUser\xEF\xBD\x9C>", "DeepSeek"},
    {"<|channel|>", "gpt-oss (Harmony)"},
    {"[gMASK]", "GLM"},
    {"<|START_OF_TURN_TOKEN|>", "Command R"},
    {"<|start_of_role|>", "Granite"},
    {"<|im_user|>", "Kimi"},
    {"<|im_middle|>", "Kimi"},
    {"<|assistant|>", "Phi-3 or Zephyr"},
    {"### Instruction", "Alpaca"},
    {"ASSISTANT:", "Vicuna"},
};

} // namespace

Result<std::unique_ptr<ChatTemplate>> ChatTemplate::recognise(std::string_view templateText,
                                                              const Tokenizer& tokenizer) {
    if (templateText.empty()) {
        return fail(ErrorCode::unsupported,
                    "The model has no chat template, so it is a base model: use /v1/completions.");
    }
    if (templateText.size() > kMaxTemplateBytes) {
        return fail(ErrorCode::unsupported, fmt::format("The chat template is {} bytes long; at most {} are read: use "
                                                        "/v1/completions.",
                                                        templateText.size(), kMaxTemplateBytes));
    }
    const TemplateText text = readTemplate(templateText);
    for (const ForeignFamily& foreign : kForeign) {
        if (text.mentions(foreign.mark)) {
            return fail(ErrorCode::unsupported, fmt::format("The chat template of {} is not built in: use "
                                                            "/v1/completions.",
                                                            foreign.name));
        }
    }
    if (text.mentions("{% macro ") || text.mentions("{%- macro ")) {
        return fail(ErrorCode::unsupported, "The chat template defines macros; those that are built in have none: use "
                                            "/v1/completions.");
    }
    if (text.mentions("<|im_start|>")) {
        return makeChatml(text, tokenizer);
    }
    if (text.mentions("<|start_header_id|>")) {
        return makeLlama3(text, tokenizer);
    }
    if (text.mentions("<start_of_turn>")) {
        return makeGemma(text, tokenizer);
    }
    if (text.mentions("<<SYS>>")) {
        return makeLlama2(text, tokenizer);
    }
    if (text.mentions("[INST]")) {
        return makeMistral(text, tokenizer);
    }
    return fail(ErrorCode::unsupported, fmt::format("The chat template, which begins \"{}\", is of no family that is "
                                                    "built in (ChatML, Llama 2, Llama 3, Gemma, Mistral, Qwen 3): use "
                                                    "/v1/completions.",
                                                    visible(templateText, 60)));
}

} // namespace decodescope::engine
