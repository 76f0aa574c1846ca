#include "core/wire/anthropic.h"
#include "core/wire/azure_chat.h"
#include "core/wire/cohere.h"
#include "core/wire/dialect.h"
#include "core/wire/gemini.h"
#include "core/wire/llamacpp_completion.h"
#include "core/wire/ollama.h"
#include "core/wire/openai_chat.h"
#include "core/wire/openai_completions.h"
#include "core/wire/openai_responses.h"
#include "core/wire/sglang_generate.h"
#include "core/wire/stream_decoder.h"
#include "core/wire/tgi.h"
#include "core/wire/triton.h"

#include <array>

namespace decodescope {
namespace {

template <class T> std::unique_ptr<Dialect> make() {
    return std::make_unique<T>();
}

struct Entry {
    std::string_view name;
    std::unique_ptr<Dialect> (*create)();
};

constexpr std::array kDialects{
    Entry{"openai-chat", make<OpenAiChat>},
    Entry{"openai-completions", make<OpenAiCompletions>},
    Entry{"openai-responses", make<OpenAiResponses>},
    Entry{"azure-chat", make<AzureChat>},
    Entry{"anthropic", make<Anthropic>},
    Entry{"gemini-sse", make<Gemini>},
    Entry{"gemini-array", make<GeminiArray>},
    Entry{"ollama-chat", make<Ollama>},
    Entry{"ollama-generate", make<Ollama>},
    Entry{"llamacpp-completion", make<LlamaCppCompletion>},
    Entry{"sglang-generate", make<SglangGenerate>},
    Entry{"tgi", make<Tgi>},
    Entry{"triton", make<Triton>},
    Entry{"cohere-v2", make<Cohere>},
};

} // namespace

std::unique_ptr<Dialect> createDialect(std::string_view protocol) {
    for (const Entry& entry : kDialects) {
        if (entry.name == protocol)
            return entry.create();
    }
    return nullptr;
}

std::vector<std::string_view> knownProtocols() {
    std::vector<std::string_view> names;
    for (const Entry& entry : kDialects)
        names.push_back(entry.name);
    return names;
}

void MessageContent::clear() {
    fragments.clear();
    hints = {};
    opened.clear();
    usage.reset();
    timings.reset();
    identity = {};
    finishes.clear();
    error.reset();
    choices.clear();
    engine.reset();
    enginePrompt.reset();
    engineStep.reset();
    keepalive.clear();
    ended = false;
    warnings.clear();
}

void MessageContent::add(Channel channel, std::uint16_t choice, std::string_view text) {
    if (text.empty())
        return;
    RawFragment& fragment = fragments.emplace_back();
    fragment.channel = channel;
    fragment.choice = choice;
    fragment.text = text;
}

} // namespace decodescope
