#include "core/source/requests/address.h"
#include "core/source/requests/fields.h"
#include "core/source/requests/forms.h"

#include <nlohmann/json.hpp>

namespace decodescope {
namespace {

constexpr std::string_view kStream = "/generate_stream";
constexpr std::string_view kWhole = "/generate";

/// Triton's generate extension with the names of TensorRT-LLM's ensemble.
class TritonForm final : public RequestForm {
public:
    [[nodiscard]] Result<Url> route(const EndpointSpec& endpoint, AnswerForm form) const override {
        auto address = addressOf(endpoint, {kStream, kWhole});
        if (!address)
            return tl::unexpected(address.error());
        std::string base = address->base;
        if (base.find("/models/") == std::string::npos) {
            if (endpoint.model.empty())
                return tl::unexpected(modelMissing("Triton"));
            base = root(base) + "/v2/models/" + pathPiece(endpoint.model);
        }
        return address->at(base + std::string(form == AnswerForm::stream ? kStream : kWhole));
    }

    void writeBody(const RunSpec& spec, nlohmann::ordered_json& body) const override {
        const SamplingSpec& sampling = spec.sampling;
        body["text_input"] = rawPrompt(spec);
        put(body, "max_tokens", sampling.maxTokens);
        put(body, "temperature", sampling.temperature);
        put(body, "random_seed", sampling.seed);
        putIgnoreEos(body, sampling);
        put(body, "reasoning_effort", sampling.reasoningEffort);
        body["stream"] = sampling.stream;
    }

    [[nodiscard]] Result<ModelListRequest> models(const EndpointSpec& endpoint) const override {
        return addressOf(endpoint, {kStream, kWhole}).map([](const Address& a) {
            return ModelListRequest{a.at(root(a.base) + "/v2/repository/index"), true};
        });
    }

private:
    static std::string root(const std::string& base) {
        const std::size_t models = base.find("/v2/models/");
        return models != std::string::npos ? base.substr(0, models) : without(without(base, "/v1"), "/v2");
    }
};

} // namespace

const RequestForm& forms::triton() {
    static const TritonForm form;
    return form;
}

} // namespace decodescope
