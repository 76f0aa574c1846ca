#include "core/source/requests/fields.h"
#include "core/source/requests/forms.h"
#include "core/source/requests/openai.h"

#include <nlohmann/json.hpp>

namespace decodescope {
namespace {

class OpenAiCompletionsForm final : public OpenAiForm {
public:
    OpenAiCompletionsForm()
        : OpenAiForm("/completions") {}

    void writeBody(const RunSpec& spec, nlohmann::ordered_json& body) const override {
        writeOpenAi(spec, "prompt", rawPrompt(spec), body);
    }
};

} // namespace

const RequestForm& forms::openAiCompletions() {
    static const OpenAiCompletionsForm form;
    return form;
}

} // namespace decodescope
