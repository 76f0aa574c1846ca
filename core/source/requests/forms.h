#pragma once

#include "core/source/request_form.h"

/// The one form of each API; each is defined in the file of its name.
namespace decodescope::forms {

[[nodiscard]] const RequestForm& openAiChat();
[[nodiscard]] const RequestForm& openAiCompletions();
[[nodiscard]] const RequestForm& openAiResponses();
[[nodiscard]] const RequestForm& azureChat();
[[nodiscard]] const RequestForm& anthropic();
[[nodiscard]] const RequestForm& geminiEvents();
[[nodiscard]] const RequestForm& geminiArray();
[[nodiscard]] const RequestForm& ollamaChat();
[[nodiscard]] const RequestForm& ollamaGenerate();
[[nodiscard]] const RequestForm& llamaCppCompletion();
[[nodiscard]] const RequestForm& sglangGenerate();
[[nodiscard]] const RequestForm& tgi();
[[nodiscard]] const RequestForm& triton();
[[nodiscard]] const RequestForm& cohereV2();

} // namespace decodescope::forms
