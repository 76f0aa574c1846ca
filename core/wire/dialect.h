#pragma once

#include "core/wire/json_reader.h"
#include "core/wire/stream_event.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What one API's messages mean. To add an API: one class here, one line in dialect_registry.cpp.
namespace decodescope {

/// A generated piece as the message holds it. `text` is WTF-8 (surrogates.h) and lives as long as the message.
struct RawFragment {
    Channel channel = Channel::answer;
    std::uint16_t choice = 0;
    std::string_view text;
    std::uint16_t toolCall = 0;
    bool isToolName = false;
};

/// What a server said went wrong.
struct ServerError {
    std::string message;
    std::string code; ///< its code, else its type, without quotes; may be empty
    bool codeIsNumber = false;
};

/// What one message says. Filled by a dialect, emptied by its reader, so that its memory serves for all messages.
struct MessageContent {
    std::vector<RawFragment> fragments;
    TokenHints hints;
    std::vector<ToolCallOpened> opened;
    std::optional<UsageReport> usage;
    std::optional<ServerTimings> timings;
    ServerIdentity identity;
    std::vector<FinishReported> finishes;
    std::optional<ServerError> error;
    std::vector<std::uint16_t> choices; ///< that the message speaks of
    /// What our own engine tells: the step goes before the text that it brought.
    std::shared_ptr<const EngineFacts> engine;
    std::optional<EnginePrompt> enginePrompt;
    std::optional<EngineStep> engineStep;
    std::string keepalive; ///< news of work that produced no text yet: prompt progress

    void clear();
    /// Adds a piece unless it is empty.
    void add(Channel channel, std::uint16_t choice, std::string_view text);
};

/// One API's way of saying things. Keeps what it must remember between the messages of one response.
class Dialect {
public:
    virtual ~Dialect() = default;

    /// Reads one message of a stream.
    virtual void readMessage(JsonView message, MessageContent& out) = 0;
    /// Reads an answer that came whole instead of as a stream. False if it is no answer of this API.
    [[nodiscard]] virtual bool readWholeAnswer(JsonView answer, MessageContent& out) = 0;
    /// Whether the data of an event (trimmed) is the protocol's end.
    [[nodiscard]] virtual bool isTerminator(std::string_view data) const = 0;
};

/// Null for a protocol that this version does not decode.
[[nodiscard]] std::unique_ptr<Dialect> createDialect(std::string_view protocol);

} // namespace decodescope
