#pragma once

#include "core/wire/dialect.h"
#include "core/wire/openai_common.h"

namespace decodescope {

/// `/v1/chat/completions` of OpenAI, Azure, vLLM, SGLang, llama.cpp, OpenRouter, DeepSeek, Mistral, Groq and their kin.
class OpenAiChat final : public Dialect {
public:
    void readMessage(JsonView message, MessageContent& out) override;
    [[nodiscard]] bool readWholeAnswer(JsonView answer, MessageContent& out) override;
    [[nodiscard]] bool endsWithDone() const override { return true; }

private:
    ToolCallTable m_tools;
};

} // namespace decodescope
