#include "core/source/requests/address.h"
#include "core/source/requests/fields.h"
#include "core/source/requests/forms.h"

#include <nlohmann/json.hpp>

namespace decodescope {
namespace {

constexpr std::string_view kRoute = "/messages";
/// The API wants a bound; this one cuts no ordinary answer short.
constexpr int kMostTokens = 4096;

class AnthropicForm final : public RequestForm {
public:
    [[nodiscard]] AuthHeader auth() const override { return AuthHeader::xApiKey; }
    [[nodiscard]] Headers headers() const override { return {{"anthropic-version", "2023-06-01"}}; }

    [[nodiscard]] Result<Url> route(const EndpointSpec& endpoint, AnswerForm) const override {
        return address(endpoint).map([](const Address& a) { return a.at(a.base + std::string(kRoute)); });
    }

    void writeBody(const RunSpec& spec, nlohmann::ordered_json& body) const override {
        const SamplingSpec& sampling = spec.sampling;
        if (!spec.endpoint.model.empty())
            body["model"] = spec.endpoint.model;
        body["max_tokens"] = sampling.maxTokens.value_or(kMostTokens);
        if (!spec.system.empty())
            body["system"] = spec.system;
        body["messages"] = nlohmann::ordered_json::array({{{"role", "user"}, {"content", spec.prompt}}});
        body["stream"] = sampling.stream;
        put(body, "temperature", sampling.temperature);
        put(body, "seed", sampling.seed);
        putIgnoreEos(body, sampling);
        if (sampling.reasoningEffort)
            writeThinking(sampling, body);
    }

    [[nodiscard]] Result<ModelListRequest> models(const EndpointSpec& endpoint) const override {
        return address(endpoint).map([](const Address& a) {
            return ModelListRequest{a.at(a.base + "/models", withQuery(a.query, "limit", "1000"))};
        });
    }

private:
    static Result<Address> address(const EndpointSpec& endpoint) {
        auto address = addressOf(endpoint, {kRoute});
        if (address && !address->full() && !namesVersion(address->base))
            address->base += "/v1";
        return address;
    }

    static void writeThinking(const SamplingSpec& sampling, nlohmann::ordered_json& body) {
        const ThinkingBudget budget = thinkingBudget(*sampling.reasoningEffort);
        if (budget.off) {
            body["thinking"] = {{"type", "disabled"}};
        } else if (budget.tokens) {
            body["thinking"] = {{"type", "enabled"}, {"budget_tokens", *budget.tokens}};
            if (!sampling.maxTokens) // the bound holds for thoughts and answer together
                body["max_tokens"] = kMostTokens + *budget.tokens;
        } else {
            body["output_config"] = {{"effort", *sampling.reasoningEffort}};
        }
    }
};

} // namespace

const RequestForm& forms::anthropic() {
    static const AnthropicForm form;
    return form;
}

} // namespace decodescope
