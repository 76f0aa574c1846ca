#include "core/source/environment_endpoints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace decodescope {
namespace {

std::string trimmed(std::string text) {
    const auto isPadding = [](unsigned char c) { return std::isspace(c) != 0 || c == '"' || c == '\''; };
    text.erase(text.begin(), std::find_if_not(text.begin(), text.end(), isPadding));
    text.erase(std::find_if_not(text.rbegin(), text.rend(), isPadding).base(), text.end());
    return text;
}

/// The value of a variable; nullopt when there is none.
std::optional<std::string> valueOf(const std::string& variable, const Environment& environment) {
    std::string value = variable.empty() ? std::string() : environment(variable.c_str());
    return value.empty() ? std::nullopt : std::optional(std::move(value));
}

/// "https://host:443"; empty for what is no address.
std::string origin(const std::string& address) {
    const auto url = parseUrl(address);
    return url ? fmt::format("{}://{}:{}", url->scheme, url->host, url->port) : std::string();
}

/// Of the presets that share an address variable, the one that is meant by its value.
bool isMeant(const EndpointPreset& preset, const std::string& address) {
    const EndpointPreset* best = nullptr;
    for (const EndpointPreset& other : builtInPresets()) {
        if (other.urlVariable != preset.urlVariable)
            continue;
        if (!other.url.empty() && origin(other.url) == origin(address)) {
            best = &other;
            break;
        }
        if (best == nullptr)
            best = &other;
    }
    return best == &preset;
}

} // namespace

Environment processEnvironment() {
    return [](const char* variable) {
        const char* value = std::getenv(variable);
        return std::string(value != nullptr ? value : "");
    };
}

namespace {

Result<std::string> completedAddress(const std::string& value, const EndpointPreset& preset) {
    std::string text = trimmed(value);
    if (text.starts_with("//")) // an address without its scheme
        text.erase(0, 2);
    if (text.find("://") == std::string::npos) {
        // "0.0.0.0", ":11435", "::", "[::1]:11434", "box.lan/path"
        const std::size_t path = std::min(text.find_first_of("/?"), text.size());
        std::string host = text.substr(0, path);
        const std::string rest = text.substr(path);
        if (std::count(host.begin(), host.end(), ':') > 1 && host.front() != '[')
            host = '[' + host + ']';
        if (host.empty() || host.front() == ':')
            host.insert(0, "127.0.0.1");
        const std::size_t bracket = host.rfind(']');
        const bool portTold = host.find(':', bracket == std::string::npos ? 0 : bracket) != std::string::npos;
        // A server of one's own listens where it usually does, without TLS; others are asked over TLS.
        const auto usual = parseUrl(preset.url);
        const bool own = usual && !usual->tls();
        const auto plain = parseUrl("http://" + host);
        text = fmt::format("{}://{}", own || (plain && plain->loopback()) ? "http" : "https", host);
        if (!portTold && own)
            text += fmt::format(":{}", usual->port);
        text += rest;
    }
    const auto url = parseUrl(text);
    if (!url)
        return tl::unexpected(url.error());
    Url made = *url;
    if (made.host == "0.0.0.0")
        made.host = "127.0.0.1";
    else if (made.host == "::")
        made.host = "::1";
    else
        return text;
    text = made.text(false);
    if (made.target == "/")
        text.pop_back();
    return text;
}

} // namespace

std::string clientAddress(const std::string& value, const EndpointPreset& preset) {
    return completedAddress(value, preset).value_or(std::string());
}

Result<std::optional<std::string>> addressIn(const Environment& environment, const EndpointPreset& preset) {
    const auto value = valueOf(preset.urlVariable, environment);
    if (!value)
        return std::optional<std::string>();
    Result<std::string> address = completedAddress(*value, preset);
    if (!address)
        return fail(ErrorCode::usage, fmt::format("The environment variable {} holds no address that can be used. {}",
                                                  preset.urlVariable, address.error().message));
    return std::optional(*std::move(address));
}

std::vector<std::string> unusableAddressesIn(const Environment& environment) {
    std::vector<std::string> sentences;
    for (const EndpointPreset& preset : builtInPresets()) {
        const auto address = addressIn(environment, preset);
        if (!address && std::find(sentences.begin(), sentences.end(), address.error().message) == sentences.end())
            sentences.push_back(address.error().message);
    }
    return sentences;
}

std::vector<FoundEndpoint> endpointsIn(const Environment& environment) {
    std::vector<FoundEndpoint> found;
    for (const EndpointPreset& preset : builtInPresets()) {
        FoundEndpoint endpoint;
        const auto address = valueOf(preset.urlVariable, environment);
        std::string url = address ? clientAddress(*address, preset) : preset.url;
        if (address && (url.empty() || !isMeant(preset, url)))
            continue;
        if (address)
            endpoint.urlFrom = preset.urlVariable;
        for (const std::string& variable : preset.keyVariables) {
            if (endpoint.keyFrom.empty() && valueOf(variable, environment))
                endpoint.keyFrom = variable;
        }
        if (url.empty() || (endpoint.urlFrom.empty() && endpoint.keyFrom.empty()))
            continue;
        const bool known = std::any_of(found.begin(), found.end(),
                                       [&](const FoundEndpoint& other) { return other.endpoint.url == url; });
        if (known)
            continue;
        EndpointSpec spec;
        spec.url = std::move(url);
        if (!endpoint.keyFrom.empty())
            spec.key = {KeyReference::Kind::environment, endpoint.keyFrom};
        if (auto made = withPreset(std::move(spec), preset.id, false)) {
            endpoint.endpoint = *std::move(made);
            found.push_back(std::move(endpoint));
        }
    }
    return found;
}

std::optional<std::string> keyVariableFor(const EndpointPreset& preset, const std::string& url,
                                          const Environment& environment) {
    const auto address = valueOf(preset.urlVariable, environment);
    const std::string home = origin(address ? clientAddress(*address, preset) : preset.url);
    if (home.empty() || home != origin(url))
        return std::nullopt;
    for (const std::string& variable : preset.keyVariables) {
        if (valueOf(variable, environment))
            return variable;
    }
    return std::nullopt;
}

} // namespace decodescope
