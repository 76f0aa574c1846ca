#include "engine/server/access_guard.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <sys/random.h>

namespace decodescope::engine {

namespace {

char lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

bool equalIgnoringCase(std::string_view a, std::string_view b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

/// The token of "Bearer TOKEN"; empty when the field has another form.
std::string_view bearerToken(std::string_view authorization) noexcept {
    constexpr std::string_view kScheme = "bearer ";
    if (!equalIgnoringCase(authorization.substr(0, kScheme.size()), kScheme))
        return {};
    authorization.remove_prefix(kScheme.size());
    while (!authorization.empty() && authorization.front() == ' ')
        authorization.remove_prefix(1);
    return authorization;
}

} // namespace

bool isLoopbackHost(std::string_view host) noexcept {
    const std::size_t nameEnd = host.starts_with('[') ? host.find(']') : host.find(':');
    std::string_view name = host;
    std::string_view rest;
    if (host.starts_with('[')) {
        if (nameEnd == std::string_view::npos)
            return false;
        name = host.substr(0, nameEnd + 1);
        rest = host.substr(nameEnd + 1);
    } else if (nameEnd != std::string_view::npos) {
        name = host.substr(0, nameEnd);
        rest = host.substr(nameEnd);
    }
    if (!rest.empty()) {
        const std::string_view port = rest.substr(1);
        if (rest[0] != ':' || port.empty() || port.size() > 5 ||
            !std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; }))
            return false;
    }
    return name == "127.0.0.1" || name == "[::1]" || equalIgnoringCase(name, "localhost");
}

bool equalInConstantTime(std::string_view a, std::string_view b) noexcept {
    if (a.size() != b.size())
        return false;
    volatile unsigned char difference = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        difference = difference | static_cast<unsigned char>(a[i] ^ b[i]);
    return difference == 0;
}

AccessGuard::AccessGuard(std::string token)
    : m_token(std::move(token)) {}

std::optional<HttpResponse> AccessGuard::refusal(const HttpHead& head, bool withoutToken) const {
    if (head.absoluteTarget)
        return errorResponse(400, "invalid_request_error", "This is no proxy: ask for a path, not for an address.");
    if (head.count("host") != 1)
        return errorResponse(400, "invalid_request_error", "A request needs exactly one Host field.");
    if (!isLoopbackHost(*head.field("host")))
        return errorResponse(403, "permission_error",
                             "The engine answers to 127.0.0.1 and localhost only; the Host field names another.");
    if (head.count("origin") != 0)
        return errorResponse(403, "permission_error",
                             "The engine does not answer web pages (the request has an "
                             "Origin field).");
    if (withoutToken || m_token.empty())
        return std::nullopt;
    const bool one = head.count("authorization") == 1;
    if (one && equalInConstantTime(bearerToken(*head.field("authorization")), m_token))
        return std::nullopt;
    return errorResponse(401, "authentication_error",
                         "The engine asks for the token it printed when it started: Authorization: Bearer TOKEN.");
}

Result<std::string> AccessGuard::freshToken() {
    std::array<unsigned char, 16> bytes{};
    std::size_t filled = 0;
    while (filled < bytes.size()) {
        const ssize_t got = getrandom(bytes.data() + filled, bytes.size() - filled, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return fail(ErrorCode::internal,
                        std::string("The system gives no random bytes for the access token: ") + std::strerror(errno));
        filled += static_cast<std::size_t>(got);
    }
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string token;
    for (const unsigned char byte : bytes) {
        token += kDigits[byte >> 4U];
        token += kDigits[byte & 0xFU];
    }
    return token;
}

} // namespace decodescope::engine
