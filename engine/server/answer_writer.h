#pragma once

#include "engine/server/completion_request.h"
#include "engine/server/engine_card.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace decodescope::engine {

class Tokenizer;

/// What all events of one answer have in common.
struct AnswerIdentity {
    std::string id;              ///< "chatcmpl-..." or "cmpl-..."
    std::int64_t created = 0;    ///< seconds since 1970
    std::int64_t receivedNs = 0; ///< when the request had been read
};

/// Turns generation events into what the client of either API expects: server-sent events one by one, or one object
/// at the end. Golden forms are in its test. One thread.
class AnswerWriter {
public:
    /// `tokenizer` and `card` outlive it.
    AnswerWriter(const CompletionRequest& request, AnswerIdentity identity, const Tokenizer& tokenizer,
                 const EngineCard& card);
    ~AnswerWriter();

    /// The server-sent events of one generation event, each to be written by itself. `prompt` as the scheduler gives
    /// it. With the finish come the finish chunk, the usage chunk if asked for, and [DONE]; with a failure the error
    /// alone.
    [[nodiscard]] std::vector<std::string> stream(const GenerationEvent& event, const PromptFacts* prompt);
    /// Takes the event in for whole().
    void keep(const GenerationEvent& event, const PromptFacts* prompt);
    /// The answer of a request that did not ask for a stream, after the last event.
    [[nodiscard]] std::string whole() const;

    [[nodiscard]] std::uint64_t completionTokens() const noexcept;

private:
    struct Inside;
    std::unique_ptr<Inside> m_inside;
};

/// An error within a stream: nothing comes after it.
[[nodiscard]] std::string streamError(int status, std::string_view type, std::string_view message);

} // namespace decodescope::engine
