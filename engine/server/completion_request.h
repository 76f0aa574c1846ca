#pragma once

#include "engine/base/error.h"
#include "engine/chat/chat_template.h"
#include "engine/scheduler/generation.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace decodescope::engine {

enum class CompletionApi : std::uint8_t { chat, completions };

/// What the model and the command line say where a request does not.
struct RequestDefaults {
    std::string model;            ///< its name
    std::uint32_t vocabulary = 0; ///< token ids are below it
    bool speculative = false;
};

/// A request of either API, every number checked. The prompt is not tokenised yet.
struct CompletionRequest {
    CompletionApi api = CompletionApi::chat;
    std::string model; ///< as the client named it, else the model's own
    bool stream = false;
    bool includeUsage = false;         ///< a last event with usage
    bool continuousUsage = false;      ///< usage in every event
    std::vector<ChatMessage> messages; ///< chat
    ChatOptions chatOptions;           ///< chat
    std::string promptText;            ///< completions, when promptIds is empty
    std::vector<TokenId> promptIds;    ///< completions
    GenerationRequest generation;      ///< without prompt and receivedNs
};

/// ErrorCode::usage with a sentence for the client. Members that no field is known for are ignored, as other servers
/// do; those that ask for what the engine cannot do (several choices, tools, response formats) are refused by name.
[[nodiscard]] Result<CompletionRequest> parseCompletionRequest(CompletionApi api, std::string_view body,
                                                               const RequestDefaults& defaults);

} // namespace decodescope::engine
