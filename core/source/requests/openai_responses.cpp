#include "core/source/requests/fields.h"
#include "core/source/requests/forms.h"
#include "core/source/requests/openai.h"

#include <nlohmann/json.hpp>

namespace decodescope {
namespace {

/// Usage comes unasked. There is no seed in this API.
class OpenAiResponsesForm final : public OpenAiForm {
public:
    OpenAiResponsesForm()
        : OpenAiForm("/responses") {}

    void writeBody(const RunSpec& spec, nlohmann::ordered_json& body) const override {
        const SamplingSpec& sampling = spec.sampling;
        if (!spec.endpoint.model.empty())
            body["model"] = spec.endpoint.model;
        if (!spec.system.empty())
            body["instructions"] = spec.system;
        body["input"] = spec.prompt;
        body["stream"] = sampling.stream;
        put(body, "max_output_tokens", sampling.maxTokens);
        put(body, "temperature", sampling.temperature);
        put(body, "seed", sampling.seed);
        putIgnoreEos(body, sampling);
        if (sampling.reasoningEffort)
            body["reasoning"] = {{"effort", *sampling.reasoningEffort}};
    }
};

} // namespace

const RequestForm& forms::openAiResponses() {
    static const OpenAiResponsesForm form;
    return form;
}

} // namespace decodescope
