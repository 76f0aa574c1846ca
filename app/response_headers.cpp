#include "app/response_headers.h"

#include <algorithm>
#include <array>

namespace decodescope {

namespace {

constexpr std::array<std::string_view, 21> kNamed = {
    "age",
    "apim-request-id",
    "azureml-model-deployment",
    "azureml-model-session",
    "cf-cache-status",
    "cf-ray",
    "content-encoding",
    "content-type",
    "date",
    "llm_provider-x-request-id",
    "nvcf-reqid",
    "nvcf-status",
    "openai-model",
    "openai-processing-ms",
    "openai-version",
    "request-id",
    "retry-after",
    "retry-after-ms",
    "server",
    "server-timing",
    "via",
};
constexpr std::array<std::string_view, 3> kFamilies = {"x-ratelimit-", "anthropic-ratelimit-", "fireworks-"};
/// Words that mark what must not be repeated, whatever the rest of the name says.
constexpr std::array<std::string_view, 14> kPrivate = {"account", "auth",      "cookie", "credential", "csrf",
                                                       "jwt",     "key",       "nonce",  "password",   "secret",
                                                       "session", "signature", "token",  "user"};

} // namespace

bool isReportedHeader(std::string_view name) {
    const auto begins = [name](std::string_view family) { return name.substr(0, family.size()) == family; };
    if (std::find(kNamed.begin(), kNamed.end(), name) != kNamed.end() ||
        std::any_of(kFamilies.begin(), kFamilies.end(), begins))
        return true;
    const auto holds = [name](std::string_view word) { return name.find(word) != std::string_view::npos; };
    return begins("x-") && std::none_of(kPrivate.begin(), kPrivate.end(), holds);
}

Headers reportedHeaders(const Headers& headers) {
    Headers reported;
    for (const auto& [name, value] : headers) {
        if (!isReportedHeader(name))
            continue;
        const auto known =
            std::find_if(reported.begin(), reported.end(), [&n = name](const auto& h) { return h.first == n; });
        if (known == reported.end())
            reported.emplace_back(name, value);
        else
            known->second += ", " + value;
    }
    return reported;
}

} // namespace decodescope
