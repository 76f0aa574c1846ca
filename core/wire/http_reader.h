#pragma once

#include "core/wire/stream_event.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace decodescope {

/// Takes what HttpReader finds. The views are valid during the call only.
class HttpSink {
public:
    virtual ~HttpSink() = default;
    /// The final response's head; interim (1xx) heads are not told.
    virtual void onHttpHead(const ResponseHead& head, std::string_view reason) = 0;
    /// A piece of the body, its transfer coding removed.
    virtual void onHttpBody(std::string_view bytes) = 0;
    /// The body is whole, by Content-Length or the last chunk.
    virtual void onHttpEnd() = 0;
};

/// One HTTP/1.1 response, read as its bytes come. The body of a response without length ends with the connection.
class HttpReader {
public:
    enum class Status {
        open,
        done,     ///< the body is whole; bytes that follow belong to nobody
        tooLarge, ///< the head, or the frame of a chunk, is longer than allowed
        malformed
    };

    HttpReader(HttpSink& sink, std::size_t maxHeadBytes);
    ~HttpReader();
    HttpReader(const HttpReader&) = delete;
    HttpReader& operator=(const HttpReader&) = delete;

    Status feed(std::string_view bytes);
    /// The connection closed. True if that is a proper end of the response (which onHttpEnd tells then, unless it had
    /// been told), false if it cut the head or the body.
    [[nodiscard]] bool finish();

    /// After done: whether another request may be sent on the connection.
    [[nodiscard]] bool reusable() const noexcept;
    /// Whether reusable() can never become true, whatever comes.
    [[nodiscard]] bool spent() const noexcept;
    /// After malformed: what is wrong, for a bug report.
    [[nodiscard]] const std::string& problem() const noexcept;

private:
    class Parser;
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace decodescope
