#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// HTTP/1.1 as the engine's own server speaks it: a request that was read whole, and an answer.
namespace decodescope::engine {

using HttpFields = std::vector<std::pair<std::string, std::string>>;

/// Request line and header fields. Names are lower case.
struct HttpHead {
    std::string method;
    std::string path;            ///< the target before '?'
    std::string query;           ///< after it
    bool absoluteTarget = false; ///< "GET http://host/path": a proxy's form
    HttpFields fields;

    [[nodiscard]] std::size_t count(std::string_view name) const noexcept;
    [[nodiscard]] std::optional<std::string_view> field(std::string_view name) const noexcept; ///< the first one
};

struct HttpRequest {
    HttpHead head;
    std::string body;
    std::int64_t receivedNs = 0; ///< CLOCK_MONOTONIC when the last byte had been read
};

struct HttpResponse {
    int status = 200;
    std::string body;
    std::string contentType = "application/json";
    HttpFields fields; ///< beside Content-Type, Content-Length and Connection
};

[[nodiscard]] std::string_view reasonPhrase(int status) noexcept;

/// `{"error":{"code","message","type"}}` with the status: the form that clients of this API know.
[[nodiscard]] HttpResponse errorResponse(int status, std::string_view type, std::string_view message);

/// The same object alone, for an error within a stream.
[[nodiscard]] std::string errorJson(int status, std::string_view type, std::string_view message);

} // namespace decodescope::engine
