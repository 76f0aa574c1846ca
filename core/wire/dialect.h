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
    ErrorKind kind = ErrorKind::inStream; ///< or `blocked`, `loading`, ...: what it means for the run
};

/// How the body of a protocol's stream is cut into messages.
enum class MessageFraming : std::uint8_t {
    serverSentEvents,
    lines,    ///< NDJSON: one JSON text a line
    jsonArray ///< one JSON array whose elements arrive one after the other
};

/// How a protocol's messages hold text.
enum class TextForm : std::uint8_t {
    deltas,           ///< what is new; a message that repeats everything is caught and flagged
    perhapsCumulative ///< what is new or the whole text so far, as the server is set: the prefix test tells
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
    std::string keepalive; ///< news of work that produced no text yet: prompt progress, a ping
    /// The protocol's own end (message_stop, response.completed, done: true): what follows is data after the end.
    bool ended = false;
    std::vector<std::string_view> warnings; ///< names of cli.md (static text): sequence_gap, ...

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
    [[nodiscard]] virtual MessageFraming framing() const { return MessageFraming::serverSentEvents; }
    /// Whether the API also streams as a JSON array, so that a body which begins with a bracket is one.
    [[nodiscard]] virtual bool mayBeArray() const { return framing() == MessageFraming::jsonArray; }
    [[nodiscard]] virtual TextForm textForm() const { return TextForm::deltas; }
    /// Whether the stream says when it is over, by a terminator, `ended` or a finish reason. Without one (Triton) a
    /// clean end of the bytes is complete, and flagged `no_finish_in_protocol`.
    [[nodiscard]] virtual bool tellsItsEnd() const { return true; }
    /// Whether [DONE] is the protocol's own end, so that a missing one is worth a warning. In every other protocol a
    /// [DONE] that some proxy adds is counted and closes the stream, and proves nothing.
    [[nodiscard]] virtual bool endsWithDone() const { return false; }
};

/// Null for a protocol that this version does not decode.
[[nodiscard]] std::unique_ptr<Dialect> createDialect(std::string_view protocol);

} // namespace decodescope
