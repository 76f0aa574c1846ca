#pragma once

#include "core/source/request_form.h"
#include "core/source/requests/address.h"

#include <string_view>

namespace decodescope {

/// What the APIs of OpenAI and of all that follow them share: a versioned base, and the list of models beside the
/// route.
class OpenAiForm : public RequestForm {
public:
    /// `ending`: the API's own part of the path.
    explicit OpenAiForm(std::string_view ending)
        : m_ending(ending) {}
    [[nodiscard]] Result<Url> route(const EndpointSpec& endpoint, AnswerForm form) const override;
    [[nodiscard]] Result<ModelListRequest> models(const EndpointSpec& endpoint) const override;

private:
    [[nodiscard]] Result<Address> address(const EndpointSpec& endpoint) const;
    std::string_view m_ending;
};

/// The body of OpenAI's routes for plain generation, which differ in what is asked and what that is called.
void writeOpenAi(const RunSpec& spec, const char* name, nlohmann::ordered_json asked, nlohmann::ordered_json& body);

/// The fields of OpenAI's chat API, which others take over.
void writeOpenAiChat(const RunSpec& spec, nlohmann::ordered_json& body);

} // namespace decodescope
