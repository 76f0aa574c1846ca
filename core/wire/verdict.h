#pragma once

#include "core/wire/message_reader.h"
#include "core/wire/stream_decoder.h"
#include "core/wire/stream_event.h"

#include <string>
#include <string_view>

namespace decodescope {

/// What is known of a response beside its messages when its bytes have ended.
struct ResponseFacts {
    bool framed = true; ///< an HTTP response; false: a bare body
    bool anyBytes = false;
    bool headDone = false;
    int status = 0;
    std::string reason;
    Headers headers;
    std::string requestUrl;
    bool bodyEnded = false; ///< by itself, or because the bytes ended
    bool cleanEnd = false;  ///< and not in the middle of its framing or compression
    bool whole = false;     ///< one JSON answer instead of a stream
    bool refused = false;   ///< HTML and other bodies that are no stream, under 200; failureMessage says what
    ErrorKind failure = ErrorKind::none; ///< a limit passed, damage: reading had to stop
    std::string failureMessage;
};

/// How the stream ended, by cli.md's table: a status over all, then an error inside the stream, then what stopped us,
/// then how the bytes ended. `keptBody`: the body of an error answer.
[[nodiscard]] StreamEnd judge(const ResponseFacts& facts, const TransportEnd& end, const MessageReader& reader,
                              std::string_view keptBody);

} // namespace decodescope
