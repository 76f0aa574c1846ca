#include "core/source/requests/address.h"
#include "core/source/requests/fields.h"
#include "core/source/requests/forms.h"

#include <nlohmann/json.hpp>

namespace decodescope {
namespace {

constexpr std::string_view kRoute = "/completion";

/// llama.cpp's own route: raw text in, timings in the last event unasked.
class LlamaCppCompletionForm final : public RequestForm {
public:
    [[nodiscard]] Result<Url> route(const EndpointSpec& endpoint, AnswerForm) const override {
        return root(endpoint).map([](const Address& a) { return a.at(a.base + std::string(kRoute)); });
    }

    void writeBody(const RunSpec& spec, nlohmann::ordered_json& body) const override {
        const SamplingSpec& sampling = spec.sampling;
        if (!spec.endpoint.model.empty()) // a server with several models chooses by it, others ignore it
            body["model"] = spec.endpoint.model;
        body["prompt"] = rawPrompt(spec);
        body["stream"] = sampling.stream;
        put(body, "n_predict", sampling.maxTokens);
        put(body, "temperature", sampling.temperature);
        put(body, "seed", sampling.seed);
        putIgnoreEos(body, sampling);
        put(body, "reasoning_effort", sampling.reasoningEffort);
    }

    [[nodiscard]] Result<ModelListRequest> models(const EndpointSpec& endpoint) const override {
        return root(endpoint).map([](const Address& a) { return ModelListRequest{a.at(a.base + "/v1/models")}; });
    }

private:
    static Result<Address> root(const EndpointSpec& endpoint) { return addressOf(endpoint, {kRoute}, {"/v1"}); }
};

} // namespace

const RequestForm& forms::llamaCppCompletion() {
    static const LlamaCppCompletionForm form;
    return form;
}

} // namespace decodescope
