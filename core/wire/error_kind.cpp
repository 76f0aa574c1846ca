#include "core/wire/error_kind.h"

#include <array>
#include <utility>

namespace decodescope {
namespace {

using Row = std::pair<ErrorKind, std::string_view>;
constexpr std::array kNames{
    Row{ErrorKind::none, ""},
    Row{ErrorKind::inStream, "in_stream"},
    Row{ErrorKind::truncated, "truncated"},
    Row{ErrorKind::connectionClosed, "connection_closed"},
    Row{ErrorKind::httpStatus, "http_status"},
    Row{ErrorKind::rateLimited, "rate_limited"},
    Row{ErrorKind::auth, "auth"},
    Row{ErrorKind::loading, "loading"},
    Row{ErrorKind::redirect, "redirect"},
    Row{ErrorKind::blocked, "blocked"},
    Row{ErrorKind::badContentType, "bad_content_type"},
    Row{ErrorKind::tooLarge, "too_large"},
    Row{ErrorKind::malformed, "malformed"},
    Row{ErrorKind::unreachable, "unreachable"},
    Row{ErrorKind::tls, "tls"},
    Row{ErrorKind::timeoutConnect, "timeout_connect"},
    Row{ErrorKind::timeoutFirstToken, "timeout_first_token"},
    Row{ErrorKind::timeoutIdle, "timeout_idle"},
    Row{ErrorKind::timeoutTotal, "timeout_total"},
    Row{ErrorKind::suspended, "suspended"},
    Row{ErrorKind::cancelled, "cancelled"},
};

} // namespace

std::string_view toString(ErrorKind kind) noexcept {
    for (const auto& [value, name] : kNames) {
        if (value == kind)
            return name;
    }
    return "";
}

std::optional<ErrorKind> errorKindFromString(std::string_view name) noexcept {
    for (const auto& [value, text] : kNames) {
        if (text == name)
            return value;
    }
    return std::nullopt;
}

} // namespace decodescope
