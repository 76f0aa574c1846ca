#include "core/source/request.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cctype>
#include <cmath>

namespace decodescope {

namespace {

constexpr std::string_view kChatRoute = "/chat/completions";
constexpr std::string_view kCompletionsRoute = "/completions";

bool endsWith(std::string_view text, std::string_view end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// Whether a part of the path names a version of the API: "v1", "v4", "v1beta".
bool hasVersion(std::string_view path) {
    for (std::size_t at = path.find('/'); at != std::string_view::npos; at = path.find('/', at + 1)) {
        if (at + 2 < path.size() && path[at + 1] == 'v' && std::isdigit(static_cast<unsigned char>(path[at + 2])) != 0)
            return true;
    }
    return false;
}

/// The address taken apart into a base ("/v1" at its end) and the rest.
struct Route {
    Url url;
    std::string base;  ///< path up to the API's own part, without a slash at the end
    std::string query; ///< with its '?', or empty
};

Result<Route> routeOf(const EndpointSpec& endpoint) {
    const bool chat = endpoint.protocol == "openai-chat";
    if (!chat && endpoint.protocol != "openai-completions")
        return fail(ErrorCode::unsupported,
                    fmt::format("The protocol \"{}\" is not known. Known are openai-chat and openai-completions.",
                                endpoint.protocol));
    auto url = parseUrl(endpoint.url);
    if (!url)
        return tl::unexpected(url.error());
    Route route;
    route.url = std::move(*url);
    const std::size_t query = std::min(route.url.target.find('?'), route.url.target.size());
    route.query = route.url.target.substr(query);
    route.base = route.url.target.substr(0, query);
    while (!route.base.empty() && route.base.back() == '/')
        route.base.pop_back();
    const bool fullChat = endsWith(route.base, kChatRoute);
    const bool fullLegacy = !fullChat && endsWith(route.base, kCompletionsRoute);
    if ((fullChat && !chat) || (fullLegacy && chat))
        return fail(ErrorCode::usage,
                    fmt::format("The address ends in {} but the protocol is {}. Change one of the two.",
                                fullChat ? kChatRoute : kCompletionsRoute, endpoint.protocol));
    if (fullChat || fullLegacy)
        route.base.resize(route.base.size() - (fullChat ? kChatRoute : kCompletionsRoute).size());
    else if (!hasVersion(route.base))
        route.base += "/v1";
    return route;
}

} // namespace

Result<Url> completionUrl(const EndpointSpec& endpoint) {
    auto route = routeOf(endpoint);
    if (!route)
        return tl::unexpected(route.error());
    Url url = std::move(route->url);
    url.target = route->base;
    url.target += endpoint.protocol == "openai-chat" ? kChatRoute : kCompletionsRoute;
    url.target += route->query;
    return url;
}

Result<std::string> routeText(const RunSpec& spec) {
    if (spec.local && !spec.recorded)
        return "local:" + spec.local->path;
    auto url = completionUrl(spec.endpoint);
    // A recorded lane asks nobody, so that what was asked then need not be an address.
    if (!url && spec.recorded)
        return spec.endpoint.url;
    if (!url)
        return tl::unexpected(url.error());
    return url->text();
}

bool shareServer(const RunSpec& a, const RunSpec& b) {
    if (a.recorded || b.recorded)
        return false;
    if (a.local || b.local)
        return a.local == b.local;
    const auto urlA = completionUrl(a.endpoint);
    const auto urlB = completionUrl(b.endpoint);
    return urlA && urlB && urlA->authority() == urlB->authority();
}

Result<Url> modelsUrl(const EndpointSpec& endpoint) {
    auto route = routeOf(endpoint);
    if (!route)
        return tl::unexpected(route.error());
    Url url = std::move(route->url);
    url.target = route->base + "/models" + route->query;
    return url;
}

Result<std::string> requestBody(const RunSpec& spec) {
    const SamplingSpec& sampling = spec.sampling;
    if (sampling.temperature && !std::isfinite(*sampling.temperature))
        return fail(ErrorCode::usage, "The temperature must be a finite number.");
    nlohmann::ordered_json body = nlohmann::ordered_json::object();
    if (!spec.endpoint.model.empty())
        body["model"] = spec.endpoint.model;
    if (spec.endpoint.protocol == "openai-chat") {
        auto& messages = body["messages"] = nlohmann::ordered_json::array();
        if (!spec.system.empty())
            messages.push_back({{"role", "system"}, {"content", spec.system}});
        messages.push_back({{"role", "user"}, {"content", spec.prompt}});
    } else if (spec.endpoint.protocol == "openai-completions") {
        // Raw text has no roles; a system text is what stands before the prompt.
        body["prompt"] = spec.system.empty() ? spec.prompt : spec.system + "\n\n" + spec.prompt;
    } else {
        return fail(ErrorCode::unsupported,
                    fmt::format("The protocol \"{}\" is not known. Known are openai-chat and openai-completions.",
                                spec.endpoint.protocol));
    }
    body["stream"] = sampling.stream;
    if (sampling.stream)
        body["stream_options"] = {{"include_usage", true}};
    if (sampling.maxTokens)
        body["max_tokens"] = *sampling.maxTokens;
    if (sampling.temperature)
        body["temperature"] = *sampling.temperature;
    if (sampling.seed)
        body["seed"] = *sampling.seed;
    if (sampling.ignoreEos)
        body["ignore_eos"] = true;
    if (sampling.reasoningEffort)
        body["reasoning_effort"] = *sampling.reasoningEffort;
    if (spec.local) {
        body["cache_prompt"] = spec.local->prefixCache;
        body["speculative"] = spec.local->speculative ? "lookup" : "off";
    }
    return body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace decodescope
