#include "core/source/requests/address.h"
#include "core/source/requests/fields.h"
#include "core/source/requests/forms.h"

#include <nlohmann/json.hpp>

namespace decodescope {
namespace {

constexpr std::string_view kRoute = "/generate";

/// SGLang's own route: raw text in; counts come in every event unasked. It serves one model and takes no name.
class SglangGenerateForm final : public RequestForm {
public:
    [[nodiscard]] Result<Url> route(const EndpointSpec& endpoint, AnswerForm) const override {
        return root(endpoint).map([](const Address& a) { return a.at(a.base + std::string(kRoute)); });
    }

    void writeBody(const RunSpec& spec, nlohmann::ordered_json& body) const override {
        const SamplingSpec& sampling = spec.sampling;
        body["text"] = rawPrompt(spec);
        nlohmann::ordered_json parameters = nlohmann::ordered_json::object();
        put(parameters, "max_new_tokens", sampling.maxTokens);
        put(parameters, "temperature", sampling.temperature);
        put(parameters, "sampling_seed", sampling.seed);
        putIgnoreEos(parameters, sampling);
        if (!parameters.empty())
            body["sampling_params"] = std::move(parameters);
        body["stream"] = sampling.stream;
        put(body, "reasoning_effort", sampling.reasoningEffort);
    }

    [[nodiscard]] Result<ModelListRequest> models(const EndpointSpec& endpoint) const override {
        return root(endpoint).map([](const Address& a) { return ModelListRequest{a.at(a.base + "/v1/models")}; });
    }

private:
    static Result<Address> root(const EndpointSpec& endpoint) { return addressOf(endpoint, {kRoute}, {"/v1"}); }
};

} // namespace

const RequestForm& forms::sglangGenerate() {
    static const SglangGenerateForm form;
    return form;
}

} // namespace decodescope
