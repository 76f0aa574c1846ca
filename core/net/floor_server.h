#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <sys/types.h>
#include <vector>

namespace decodescope {

/// A server on loopback that tells the truth about itself: the text of each token that it sends is the instant of the
/// monotonic clock just before the send, in nanoseconds. It is a process of its own, so that neither its stamps nor its
/// pace depend on what the measuring process does. It speaks openai-chat; the model's name says how it is to send:
/// "floor interval_us=20000 tokens=150 offset_us=0 burst=1 burst_gap_us=1000". Every stream keeps to one time grid of
/// this machine's: with equal offsets all streams send at the same instants. Under TLS the instant is the one before
/// the token is encrypted.
class FloorServer {
public:
    enum class Wire : std::uint8_t { plain, tls };

    /// Starts it on so many ports. Fails with ErrorCode::internal where no process, port or certificate is to be had.
    [[nodiscard]] static Result<FloorServer> start(std::size_t ports = 1, Wire wire = Wire::plain);
    FloorServer(FloorServer&& other) noexcept;
    FloorServer& operator=(FloorServer&& other) noexcept;
    FloorServer(const FloorServer&) = delete;
    FloorServer& operator=(const FloorServer&) = delete;
    /// Ends the process.
    ~FloorServer();

    /// The root of the i-th port's API: "http://127.0.0.1:PORT", https under TLS.
    [[nodiscard]] const std::string& url(std::size_t port = 0) const { return m_urls[port % m_urls.size()]; }
    /// What to pin: the SHA-256 of the certificate that it made for itself. Empty without TLS.
    [[nodiscard]] const std::string& certificate() const { return m_certificate; }

private:
    FloorServer(pid_t process, int lifeline, std::vector<std::string> urls, std::string certificate);
    void end();

    pid_t m_process = -1;
    int m_lifeline = -1; // the server ends when this is closed, however we ended
    std::vector<std::string> m_urls;
    std::string m_certificate;
};

/// How one stream of a FloorServer is to send.
struct FloorPace {
    std::int64_t intervalUs = 20'000;
    std::int64_t tokens = 150;
    std::int64_t offsetUs = 0;   ///< behind the common grid
    std::int64_t burst = 1;      ///< tokens at each point of the grid
    std::int64_t burstGapUs = 0; ///< between them

    [[nodiscard]] std::string modelName() const;
    /// What a request asks for, within sane bounds; the defaults where it does not say.
    [[nodiscard]] static FloorPace fromRequest(const std::string& request);
    /// When the i-th token is to be sent, in nanoseconds, for a stream whose grid begins at `gridNs`.
    [[nodiscard]] std::int64_t dueNs(std::int64_t gridNs, std::int64_t token) const;
};

} // namespace decodescope
