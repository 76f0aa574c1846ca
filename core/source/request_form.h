#pragma once

#include "core/source/request.h"
#include "core/wire/json_reader.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

/// How each API wants to be asked. To add an API: one file in requests/, one line in request_form.cpp.
namespace decodescope {

/// How an API wants to be asked for its models.
struct ModelListRequest {
    Url url;
    bool post = false; ///< with an empty JSON object for a body
};

/// One API's way of being asked. Stateless; there is one of each.
class RequestForm {
public:
    virtual ~RequestForm() = default;

    /// The full route, whatever of it the endpoint's address holds.
    [[nodiscard]] virtual Result<Url> route(const EndpointSpec& endpoint, AnswerForm form) const = 0;
    /// Everything of the spec under the API's own names. What the API has no name for, and the user gave all the same,
    /// goes out under its common name: a server that refuses it says so, while a request that lacks it would be another
    /// one than the run card tells. Nothing else that is not needed.
    virtual void writeBody(const RunSpec& spec, nlohmann::ordered_json& body) const = 0;
    [[nodiscard]] virtual AuthHeader auth() const { return AuthHeader::bearer; }
    /// Headers that every request carries.
    [[nodiscard]] virtual Headers headers() const { return {}; }
    /// Where the models are listed. ErrorCode::unsupported: this API has no list.
    [[nodiscard]] virtual Result<ModelListRequest> models(const EndpointSpec& endpoint) const = 0;
    /// The ids in the server's order; empty when the answer holds no list.
    [[nodiscard]] virtual std::vector<std::string> readModels(JsonView answer) const;
    /// The values of `accept` that ask for a stream.
    [[nodiscard]] virtual std::string_view accepts() const { return "text/event-stream, application/json"; }
};

/// Null for a protocol that this version does not know.
[[nodiscard]] const RequestForm* requestForm(std::string_view protocol);
/// The same, or a sentence that lists the known ones (ErrorCode::unsupported).
[[nodiscard]] Result<const RequestForm*> knownRequestForm(std::string_view protocol);
/// All protocols that can be asked, in the order of cli.md.
[[nodiscard]] std::vector<std::string_view> askedProtocols();

} // namespace decodescope
