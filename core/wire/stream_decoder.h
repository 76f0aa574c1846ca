#pragma once

#include "core/base/error.h"
#include "core/wire/byte_chunk.h"
#include "core/wire/stream_event.h"
#include "core/wire/wire_limits.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace decodescope {

/// How a response's bytes are framed.
enum class Framing {
    http,    ///< an HTTP/1.1 response from its status line on
    bodyOnly ///< a body without head: taken as 200 with the protocol's own content type
};

struct DecoderOptions {
    std::string protocol = "openai-chat";
    Framing framing = Framing::http;
    bool streamRequested = true; ///< false: a whole JSON answer is what was asked for
    bool thinkTags = false;      ///< split inline <think> text into reasoning
    bool cumulative = false;     ///< events carry the whole text so far
    std::string requestUrl;      ///< to make a Location absolute; may be empty
    WireLimits limits;
};

/// How the bytes ended, as the transport saw it.
struct TransportEnd {
    Instant at{};
    ErrorKind kind = ErrorKind::none; ///< none: the peer closed cleanly, or the file ended
    std::string message;              ///< our sentence for a person, when kind is not none
};

/// The road from bytes to events: HTTP framing, content coding, SSE or NDJSON, dialect. Pure and synchronous:
/// live runs, replays and `explain` all go through it, and the events (apart from stamps and read numbers) do
/// not depend on how the bytes were cut into reads. One decoder per response. Not thread-safe.
class StreamDecoder {
public:
    /// Fails with ErrorCode::usage for an unknown protocol; the message lists the known ones.
    [[nodiscard]] static Result<std::unique_ptr<StreamDecoder>> create(const DecoderOptions& options);
    virtual ~StreamDecoder() = default;

    /// Takes one read; appends what it completed to `out`. Never throws on any bytes.
    virtual void feed(const ByteChunk& chunk, std::vector<StreamEvent>& out) = 0;
    /// The bytes ended. Appends the rest and the one StreamEnd, unless that was already given.
    virtual void finish(const TransportEnd& end, std::vector<StreamEvent>& out) = 0;

    /// Whether the response is over by its own word ([DONE], an error answer read to its end, a limit passed):
    /// the client may close at once. StreamEnd comes with finish() in every case, so that bytes that arrive
    /// together with the terminator are still judged.
    [[nodiscard]] virtual bool complete() const noexcept = 0;
    /// A finish reason was seen and only the tail (usage, [DONE]) may follow: a client waits for it for a short
    /// grace only, and then calls finish() with the stamp of the last read.
    [[nodiscard]] virtual bool onlyTailExpected() const noexcept = 0;
    /// Whether the HTTP framing allows the connection to be used again.
    [[nodiscard]] virtual bool reusable() const noexcept = 0;
    /// Whether it never will.
    [[nodiscard]] virtual bool spent() const noexcept = 0;
    /// After finish(): bytes that still come, such as the last chunk. They count for reusable() and spent() alone.
    virtual void drain(std::string_view bytes) = 0;
};

/// Names of the protocols that this version decodes, for messages and completion.
[[nodiscard]] std::vector<std::string_view> knownProtocols();

} // namespace decodescope
