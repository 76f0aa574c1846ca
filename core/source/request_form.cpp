#include "core/source/request_form.h"

#include "core/source/requests/forms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

namespace decodescope {
namespace {

struct Entry {
    std::string_view protocol;
    const RequestForm& (*form)();
};

constexpr std::array kForms{
    Entry{"openai-chat", forms::openAiChat},
    Entry{"openai-completions", forms::openAiCompletions},
    Entry{"openai-responses", forms::openAiResponses},
    Entry{"azure-chat", forms::azureChat},
    Entry{"anthropic", forms::anthropic},
    Entry{"gemini-sse", forms::geminiEvents},
    Entry{"gemini-array", forms::geminiArray},
    Entry{"ollama-chat", forms::ollamaChat},
    Entry{"ollama-generate", forms::ollamaGenerate},
    Entry{"llamacpp-completion", forms::llamaCppCompletion},
    Entry{"sglang-generate", forms::sglangGenerate},
    Entry{"tgi", forms::tgi},
    Entry{"triton", forms::triton},
    Entry{"cohere-v2", forms::cohereV2},
};

} // namespace

std::vector<std::string> RequestForm::readModels(JsonView answer) const {
    // OpenAI's {"data":[{"id"}]}, a bare array, or {"models":[{"name"}]}.
    JsonView list = answer;
    for (const char* key : {"data", "models"}) {
        if (!list.isArray())
            list = answer[key];
    }
    std::vector<std::string> names;
    for (const JsonView entry : list) {
        std::string_view name = entry.isString() ? entry.text() : entry["id"].text();
        if (name.empty())
            name = entry["name"].text();
        if (!name.empty())
            names.emplace_back(name);
    }
    return names;
}

const RequestForm* requestForm(std::string_view protocol) {
    for (const Entry& entry : kForms) {
        if (entry.protocol == protocol)
            return &entry.form();
    }
    return nullptr;
}

Result<const RequestForm*> knownRequestForm(std::string_view protocol) {
    if (const RequestForm* form = requestForm(protocol))
        return form;
    return fail(ErrorCode::unsupported, fmt::format("The protocol \"{}\" is not known. Known are {}.", protocol,
                                                    fmt::join(askedProtocols(), ", ")));
}

std::vector<std::string_view> askedProtocols() {
    std::vector<std::string_view> names;
    for (const Entry& entry : kForms)
        names.push_back(entry.protocol);
    return names;
}

} // namespace decodescope
