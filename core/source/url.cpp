#include "core/base/redaction.h"
#include "core/base/visible_text.h"
#include "core/source/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cctype>

namespace decodescope {

namespace {

std::string lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

bool isHostCharacter(unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '.' || c == '_';
}

/// The address as far as it may be shown: what stands before '@' or behind '?' or '#' may be a secret, and all of it
/// may be a key in the wrong place.
std::string shown(std::string_view text) {
    std::string out;
    if (const std::size_t at = text.rfind('@'); at != std::string_view::npos) {
        out = "...";
        text.remove_prefix(at);
    }
    return out + visibleText(withoutLikelyKeys(text.substr(0, text.find_first_of("?#"))), LineBreaks::asSpaces);
}

tl::unexpected<Error> bad(std::string_view text, std::string_view why) {
    return fail(ErrorCode::usage, fmt::format("The address \"{}\" cannot be used: {}", shown(text), why));
}

/// A path and query fit for a request line: bytes outside visible ASCII are percent-encoded.
std::string encodeTarget(std::string_view target) {
    std::string out;
    for (const char c : target) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte <= 0x20 || byte >= 0x7F || c == '"' || c == '<' || c == '>')
            out += fmt::format("%{:02X}", byte);
        else
            out += c;
    }
    return out;
}

bool parsePort(std::string_view digits, std::uint16_t& port) {
    if (digits.empty() || digits.size() > 5)
        return false;
    unsigned value = 0;
    for (const char c : digits) {
        if (c < '0' || c > '9')
            return false;
        value = value * 10 + static_cast<unsigned>(c - '0');
    }
    port = static_cast<std::uint16_t>(value);
    return value >= 1 && value <= 65535;
}

bool isIpv6(const std::string& host) {
    in6_addr ignored{};
    return ::inet_pton(AF_INET6, host.c_str(), &ignored) == 1;
}

} // namespace

bool Url::loopback() const {
    in_addr v4{};
    if (::inet_pton(AF_INET, host.c_str(), &v4) == 1)
        return (ntohl(v4.s_addr) >> 24) == 127;
    in6_addr v6{};
    if (::inet_pton(AF_INET6, host.c_str(), &v6) == 1)
        return IN6_IS_ADDR_LOOPBACK(&v6);
    return host == "localhost" || host == "localhost.";
}

std::string Url::authority() const {
    std::string out = host.find(':') != std::string::npos ? "[" + host + "]" : host;
    if (port != (tls() ? 443 : 80))
        out += ":" + std::to_string(port);
    return out;
}

std::string Url::text(bool forDisplay) const {
    const std::string origin = scheme + "://" + authority();
    const std::size_t query = target.find('?');
    if (!forDisplay || query == std::string::npos)
        return origin + target;
    return origin + target.substr(0, query + 1) + queryWithoutSecrets(std::string_view(target).substr(query + 1));
}

Result<Url> parseUrl(std::string_view text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0)
        text.remove_prefix(1);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0)
        text.remove_suffix(1);
    if (text.empty())
        return fail(ErrorCode::usage, "No address was given. Type one such as http://127.0.0.1:8080.");

    Url url;
    const std::size_t colon = text.find("://");
    if (colon == std::string_view::npos)
        return bad(text, "it needs http:// or https:// before the host.");
    url.scheme = lower(text.substr(0, colon));
    if (url.scheme != "http" && url.scheme != "https")
        return bad(text, "only http and https are supported.");
    std::string_view rest = text.substr(colon + 3);
    const std::size_t end = std::min(rest.find_first_of("/?#"), rest.size());
    std::string_view authority = rest.substr(0, end);
    rest.remove_prefix(end);
    rest = rest.substr(0, rest.find('#'));

    if (authority.find('@') != std::string_view::npos)
        return bad(text, "user names and keys do not belong in an address. Give the key by itself.");
    std::string_view portText;
    bool portGiven = false;
    if (!authority.empty() && authority.front() == '[') {
        const std::size_t close = authority.find(']');
        if (close == std::string_view::npos)
            return bad(text, "the bracket of the IPv6 address is not closed.");
        url.host = lower(authority.substr(1, close - 1));
        if (!isIpv6(url.host))
            return bad(text, "what stands in brackets is no IPv6 address.");
        authority.remove_prefix(close + 1);
        portGiven = !authority.empty();
        if (portGiven && authority.front() != ':')
            return bad(text, "a colon and a port may follow the IPv6 address.");
        portText = authority.substr(portGiven ? 1 : 0);
    } else {
        const std::size_t split = authority.find(':');
        portGiven = split != std::string_view::npos;
        url.host = lower(authority.substr(0, split));
        if (portGiven)
            portText = authority.substr(split + 1);
        if (url.host.empty())
            return bad(text, "the host is missing.");
        if (!std::all_of(url.host.begin(), url.host.end(), [](unsigned char c) { return isHostCharacter(c); }))
            return bad(text, "the host has characters that a host name cannot have (write international names in "
                             "their xn-- form).");
    }
    url.port = url.tls() ? 443 : 80;
    if (portGiven && !parsePort(portText, url.port))
        return bad(text, "the port must be a number from 1 to 65535.");
    url.target = encodeTarget(rest);
    if (url.target.empty() || url.target.front() != '/')
        url.target.insert(url.target.begin(), '/');
    return url;
}

} // namespace decodescope
