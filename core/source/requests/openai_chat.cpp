#include "core/source/requests/fields.h"
#include "core/source/requests/forms.h"
#include "core/source/requests/openai.h"

#include <nlohmann/json.hpp>

#include <utility>

namespace decodescope {

Result<Address> OpenAiForm::address(const EndpointSpec& endpoint) const {
    auto address = addressOf(endpoint, {m_ending});
    if (address && !address->full() && !namesVersion(address->base))
        address->base += "/v1";
    return address;
}

Result<Url> OpenAiForm::route(const EndpointSpec& endpoint, AnswerForm) const {
    return address(endpoint).map([this](const Address& a) { return a.at(a.base + std::string(m_ending)); });
}

Result<ModelListRequest> OpenAiForm::models(const EndpointSpec& endpoint) const {
    return address(endpoint).map([](const Address& a) { return ModelListRequest{a.at(a.base + "/models")}; });
}

void writeOpenAi(const RunSpec& spec, const char* name, nlohmann::ordered_json asked, nlohmann::ordered_json& body) {
    const SamplingSpec& sampling = spec.sampling;
    if (!spec.endpoint.model.empty())
        body["model"] = spec.endpoint.model;
    body[name] = std::move(asked);
    body["stream"] = sampling.stream;
    if (sampling.stream)
        body["stream_options"] = {{"include_usage", true}};
    put(body, "max_tokens", sampling.maxTokens);
    put(body, "temperature", sampling.temperature);
    put(body, "seed", sampling.seed);
    putIgnoreEos(body, sampling);
    put(body, "reasoning_effort", sampling.reasoningEffort);
}

void writeOpenAiChat(const RunSpec& spec, nlohmann::ordered_json& body) {
    writeOpenAi(spec, "messages", chatMessages(spec), body);
}

namespace {

class OpenAiChatForm final : public OpenAiForm {
public:
    OpenAiChatForm()
        : OpenAiForm("/chat/completions") {}
    void writeBody(const RunSpec& spec, nlohmann::ordered_json& body) const override { writeOpenAiChat(spec, body); }
};

} // namespace

const RequestForm& forms::openAiChat() {
    static const OpenAiChatForm form;
    return form;
}

} // namespace decodescope
