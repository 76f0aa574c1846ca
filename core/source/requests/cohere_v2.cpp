#include "core/source/requests/address.h"
#include "core/source/requests/fields.h"
#include "core/source/requests/forms.h"

#include <nlohmann/json.hpp>

namespace decodescope {
namespace {

constexpr std::string_view kRoute = "/v2/chat";

/// Usage comes unasked in the last event.
class CohereV2Form final : public RequestForm {
public:
    [[nodiscard]] Result<Url> route(const EndpointSpec& endpoint, AnswerForm) const override {
        return root(endpoint).map([](const Address& a) { return a.at(a.base + std::string(kRoute)); });
    }

    void writeBody(const RunSpec& spec, nlohmann::ordered_json& body) const override {
        const SamplingSpec& sampling = spec.sampling;
        if (!spec.endpoint.model.empty())
            body["model"] = spec.endpoint.model;
        body["messages"] = chatMessages(spec);
        body["stream"] = sampling.stream;
        put(body, "max_tokens", sampling.maxTokens);
        put(body, "temperature", sampling.temperature);
        put(body, "seed", sampling.seed);
        putIgnoreEos(body, sampling);
        if (!sampling.reasoningEffort)
            return;
        const ThinkingBudget budget = thinkingBudget(*sampling.reasoningEffort);
        if (budget.off)
            body["thinking"] = {{"type", "disabled"}};
        else if (budget.tokens)
            body["thinking"] = {{"type", "enabled"}, {"token_budget", *budget.tokens}};
        else
            body["reasoning_effort"] = *sampling.reasoningEffort;
    }

    [[nodiscard]] Result<ModelListRequest> models(const EndpointSpec& endpoint) const override {
        return root(endpoint).map([](const Address& a) {
            const std::string query = withQuery(withQuery(a.query, "endpoint", "chat"), "page_size", "1000");
            return ModelListRequest{a.at(a.base + "/v1/models", query)};
        });
    }

private:
    static Result<Address> root(const EndpointSpec& endpoint) { return addressOf(endpoint, {kRoute}, {"/v1", "/v2"}); }
};

} // namespace

const RequestForm& forms::cohereV2() {
    static const CohereV2Form form;
    return form;
}

} // namespace decodescope
