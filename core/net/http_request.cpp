#include "core/net/http_request.h"

#include "core/base/redaction.h"

#include <fmt/format.h>

#include <algorithm>

namespace decodescope {

std::string_view userAgent() noexcept {
    return "Decodescope/" DECODESCOPE_VERSION;
}

bool isHeaderSafe(std::string_view key) noexcept {
    return std::all_of(key.begin(), key.end(), [](char c) { return c > 0x20 && c < 0x7F; });
}

Result<void> checkKeyUse(const Url& url, const EndpointSpec& endpoint, const Secret* key) {
    if (key == nullptr || key->empty())
        return {};
    keepOutOfTexts(*key);
    if (!isHeaderSafe(key->revealForTransport()))
        return fail(ErrorCode::usage, "The key holds a space, a line break or another character that no key has. Check "
                                      "where it was copied from.");
    if (!url.tls() && !url.loopback() && !endpoint.allowPlainHttpWithKey)
        return fail(ErrorCode::usage,
                    fmt::format("The key would travel unencrypted to {}. Use https, or confirm plain http for this "
                                "endpoint.",
                                url.authority()));
    return {};
}

namespace {

/// Room enough that a head with its key is written once, and no copy of it stays behind.
constexpr std::size_t kHeadRoom = 20U << 10;

/// Everything of a head but its first and last lines.
Result<void> appendHead(std::string& out, const Url& url, const RequestHead& head, const Secret* key) {
    out += "Host: " + url.authority() + "\r\n";
    out += fmt::format("User-Agent: {}\r\n", userAgent());
    out += fmt::format("Accept: {}\r\n", head.accept);
    out += "Accept-Encoding: identity\r\n";
    for (const auto& [name, value] : head.fixed)
        out += fmt::format("{}: {}\r\n", name, value);
    if (key != nullptr && !key->empty() && head.auth != AuthHeader::none) {
        if (!isHeaderSafe(key->revealForTransport()))
            return fail(ErrorCode::usage, "The key holds characters that a header cannot carry.");
        out += fmt::format("{}: {}", headerName(head.auth), headerPrefix(head.auth));
        out += key->revealForTransport();
        out += "\r\n";
    }
    out += "Connection: keep-alive\r\n";
    return {};
}

} // namespace

Result<std::string> httpPost(const Url& url, const RequestHead& head, std::string_view body, const Secret* key) {
    std::string out;
    out.reserve(body.size() + url.target.size() + kHeadRoom);
    out += "POST " + url.target + " HTTP/1.1\r\n";
    if (const auto written = appendHead(out, url, head, key); !written)
        return tl::unexpected(written.error());
    out += fmt::format("Content-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.size());
    out += body;
    return out;
}

Result<std::string> httpGet(const Url& url, const RequestHead& head, const Secret* key) {
    std::string out;
    out.reserve(url.target.size() + kHeadRoom);
    out += "GET " + url.target + " HTTP/1.1\r\n";
    if (const auto written = appendHead(out, url, head, key); !written)
        return tl::unexpected(written.error());
    out += "\r\n";
    return out;
}

void addressToProxy(std::string& request, std::string_view origin, std::string_view authorization) {
    const std::size_t target = request.find(' ') + 1; // npos + 1 is 0: no request, and nothing worth to tell
    const std::size_t lineEnd = request.find("\r\n");
    if (target == 0 || lineEnd == std::string::npos || lineEnd < target)
        return;
    const std::string_view old = request;
    std::string out;
    out.reserve(request.size() + origin.size() + authorization.size() + 64);
    out.append(old.substr(0, target)).append(origin).append(old.substr(target, lineEnd + 2 - target));
    if (!authorization.empty())
        out.append("Proxy-Authorization: ").append(authorization).append("\r\n");
    out.append(old.substr(lineEnd + 2));
    std::fill(request.begin(), request.end(), '\0');
    request.swap(out);
}

} // namespace decodescope
