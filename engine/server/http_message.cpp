#include "engine/server/http_message.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace decodescope::engine {

std::size_t HttpHead::count(std::string_view name) const noexcept {
    return static_cast<std::size_t>(
        std::count_if(fields.begin(), fields.end(), [&](const auto& f) { return f.first == name; }));
}

std::optional<std::string_view> HttpHead::field(std::string_view name) const noexcept {
    for (const auto& [key, value] : fields) {
        if (key == name)
            return value;
    }
    return std::nullopt;
}

std::string_view reasonPhrase(int status) noexcept {
    switch (status) {
    case 200:
        return "OK";
    case 400:
        return "Bad Request";
    case 401:
        return "Unauthorized";
    case 403:
        return "Forbidden";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    case 408:
        return "Request Timeout";
    case 413:
        return "Content Too Large";
    case 414:
        return "URI Too Long";
    case 429:
        return "Too Many Requests";
    case 431:
        return "Request Header Fields Too Large";
    case 500:
        return "Internal Server Error";
    case 503:
        return "Service Unavailable";
    default:
        return "Unknown";
    }
}

std::string errorJson(int status, std::string_view type, std::string_view message) {
    nlohmann::ordered_json error;
    error["error"]["code"] = status;
    error["error"]["message"] = message;
    error["error"]["type"] = type;
    return error.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

HttpResponse errorResponse(int status, std::string_view type, std::string_view message) {
    HttpResponse response;
    response.status = status;
    response.body = errorJson(status, type, message);
    if (status == 401)
        response.fields.emplace_back("WWW-Authenticate", "Bearer");
    return response;
}

} // namespace decodescope::engine
