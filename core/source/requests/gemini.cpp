#include "core/source/requests/address.h"
#include "core/source/requests/fields.h"
#include "core/source/requests/forms.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace decodescope {
namespace {

constexpr std::string_view kStream = ":streamGenerateContent";
constexpr std::string_view kWhole = ":generateContent";

/// Google's Gemini. A stream comes as server-sent events or as one JSON array whose elements arrive one by one; the
/// address says which, and the rest is the same.
class GeminiForm final : public RequestForm {
public:
    enum class Streaming { events, array };
    explicit GeminiForm(Streaming streaming)
        : m_streaming(streaming) {}

    [[nodiscard]] AuthHeader auth() const override { return AuthHeader::xGoogApiKey; }

    [[nodiscard]] Result<Url> route(const EndpointSpec& endpoint, AnswerForm form) const override {
        auto address = addressOf(endpoint, {kStream, kWhole});
        if (!address)
            return tl::unexpected(address.error());
        if (!queryValue(address->query, "key").empty())
            return fail(ErrorCode::usage, "A key does not belong in the address: give it by itself, it then travels "
                                          "in the header x-goog-api-key.");
        std::string base = address->base;
        if (!namesModel(base)) {
            if (endpoint.model.empty())
                return tl::unexpected(modelMissing("Gemini's API"));
            base = versioned(base) + '/' + modelPath(endpoint.model);
        }
        const bool stream = form == AnswerForm::stream;
        const bool events = stream && m_streaming == Streaming::events;
        return address->at(base + std::string(stream ? kStream : kWhole),
                           withQuery(address->query, "alt", events ? "sse" : ""));
    }

    void writeBody(const RunSpec& spec, nlohmann::ordered_json& body) const override {
        using Json = nlohmann::ordered_json;
        const auto parts = [](const std::string& text) { return Json::array({{{"text", text}}}); };
        if (!spec.system.empty())
            body["systemInstruction"] = {{"parts", parts(spec.system)}};
        Json turn = Json::object();
        turn["role"] = "user";
        turn["parts"] = parts(spec.prompt);
        body["contents"] = Json::array({turn});
        Json settings = Json::object();
        const SamplingSpec& sampling = spec.sampling;
        put(settings, "maxOutputTokens", sampling.maxTokens);
        put(settings, "temperature", sampling.temperature);
        put(settings, "seed", sampling.seed);
        if (sampling.reasoningEffort)
            settings["thinkingConfig"] = thinking(*sampling.reasoningEffort);
        if (!settings.empty())
            body["generationConfig"] = std::move(settings);
        putIgnoreEos(body, sampling);
    }

    [[nodiscard]] Result<ModelListRequest> models(const EndpointSpec& endpoint) const override {
        auto address = addressOf(endpoint, {kStream, kWhole});
        if (!address)
            return tl::unexpected(address.error());
        std::string base = address->base;
        if (namesModel(base))
            base.resize(base.rfind("/models/"));
        return ModelListRequest{address->at(versioned(base) + "/models",
                                            withQuery(withQuery(address->query, "alt", ""), "pageSize", "1000"))};
    }

    [[nodiscard]] std::vector<std::string> readModels(JsonView answer) const override {
        std::vector<std::string> names;
        for (const JsonView model : answer["models"]) {
            std::string_view name = model["name"].text();
            if (const std::string_view folder = "models/"; name.starts_with(folder))
                name.remove_prefix(folder.size());
            // Embedding models and the like are in the list, too.
            bool generates = !model["supportedGenerationMethods"];
            for (const JsonView method : model["supportedGenerationMethods"])
                generates = generates || method.text() == "generateContent";
            if (generates && !name.empty())
                names.emplace_back(name);
        }
        return names;
    }

    [[nodiscard]] std::string_view accepts() const override {
        return m_streaming == Streaming::events ? RequestForm::accepts() : "application/json";
    }

private:
    static bool namesModel(const std::string& base) { return base.find("/models/") != std::string::npos; }
    static std::string versioned(const std::string& base) { return namesVersion(base) ? base : base + "/v1beta"; }
    static std::string modelPath(const std::string& model) {
        for (const std::string_view folder : {"models/", "tunedModels/"}) {
            if (model.starts_with(folder))
                return std::string(folder) + pathPiece(model.substr(folder.size()));
        }
        return "models/" + pathPiece(model);
    }
    static nlohmann::ordered_json thinking(const std::string& effort) {
        const bool isNumber = std::all_of(effort.begin(), effort.end(), [](char c) { return c >= '0' && c <= '9'; });
        const ThinkingBudget budget = thinkingBudget(effort);
        if (budget.off)
            return {{"thinkingBudget", 0}};
        if (isNumber && budget.tokens)
            return {{"thinkingBudget", *budget.tokens}};
        return {{"thinkingLevel", effort}};
    }

    Streaming m_streaming;
};

} // namespace

const RequestForm& forms::geminiEvents() {
    static const GeminiForm form(GeminiForm::Streaming::events);
    return form;
}

const RequestForm& forms::geminiArray() {
    static const GeminiForm form(GeminiForm::Streaming::array);
    return form;
}

} // namespace decodescope
