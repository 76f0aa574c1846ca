#include "core/net/proxy_choice.h"

#include "core/base/base64.h"

#include <QNetworkProxy>
#include <QNetworkProxyQuery>
#include <QUrl>
#include <fmt/format.h>

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>

namespace decodescope {

namespace {

constexpr std::uint16_t kDefaultPort = 1080; // curl's, for a proxy of any kind that has none

std::string lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

/// The variable's value, unless it is unset or empty.
std::optional<std::string> filled(const Variables& variables, const char* name) {
    auto value = variables(name);
    return value && !value->empty() ? value : std::nullopt;
}

std::optional<std::string> eitherCase(const Variables& variables, const char* lowerName, const char* upperName) {
    auto value = filled(variables, lowerName);
    return value ? value : filled(variables, upperName);
}

struct NamedValue {
    std::string name;
    std::string value;
};

std::optional<NamedValue> proxyVariable(bool tls, const Variables& variables) {
    if (tls) {
        if (auto value = eitherCase(variables, "https_proxy", "HTTPS_PROXY"))
            return NamedValue{"https_proxy", std::move(*value)};
    } else if (auto value = filled(variables, "http_proxy")) {
        return NamedValue{"http_proxy", std::move(*value)};
    } else if (auto upper = filled(variables, "HTTP_PROXY"); upper && !variables("REQUEST_METHOD")) {
        return NamedValue{"HTTP_PROXY", std::move(*upper)};
    }
    if (auto value = eitherCase(variables, "all_proxy", "ALL_PROXY"))
        return NamedValue{"all_proxy", std::move(*value)};
    return std::nullopt;
}

std::string percentDecoded(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned byte = 0;
        if (text[i] == '%' && i + 2 < text.size() &&
            std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16).ptr == text.data() + i + 3) {
            out += static_cast<char>(byte);
            i += 2;
        } else {
            out += text[i];
        }
    }
    return out;
}

std::optional<std::uint16_t> portIn(std::string_view digits) {
    unsigned port = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (error != std::errc() || end != digits.data() + digits.size() || port < 1 || port > 65535)
        return std::nullopt;
    return static_cast<std::uint16_t>(port);
}

struct HostPort {
    std::string host; ///< lower case, without brackets
    std::optional<std::uint16_t> port;
};

/// "host", "host:port", "[v6]", "[v6]:port" or a bare IPv6 address.
std::optional<HostPort> splitHostPort(std::string_view text) {
    HostPort out;
    std::string_view port;
    if (text.starts_with('[')) {
        const std::size_t close = text.find(']');
        if (close == std::string_view::npos)
            return std::nullopt;
        out.host = lower(text.substr(1, close - 1));
        text.remove_prefix(close + 1);
        if (!text.empty() && text.front() != ':')
            return std::nullopt;
        port = text.substr(std::min<std::size_t>(1, text.size()));
    } else if (const std::size_t colon = text.find(':');
               colon != std::string_view::npos && text.find(':', colon + 1) == std::string_view::npos) {
        out.host = lower(text.substr(0, colon));
        port = text.substr(colon + 1);
    } else {
        out.host = lower(text);
    }
    if (out.host.empty())
        return std::nullopt;
    if (!port.empty()) {
        out.port = portIn(port);
        if (!out.port)
            return std::nullopt;
    }
    return out;
}

bool isHostText(std::string_view host) {
    return std::all_of(host.begin(), host.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_' || c == ':' || c == '%';
    });
}

/// An address as 16 bytes, IPv4 in its mapped form.
struct Address {
    std::array<unsigned char, 16> bytes{};
    bool v4 = false;
};

std::optional<Address> addressIn(const std::string& text) {
    Address address;
    if (::inet_pton(AF_INET, text.c_str(), address.bytes.data() + 12) == 1) {
        address.bytes[10] = address.bytes[11] = 0xFF;
        address.v4 = true;
        return address;
    }
    if (::inet_pton(AF_INET6, text.c_str(), address.bytes.data()) == 1)
        return address;
    return std::nullopt;
}

bool inRange(const Address& address, const std::string& network, std::string_view bitsText) {
    const auto base = addressIn(network);
    unsigned bits = 0;
    const auto [end, error] = std::from_chars(bitsText.data(), bitsText.data() + bitsText.size(), bits);
    if (!base || base->v4 != address.v4 || error != std::errc() || end != bitsText.data() + bitsText.size() ||
        bits > (base->v4 ? 32U : 128U))
        return false;
    if (base->v4)
        bits += 96;
    for (unsigned bit = 0; bit < bits; ++bit) {
        const unsigned mask = 0x80U >> (bit % 8);
        if (((address.bytes[bit / 8] ^ base->bytes[bit / 8]) & mask) != 0)
            return false;
    }
    return true;
}

bool entryCovers(std::string_view entry, const std::string& host, const std::optional<Address>& address,
                 std::uint16_t port) {
    if (const std::size_t slash = entry.find('/'); slash != std::string_view::npos)
        return address && inRange(*address, std::string(entry.substr(0, slash)), entry.substr(slash + 1));
    const auto parts = splitHostPort(entry);
    if (!parts || (parts->port && *parts->port != port))
        return false;
    if (address) {
        const auto same = addressIn(parts->host);
        return same && same->bytes == address->bytes;
    }
    std::string_view name = parts->host;
    if (name.starts_with("*."))
        name.remove_prefix(1);
    if (name.starts_with('.'))
        name.remove_prefix(1);
    if (name.ends_with('.'))
        name.remove_suffix(1);
    if (name.empty() || !host.ends_with(name))
        return false;
    return host.size() == name.size() || host[host.size() - name.size() - 1] == '.';
}

Result<Proxy> parseProxy(const NamedValue& variable, bool tls) {
    const auto refuse = [&](std::string_view why) {
        return fail(ErrorCode::usage,
                    fmt::format("The proxy that {} names cannot be used: {} Write it as http://host:port.",
                                variable.name, why));
    };
    std::string_view text = variable.value;
    std::string scheme = "http";
    if (const std::size_t colon = text.find("://"); colon != std::string_view::npos) {
        scheme = lower(text.substr(0, colon));
        text.remove_prefix(colon + 3);
    }
    Proxy proxy;
    if (scheme == "http")
        proxy.kind = tls ? Proxy::Kind::tunnel : Proxy::Kind::forward;
    else if (scheme == "socks5" || scheme == "socks5h" || scheme == "socks")
        proxy.kind = Proxy::Kind::socks5;
    else if (scheme == "https")
        return refuse("a proxy that is itself spoken to over TLS (https://) is not supported.");
    else if (scheme == "socks4" || scheme == "socks4a")
        return refuse("SOCKS4 is not supported; SOCKS5 is.");
    else
        return refuse("only http:// and socks5:// proxies are supported.");
    text = text.substr(0, text.find_first_of("/?#"));
    if (const std::size_t at = text.rfind('@'); at != std::string_view::npos) {
        std::string login = percentDecoded(text.substr(0, at));
        if (login.find(':') == std::string::npos)
            login += ':';
        proxy.login = std::make_shared<const Secret>(std::move(login));
        text.remove_prefix(at + 1);
    }
    auto place = splitHostPort(text);
    if (!place || !isHostText(place->host))
        return refuse("its host or port cannot be read.");
    proxy.host = std::move(place->host);
    proxy.port = place->port.value_or(kDefaultPort);
    return proxy;
}

/// What the desktop has set, by Qt's look at it.
std::optional<Proxy> proxyOfDesktop(bool tls, const std::string& host, std::uint16_t port) {
    QUrl url;
    url.setScheme(tls ? QStringLiteral("https") : QStringLiteral("http"));
    url.setHost(QString::fromStdString(host));
    url.setPort(port);
    for (const QNetworkProxy& found :
         QNetworkProxyFactory::systemProxyForQuery(QNetworkProxyQuery(url, QNetworkProxyQuery::UrlRequest))) {
        if (found.type() == QNetworkProxy::NoProxy)
            return std::nullopt;
        if (found.type() != QNetworkProxy::HttpProxy && found.type() != QNetworkProxy::Socks5Proxy)
            continue;
        Proxy proxy;
        proxy.kind = found.type() == QNetworkProxy::Socks5Proxy ? Proxy::Kind::socks5
                     : tls                                      ? Proxy::Kind::tunnel
                                                                : Proxy::Kind::forward;
        proxy.host = found.hostName().toStdString();
        proxy.port = found.port();
        if (!found.user().isEmpty())
            proxy.login =
                std::make_shared<const Secret>(found.user().toStdString() + ":" + found.password().toStdString());
        return proxy;
    }
    return std::nullopt;
}

} // namespace

std::string Proxy::name() const {
    const bool v6 = host.find(':') != std::string::npos;
    return fmt::format("{}:{}", v6 ? "[" + host + "]" : host, port);
}

std::string Proxy::authorization() const {
    if (!login)
        return {};
    std::string value = "Basic ";
    appendBase64(value, login->revealForTransport());
    return value;
}

Variables processVariables() {
    return [](const char* name) -> std::optional<std::string> {
        const char* value = std::getenv(name);
        return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
    };
}

bool isExcepted(std::string_view list, std::string_view host, std::uint16_t port) {
    std::string name = lower(host);
    if (name.ends_with('.'))
        name.pop_back();
    const auto address = addressIn(name);
    constexpr std::string_view kSeparators = ", \t";
    while (!list.empty()) {
        const std::size_t begin = list.find_first_not_of(kSeparators);
        if (begin == std::string_view::npos)
            break;
        list.remove_prefix(begin);
        const std::string_view entry = list.substr(0, list.find_first_of(kSeparators));
        list.remove_prefix(entry.size());
        if (entry == "*" || entryCovers(entry, name, address, port))
            return true;
    }
    return false;
}

bool variablesNameProxies(const Variables& variables) {
    constexpr std::array kNames{"http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"};
    return std::any_of(kNames.begin(), kNames.end(),
                       [&](const char* name) { return filled(variables, name).has_value(); });
}

Result<std::optional<Proxy>> proxyFromVariables(bool tls, std::string_view host, std::uint16_t port,
                                                const Variables& variables) {
    const auto variable = proxyVariable(tls, variables);
    if (!variable || isExcepted(eitherCase(variables, "no_proxy", "NO_PROXY").value_or(std::string()), host, port))
        return std::nullopt;
    auto proxy = parseProxy(*variable, tls);
    if (!proxy)
        return tl::unexpected(proxy.error());
    return std::optional(std::move(*proxy));
}

Result<std::optional<Proxy>> chooseProxy(bool tls, const std::string& host, std::uint16_t port) {
    const Variables variables = processVariables();
    if (variablesNameProxies(variables))
        return proxyFromVariables(tls, host, port, variables);
    return proxyOfDesktop(tls, host, port);
}

} // namespace decodescope
