#include "core/source/requests/address.h"
#include "core/source/requests/fields.h"
#include "core/source/requests/forms.h"

#include <nlohmann/json.hpp>

namespace decodescope {
namespace {

/// Ollama's own two routes. Counts and durations come unasked in the last line.
class OllamaForm final : public RequestForm {
public:
    enum class Kind { chat, generate };
    explicit OllamaForm(Kind kind)
        : m_kind(kind) {}

    [[nodiscard]] Result<Url> route(const EndpointSpec& endpoint, AnswerForm) const override {
        return root(endpoint).map([this](const Address& a) { return a.at(a.base + std::string(ending())); });
    }

    void writeBody(const RunSpec& spec, nlohmann::ordered_json& body) const override {
        const SamplingSpec& sampling = spec.sampling;
        if (!spec.endpoint.model.empty())
            body["model"] = spec.endpoint.model;
        if (m_kind == Kind::chat) {
            body["messages"] = chatMessages(spec);
        } else {
            body["prompt"] = spec.prompt;
            if (!spec.system.empty())
                body["system"] = spec.system;
        }
        body["stream"] = sampling.stream; // true unless told otherwise
        nlohmann::ordered_json options = nlohmann::ordered_json::object();
        put(options, "num_predict", sampling.maxTokens);
        put(options, "temperature", sampling.temperature);
        put(options, "seed", sampling.seed);
        if (!options.empty())
            body["options"] = std::move(options);
        putIgnoreEos(body, sampling);
        if (sampling.reasoningEffort)
            body["think"] = think(*sampling.reasoningEffort);
    }

    [[nodiscard]] Result<ModelListRequest> models(const EndpointSpec& endpoint) const override {
        return root(endpoint).map([](const Address& a) { return ModelListRequest{a.at(a.base + "/api/tags")}; });
    }

    [[nodiscard]] std::string_view accepts() const override { return "application/x-ndjson, application/json"; }

private:
    [[nodiscard]] std::string_view ending() const { return m_kind == Kind::chat ? "/api/chat" : "/api/generate"; }
    [[nodiscard]] Result<Address> root(const EndpointSpec& endpoint) const {
        return addressOf(endpoint, {ending()}, {"/v1", "/api"});
    }
    /// A switch, or a level for models that have several.
    static nlohmann::ordered_json think(const std::string& effort) {
        if (thinkingBudget(effort).off)
            return false;
        if (effort == "on" || effort == "true")
            return true;
        return effort;
    }

    Kind m_kind;
};

} // namespace

const RequestForm& forms::ollamaChat() {
    static const OllamaForm form(OllamaForm::Kind::chat);
    return form;
}

const RequestForm& forms::ollamaGenerate() {
    static const OllamaForm form(OllamaForm::Kind::generate);
    return form;
}

} // namespace decodescope
