#pragma once

#include "core/base/error.h"
#include "core/source/run_spec.h"
#include "core/wire/stream_event.h"
#include "core/wire/wire_limits.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// From a RunSpec to the request that goes out: the route really used, what its head carries, and the JSON body. Which
/// API wants what is told in request_form.h, which vendor adds what in endpoint_preset.h.
namespace decodescope {

/// A URL taken apart. Userinfo is refused when parsed (keys do not belong in URLs).
struct Url {
    std::string scheme; ///< "http" or "https"
    std::string host;   ///< without brackets
    std::uint16_t port = 0;
    std::string target; ///< path and query, beginning with '/'

    [[nodiscard]] bool tls() const { return scheme == "https"; }
    /// Host is 127.0.0.0/8, ::1 or localhost.
    [[nodiscard]] bool loopback() const;
    /// "host:port" as the Host header wants it (default port left out, IPv6 in brackets).
    [[nodiscard]] std::string authority() const;
    /// The whole URL; query values are masked when `forDisplay`.
    [[nodiscard]] std::string text(bool forDisplay = true) const;
};

[[nodiscard]] Result<Url> parseUrl(std::string_view text);

/// In which header a key travels.
enum class AuthHeader : std::uint8_t {
    none,       ///< the endpoint takes no key
    bearer,     ///< Authorization: Bearer KEY
    xApiKey,    ///< x-api-key
    apiKey,     ///< api-key
    xGoogApiKey ///< x-goog-api-key
};
/// The header's name; empty for none.
[[nodiscard]] std::string_view headerName(AuthHeader header) noexcept;
/// What stands before the key in the header: "Bearer " or nothing.
[[nodiscard]] std::string_view headerPrefix(AuthHeader header) noexcept;

enum class AnswerForm : std::uint8_t { stream, whole };
[[nodiscard]] inline AnswerForm answerForm(const SamplingSpec& sampling) {
    return sampling.stream ? AnswerForm::stream : AnswerForm::whole;
}

/// The route for a protocol: "http://h:1", "http://h:1/v1" and the full route all give the full route.
[[nodiscard]] Result<Url> completionUrl(const EndpointSpec& endpoint, AnswerForm form = AnswerForm::stream);

/// What of a request's head depends on the API and the preset.
struct RequestHead {
    AuthHeader auth = AuthHeader::bearer;
    std::string accept = "application/json";
    Headers fixed; ///< never a key
};
[[nodiscard]] Result<RequestHead> requestHead(const EndpointSpec& endpoint, AnswerForm form = AnswerForm::stream);

/// What a run asks, for people and recordings: the route really used, without secrets; for a model on this machine its
/// file, as the port of its engine says nothing.
[[nodiscard]] Result<std::string> routeText(const RunSpec& spec);
/// Whether two runs were asked of one server, or of one model on this machine.
[[nodiscard]] bool sameServer(const RunSpec& a, const RunSpec& b);
/// Whether two runs are answered by one server, so that they slow each other down: a recorded one asks nobody.
[[nodiscard]] bool shareServer(const RunSpec& a, const RunSpec& b);

/// How an endpoint is asked for its models.
struct ModelQuery {
    Url url;
    bool post = false; ///< a POST of an empty object instead of a GET
    RequestHead head;
};
/// ErrorCode::unsupported: the endpoint has no list of models.
[[nodiscard]] Result<ModelQuery> modelQuery(const EndpointSpec& endpoint);
/// The models that an answer to modelQuery() lists, in the server's order; nothing when it is no JSON at all.
[[nodiscard]] std::optional<std::vector<std::string>> modelsIn(const EndpointSpec& endpoint, std::string_view answer);

/// The limits of this run's response: the usual ones, lowered where the run says so.
[[nodiscard]] WireLimits responseLimits(const RunSpec& spec);

/// The request body as JSON text. Holds no key. Asks for usage in the stream where the protocol has it; fields that
/// only a vendor knows are those of the endpoint's preset. A local model is asked for what only our engine knows, too.
[[nodiscard]] Result<std::string> requestBody(const RunSpec& spec);

/// Which fields of the request may be the reason why a server refuses it as malformed (400, 422): those that only some
/// servers know. If `said`, the server's words, names some of them, only those. A sentence for a person, or empty.
[[nodiscard]] std::string refusalHint(const RunSpec& spec, std::string_view said);

} // namespace decodescope
