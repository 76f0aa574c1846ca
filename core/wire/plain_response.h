#pragma once

#include "core/wire/content_coding.h"
#include "core/wire/http_reader.h"
#include "core/wire/wire_limits.h"

#include <memory>
#include <string>
#include <string_view>

namespace decodescope {

/// Undoes a compression that nobody asked for before a key is looked for in the bytes, and before they are kept: inside
/// gzip no key can be found, yet it is there. What is not compressed passes as it came, but for the head, which waits
/// until it is whole. A compressed response comes out as the same head without the coding, and a chunked body with one
/// chunk for each piece, so that every read still gives what it completed, and a cut body is still seen to be cut.
class PlainResponse final : private HttpSink {
public:
    enum class Status { open, tooLarge, corrupt };

    explicit PlainResponse(const WireLimits& limits);
    ~PlainResponse() override;

    /// Takes one read; appends what may be handed on to `out`.
    Status feed(std::string_view bytes, std::string& out);
    /// The bytes ended, in good order or not: a head that never became whole is handed on as it is.
    enum class Ending { orderly, cut };
    void finish(Ending ending, std::string& out);

private:
    enum class Place { head, passing, unpacking };
    void takeHead(std::string& out);
    void handOnHead(std::string& out);
    Status unpack(std::string_view bytes, std::string& out);
    void onHttpHead(const ResponseHead& head, std::string_view reason) override;
    void onHttpBody(std::string_view bytes) override;
    void onHttpEnd() override;

    WireLimits m_limits;
    Place m_place = Place::head;
    std::string m_head; ///< read so far
    std::unique_ptr<HttpReader> m_reader;
    std::unique_ptr<Inflater> m_inflater;
    std::string* m_out = nullptr; ///< while feed() runs
    Status m_status = Status::open;
};

} // namespace decodescope
