#include "core/source/requests/forms.h"
#include "core/source/requests/openai.h"

#include <nlohmann/json.hpp>

namespace decodescope {
namespace {

constexpr std::string_view kRoute = "/chat/completions";
constexpr std::string_view kDeployments = "/openai/deployments";
constexpr std::string_view kVersionName = "api-version";
/// The stable versions of the two parts of the API: asking a deployment, and listing what is deployed.
constexpr std::string_view kAskVersion = "2024-10-21";
constexpr std::string_view kListVersion = "2023-03-15-preview";

/// The deployment stands in the path and the version in the query; the newer /openai/v1 has neither.
class AzureChatForm final : public RequestForm {
public:
    [[nodiscard]] AuthHeader auth() const override { return AuthHeader::apiKey; }

    [[nodiscard]] Result<Url> route(const EndpointSpec& endpoint, AnswerForm) const override {
        auto address = addressOf(endpoint, {kRoute});
        if (!address)
            return tl::unexpected(address.error());
        std::string base = address->base;
        if (!address->full() && !isNew(base) && base.find(std::string(kDeployments) + '/') == std::string::npos) {
            if (endpoint.model.empty())
                return tl::unexpected(modelMissing("Azure's API (its deployment's name)"));
            base = root(base) + std::string(kDeployments) + '/' + pathPiece(endpoint.model);
        }
        std::string query = address->query;
        if (!isNew(base) && queryValue(query, kVersionName).empty())
            query = withQuery(query, kVersionName, kAskVersion);
        return address->at(base + std::string(kRoute), query);
    }

    void writeBody(const RunSpec& spec, nlohmann::ordered_json& body) const override { writeOpenAiChat(spec, body); }

    [[nodiscard]] Result<ModelListRequest> models(const EndpointSpec& endpoint) const override {
        auto address = addressOf(endpoint, {kRoute});
        if (!address)
            return tl::unexpected(address.error());
        if (isNew(address->base))
            return ModelListRequest{address->at(address->base + "/models")};
        return ModelListRequest{address->at(root(address->base) + std::string(kDeployments),
                                            withQuery(address->query, kVersionName, kListVersion))};
    }

private:
    static bool isNew(const std::string& base) { return base.ends_with("/openai/v1"); }
    /// What stands before "/openai".
    static std::string root(const std::string& base) {
        const std::size_t at = base.find("/openai");
        return at != std::string::npos ? base.substr(0, at) : without(base, "/v1");
    }
};

} // namespace

const RequestForm& forms::azureChat() {
    static const AzureChatForm form;
    return form;
}

} // namespace decodescope
