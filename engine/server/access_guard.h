#pragma once

#include "engine/base/error.h"
#include "engine/server/http_message.h"

#include <optional>
#include <string>
#include <string_view>

namespace decodescope::engine {

/// Who may ask: programs on this machine that know the token of this start, and no web page. A page can reach
/// loopback, but cannot leave out its Origin; after DNS rebinding it names its own host.
class AccessGuard {
public:
    /// An empty token: none is asked for.
    explicit AccessGuard(std::string token);

    /// The refusal, judged by the head alone: 400 (no Host or two, a proxy's request form), 403 (Host, Origin),
    /// 401 (token). `withoutToken`: the route answers without one.
    [[nodiscard]] std::optional<HttpResponse> refusal(const HttpHead& head, bool withoutToken) const;

    [[nodiscard]] const std::string& token() const noexcept { return m_token; }

    /// 128 random bits as 32 hexadecimal digits.
    [[nodiscard]] static Result<std::string> freshToken();

private:
    std::string m_token;
};

/// Whether a Host field names this machine's loopback: 127.0.0.1, localhost or [::1], with any port or none.
[[nodiscard]] bool isLoopbackHost(std::string_view host) noexcept;

/// Equality in time that depends on the lengths alone.
[[nodiscard]] bool equalInConstantTime(std::string_view a, std::string_view b) noexcept;

} // namespace decodescope::engine
