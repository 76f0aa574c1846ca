#include "core/source/address_guess.h"

#include "core/source/endpoint_preset.h"
#include "core/source/request_form.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>

namespace decodescope {
namespace {

/// What follows the user's own part of a host: ".openai.azure.com" of "https://RESOURCE.openai.azure.com". Empty where
/// the form has no such part.
std::string hostSuffix(const EndpointPreset& preset) {
    const std::size_t host = preset.urlForm.find("://");
    if (!preset.url.empty() || host == std::string::npos)
        return {};
    const auto begin = preset.urlForm.begin() + static_cast<std::ptrdiff_t>(host) + 3;
    const auto dot =
        std::find_if_not(begin, preset.urlForm.end(), [](unsigned char c) { return std::isupper(c) != 0; });
    if (dot == begin || dot == preset.urlForm.end() || *dot != '.')
        return {};
    return {dot, std::find(dot, preset.urlForm.end(), '/')};
}

/// Whether an address on this machine is of a preset by its port, and of that one alone.
bool hasPortToItself(const EndpointPreset& preset, const Url& url) {
    const auto usesPort = [&](const EndpointPreset& one) {
        const auto form = parseUrl(one.urlForm);
        return form && form->loopback() && form->port == url.port;
    };
    const auto& all = builtInPresets();
    return url.loopback() && usesPort(preset) && std::count_if(all.begin(), all.end(), usesPort) == 1;
}

bool standsAt(const EndpointPreset& preset, const Url& url) {
    if (const std::string suffix = hostSuffix(preset); !suffix.empty())
        return url.tls() && url.host.size() > suffix.size() && url.host.ends_with(suffix);
    const auto own = parseUrl(preset.url);
    if (!own)
        return false;
    if (own->loopback())
        return hasPortToItself(preset, url);
    return own->scheme == url.scheme && own->host == url.host && own->port == url.port;
}

/// The protocol whose full route an address already is.
std::optional<std::string> protocolOf(const EndpointSpec& told, const Url& url) {
    for (const std::string_view protocol : askedProtocols()) {
        EndpointSpec one = told;
        one.protocol = protocol;
        const auto route = completionUrl(one);
        if (route && route->target == url.target)
            return std::string(protocol);
    }
    return std::nullopt;
}

/// "/v1" is where servers with an API of their own answer to OpenAI's.
bool asksForOpenAi(const EndpointPreset& preset, const Url& url) {
    const auto endsInV1 = [](std::string_view target) { return target.ends_with("/v1") || target.ends_with("/v1/"); };
    return preset.speaks("openai-chat") && endsInV1(url.target) && !endsInV1(preset.url);
}

} // namespace

EndpointSpec understoodAddress(EndpointSpec told) {
    const auto url = parseUrl(told.url);
    if (!url)
        return told;
    std::optional<std::string> protocol = protocolOf(told, *url);
    for (const EndpointPreset& preset : builtInPresets()) {
        if (!standsAt(preset, *url) || (protocol && !preset.speaks(*protocol)))
            continue;
        if (!protocol && asksForOpenAi(preset, *url))
            protocol = "openai-chat";
        EndpointSpec wanted = told;
        if (protocol)
            wanted.protocol = *protocol;
        if (auto made = withPreset(std::move(wanted), preset.id, protocol.has_value()))
            return *std::move(made);
    }
    if (protocol)
        told.protocol = *std::move(protocol);
    return told;
}

} // namespace decodescope
