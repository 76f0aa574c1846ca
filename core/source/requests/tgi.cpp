#include "core/source/requests/address.h"
#include "core/source/requests/fields.h"
#include "core/source/requests/forms.h"

#include <nlohmann/json.hpp>

namespace decodescope {
namespace {

constexpr std::string_view kStream = "/generate_stream";
constexpr std::string_view kWhole = "/generate";

/// Text Generation Inference's own routes: one event a token. It serves one model and takes no name.
class TgiForm final : public RequestForm {
public:
    [[nodiscard]] Result<Url> route(const EndpointSpec& endpoint, AnswerForm form) const override {
        return root(endpoint).map([form](const Address& a) {
            return a.at(a.base + std::string(form == AnswerForm::stream ? kStream : kWhole));
        });
    }

    void writeBody(const RunSpec& spec, nlohmann::ordered_json& body) const override {
        const SamplingSpec& sampling = spec.sampling;
        body["inputs"] = rawPrompt(spec);
        nlohmann::ordered_json parameters = nlohmann::ordered_json::object();
        parameters["details"] = true; // the counts
        put(parameters, "max_new_tokens", sampling.maxTokens);
        if (sampling.temperature && *sampling.temperature == 0)
            parameters["do_sample"] = false; // this API takes no temperature of 0 and says "the likeliest" so
        else
            put(parameters, "temperature", sampling.temperature);
        put(parameters, "seed", sampling.seed);
        putIgnoreEos(parameters, sampling);
        put(parameters, "reasoning_effort", sampling.reasoningEffort);
        body["parameters"] = std::move(parameters);
    }

    [[nodiscard]] Result<ModelListRequest> models(const EndpointSpec& endpoint) const override {
        return root(endpoint).map([](const Address& a) { return ModelListRequest{a.at(a.base + "/info")}; });
    }

    [[nodiscard]] std::vector<std::string> readModels(JsonView answer) const override {
        const std::string_view id = answer["model_id"].text();
        return id.empty() ? RequestForm::readModels(answer) : std::vector<std::string>{std::string(id)};
    }

private:
    static Result<Address> root(const EndpointSpec& endpoint) {
        return addressOf(endpoint, {kStream, kWhole}, {"/v1"});
    }
};

} // namespace

const RequestForm& forms::tgi() {
    static const TgiForm form;
    return form;
}

} // namespace decodescope
