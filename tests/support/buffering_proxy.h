#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace decodescope::fault {

/// What a proxy does to an answer on its way. What the client says passes at once, and the end brings all that is held.
struct Holding {
    enum class Until : std::uint8_t {
        nothing,      ///< every read is sent on
        full,         ///< `bytes` have come together, and those alone are sent, as one piece
        clock,        ///< `time` has passed since the last time: all that came in it
        acknowledged, ///< as Nagle's algorithm with an acknowledgement that comes after `time`: what finds the way free
                      ///< goes at once, what comes after it waits
        end           ///< the server has closed
    };
    Until until = Until::nothing;
    std::size_t bytes = 0;
    std::chrono::nanoseconds time{};

    /// "nothing", "all", "bytes=4096", "ms=1000" or "nagle", as a command line gives it; absent: none of them.
    [[nodiscard]] static std::optional<Holding> fromWord(std::string_view word);
};

/// A proxy on 127.0.0.1 before a server of this machine: two sockets and a buffer, one thread a connection.
class BufferingProxy {
public:
    BufferingProxy(std::uint16_t upstreamPort, const Holding& holding);
    ~BufferingProxy();
    BufferingProxy(const BufferingProxy&) = delete;
    BufferingProxy& operator=(const BufferingProxy&) = delete;

    /// "http://127.0.0.1:PORT".
    [[nodiscard]] std::string url() const;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace decodescope::fault
