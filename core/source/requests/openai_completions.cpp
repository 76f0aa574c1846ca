#include "core/source/requests/fields.h"
#include "core/source/requests/forms.h"
#include "core/source/requests/openai.h"

#include <nlohmann/json.hpp>

namespace decodescope {
namespace {

class OpenAiCompletionsForm final : public OpenAiForm {
public:
    OpenAiCompletionsForm()
        : OpenAiForm("/completions") {}

    void writeBody(const RunSpec& spec, nlohmann::ordered_json& body) const override {
        const SamplingSpec& sampling = spec.sampling;
        if (!spec.endpoint.model.empty())
            body["model"] = spec.endpoint.model;
        body["prompt"] = rawPrompt(spec);
        body["stream"] = sampling.stream;
        if (sampling.stream)
            body["stream_options"] = {{"include_usage", true}};
        put(body, "max_tokens", sampling.maxTokens);
        put(body, "temperature", sampling.temperature);
        put(body, "seed", sampling.seed);
        putIgnoreEos(body, sampling);
        put(body, "reasoning_effort", sampling.reasoningEffort);
    }
};

} // namespace

const RequestForm& forms::openAiCompletions() {
    static const OpenAiCompletionsForm form;
    return form;
}

} // namespace decodescope
