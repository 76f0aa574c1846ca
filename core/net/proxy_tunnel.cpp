#include "core/net/proxy_tunnel.h"

#include "core/net/http_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <utility>

namespace decodescope {

namespace {

/// A proxy's consent is a few lines; more is not one.
constexpr std::size_t kMaximumHeadBytes = 64U << 10;
constexpr std::size_t kMaximumReasonBytes = 80;
constexpr std::size_t kMaximumSocksText = 255;
constexpr char kSocks = 5;

std::string bracketed(const std::string& host, std::uint16_t port) {
    return fmt::format("{}:{}", host.find(':') != std::string::npos ? "[" + host + "]" : host, port);
}

std::string_view socksRefusal(unsigned char code) {
    constexpr std::array<std::string_view, 9> kWords{"",
                                                     "it failed within itself",
                                                     "its rules do not allow it",
                                                     "the network is unreachable",
                                                     "the host is unreachable",
                                                     "nothing is listening there",
                                                     "the way there is too long",
                                                     "it does not know the command",
                                                     "it does not know such addresses"};
    return code < kWords.size() ? kWords[code] : "for a reason that has no name";
}

/// A reason phrase fit for a sentence.
std::string shown(std::string_view reason) {
    std::string text;
    for (const char c : reason.substr(0, kMaximumReasonBytes))
        text += c >= 0x20 && c < 0x7F ? c : '?';
    return text;
}

} // namespace

std::string proxyWantsLogin(std::string_view proxyName, bool loginGiven) {
    if (loginGiven)
        return fmt::format("The proxy {} does not accept the login that its address holds (HTTP 407). Check the user "
                           "name and the password there; only Basic logins are supported.",
                           proxyName);
    return fmt::format("The proxy {} asks for a login (HTTP 407). Put it into the proxy's address, as in "
                       "http://user:password@host:port.",
                       proxyName);
}

ProxyTunnel::ProxyTunnel(Proxy proxy, std::string host, std::uint16_t port)
    : m_proxy(std::move(proxy))
    , m_host(std::move(host))
    , m_port(port)
    , m_step(m_proxy.kind == Proxy::Kind::socks5 ? Step::socksMethod : Step::httpHead) {}

std::string ProxyTunnel::start() {
    if (m_proxy.kind == Proxy::Kind::socks5)
        return m_proxy.login ? std::string{kSocks, 2, 0, 2} : std::string{kSocks, 1, 0};
    const std::string place = bracketed(m_host, m_port);
    std::string request = fmt::format("CONNECT {0} HTTP/1.1\r\nHost: {0}\r\nUser-Agent: {1}\r\n", place, userAgent());
    if (const std::string login = m_proxy.authorization(); !login.empty())
        request += "Proxy-Authorization: " + login + "\r\n";
    return request + "\r\n";
}

std::string ProxyTunnel::take(std::string_view bytes) {
    if (m_state != State::asking)
        return {};
    m_received += bytes;
    if (m_step != Step::httpHead)
        return readSocks();
    readHttpHead();
    return {};
}

void ProxyTunnel::readHttpHead() {
    const std::size_t end = m_received.find("\r\n\r\n");
    constexpr std::string_view kBegins = "HTTP/1.";
    const std::size_t known = std::min(m_received.size(), kBegins.size());
    if (std::string_view(m_received).substr(0, known) != kBegins.substr(0, known) ||
        (end == std::string::npos && m_received.size() > kMaximumHeadBytes))
        return fail(fmt::format("{} does not answer as an HTTP proxy. Check the proxy settings (http_proxy, "
                                "https_proxy, no_proxy).",
                                m_proxy.name()));
    if (end == std::string::npos)
        return;
    const std::string_view line = std::string_view(m_received).substr(0, m_received.find("\r\n"));
    const std::size_t space = line.find(' ');
    const std::string_view said = space == std::string_view::npos ? std::string_view() : line.substr(space + 1);
    if (said.starts_with('2')) {
        m_received.erase(0, end + 4);
        m_state = State::up;
        return;
    }
    if (said.starts_with("407"))
        return fail(proxyWantsLogin(m_proxy.name(), m_proxy.login != nullptr));
    fail(
        fmt::format("The proxy {} does not connect to {}: HTTP {}. Ask whoever runs the proxy, or take the host out by "
                    "no_proxy.",
                    m_proxy.name(), bracketed(m_host, m_port), shown(said)));
}

std::string ProxyTunnel::readSocks() {
    std::string out;
    bool more = true;
    while (more && m_state == State::asking)
        more = m_step == Step::socksReply ? readSocksReply() : readSocksChoice(out);
    return out;
}

/// Two bytes: which login the proxy wants, or whether it took ours. False when they are not there yet.
bool ProxyTunnel::readSocksChoice(std::string& out) {
    if (m_received.size() < 2)
        return false;
    const bool choosing = m_step == Step::socksMethod;
    const auto version = static_cast<unsigned char>(m_received[0]);
    const auto answer = static_cast<unsigned char>(m_received[1]);
    m_received.erase(0, 2);
    if (version != (choosing ? 5 : 1)) {
        failAsNoSocks();
    } else if (choosing && answer == 2 && m_proxy.login) {
        m_step = Step::socksLogin;
        out += socksLogin();
    } else if (answer == 0) {
        m_step = Step::socksReply;
        out += socksRequest();
    } else {
        fail(m_proxy.login
                 ? fmt::format("The SOCKS5 proxy {} does not accept the login that its address holds.", m_proxy.name())
                 : fmt::format("The SOCKS5 proxy {} asks for a login. Put it into the proxy's address, as in "
                               "socks5://user:password@host:port.",
                               m_proxy.name()));
    }
    return true;
}

/// The proxy's last word, behind which the host speaks. False when it is not whole yet.
bool ProxyTunnel::readSocksReply() {
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(m_received[i]); };
    if (m_received.size() < 5)
        return false;
    const std::size_t address = at(3) == 1 ? 4 : at(3) == 4 ? 16 : at(3) == 3 ? std::size_t{1} + at(4) : 0;
    if (at(0) != 5) {
        failAsNoSocks();
    } else if (at(1) != 0) {
        fail(fmt::format("The SOCKS5 proxy {} does not connect to {}: {}.", m_proxy.name(), bracketed(m_host, m_port),
                         socksRefusal(at(1))));
    } else if (address == 0) {
        failAsNoSocks();
    } else if (const std::size_t whole = 4 + address + 2; m_received.size() < whole) {
        return false;
    } else {
        m_received.erase(0, whole);
        m_state = State::up;
    }
    return true;
}

std::string ProxyTunnel::socksLogin() const {
    const std::string_view login = m_proxy.login->revealForTransport();
    const std::size_t colon = std::min(login.find(':'), login.size());
    const std::string_view user = login.substr(0, std::min(colon, kMaximumSocksText));
    const std::string_view password = login.substr(std::min(colon + 1, login.size())).substr(0, kMaximumSocksText);
    std::string out{1, static_cast<char>(user.size())};
    out += user;
    out += static_cast<char>(password.size());
    out += password;
    return out;
}

void ProxyTunnel::failAsNoSocks() {
    fail(fmt::format("{} does not answer as a SOCKS5 proxy. Check the proxy settings (all_proxy, no_proxy).",
                     m_proxy.name()));
}

std::string ProxyTunnel::socksRequest() const {
    std::string out{kSocks, 1, 0};
    std::array<char, sizeof(in6_addr)> address{};
    if (::inet_pton(AF_INET, m_host.c_str(), address.data()) == 1) {
        out += char{1};
        out.append(address.data(), 4);
    } else if (::inet_pton(AF_INET6, m_host.c_str(), address.data()) == 1) {
        out += char{4};
        out.append(address.data(), address.size());
    } else {
        const std::string_view name = std::string_view(m_host).substr(0, kMaximumSocksText);
        out += char{3};
        out += static_cast<char>(name.size());
        out += name;
    }
    out += static_cast<char>(m_port >> 8);
    out += static_cast<char>(m_port & 0xFF);
    return out;
}

void ProxyTunnel::fail(std::string sentence) {
    m_state = State::failed;
    m_trouble = std::move(sentence);
    m_received.clear();
}

} // namespace decodescope
