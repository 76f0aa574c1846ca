#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// A loopback server that does exactly what a script says: any bytes at any time, and every kind of fault.
/// Raw POSIX sockets, one thread a connection, no Qt, so that it shares nothing with what it tests.
namespace decodescope::fault {

using Instant = std::chrono::time_point<std::chrono::steady_clock, std::chrono::nanoseconds>;

/// One request as it was received.
struct Request {
    int connection = 0; ///< number of the connection, from 0
    std::string head;   ///< request line and headers as sent, without the blank line
    std::string method;
    std::string target;
    std::map<std::string, std::string> headers; ///< names in lower case
    std::string body;
    Instant at{}; ///< when its last byte had been read
};

/// One send: stamped with CLOCK_MONOTONIC immediately before the system call.
struct SendStamp {
    int connection = 0;
    int index = 0; ///< number of the send on this connection, from 0
    Instant at{};
    std::size_t bytes = 0;
};

struct Step;
using Script = std::vector<Step>;

/// One thing to do on a connection. Made by the functions below.
struct Step {
    enum class Kind {
        readRequest,
        send,
        pause,
        pauseUntil,
        awaitClose,
        stall,
        choose,
        shutdownWrite,
        startTls,
        close,
        reset
    };
    Kind kind = Kind::close;
    std::string bytes;
    std::chrono::nanoseconds time{};
    std::function<Script(const Request&)> then;
};

/// Reads one whole request (head, and a body by Content-Length) and records it.
[[nodiscard]] Step readRequest();
/// One system call where the socket's buffer allows; TCP_NODELAY is on.
[[nodiscard]] Step send(std::string bytes);
[[nodiscard]] Step pause(std::chrono::nanoseconds time);
/// Sleeps until `sinceRequest` after the last request was read: a schedule without drift.
[[nodiscard]] Step pauseUntil(std::chrono::nanoseconds sinceRequest);
/// Reads and drops until the peer closes.
[[nodiscard]] Step awaitClose();
/// Keeps the connection open and silent until the server is destroyed or the peer closes.
[[nodiscard]] Step stall();
/// Goes on with the script that the last request asks for.
[[nodiscard]] Step choose(std::function<Script(const Request&)> then);
/// Sends FIN and keeps reading.
[[nodiscard]] Step shutdownWrite();
/// Shakes hands now: for TlsOptions::onDemand, as behind a proxy's consent.
[[nodiscard]] Step startTls();
/// An orderly close. Also what happens at the end of every script.
[[nodiscard]] Step close();
/// A TCP reset (SO_LINGER 0), which may destroy what the peer has not read yet.
[[nodiscard]] Step reset();

/// Several steps in a row.
[[nodiscard]] Script operator+(Script a, const Script& b);
/// Every byte by itself, `gap` apart.
[[nodiscard]] Script trickle(const std::string& bytes, std::chrono::nanoseconds gap);
/// One send each, the i-th at `first` + i * `interval` after the request.
[[nodiscard]] Script paced(const std::vector<std::string>& sends, std::chrono::nanoseconds first,
                           std::chrono::nanoseconds interval);
[[nodiscard]] Script repeated(const Script& script, int times);

/// How a server presents itself under TLS. Keys and certificates are made when the server starts.
struct TlsOptions {
    enum class Flaw {
        none,      ///< good for 127.0.0.1, ::1 and localhost; trusted only where certificatePem() is
        wrongHost, ///< names some.other.host alone
        expired,
        oldVersion, ///< speaks TLS 1.1 and older alone
        noGoodbye   ///< closes without close_notify
    };
    Flaw flaw = Flaw::none;
    bool ownAuthority =
        false;             ///< the certificate is signed by an authority made for it, and certificatePem() is that one
    bool onDemand = false; ///< in the clear until startTls()
    int maximumVersion = 13; ///< 12: TLS 1.2 alone
};

struct Options {
    std::optional<TlsOptions> tls;
    bool ipv6 = false;             ///< listen on ::1 instead of 127.0.0.1
    std::uint16_t port = 0;        ///< 0: any free one
    bool closeAfterAccept = false; ///< every connection is reset before a byte is read
};

class FaultServer {
public:
    /// Every connection follows `script`.
    explicit FaultServer(Script script, const Options& options = {});
    /// The i-th connection follows the i-th script; the last one serves all further connections.
    explicit FaultServer(std::vector<Script> scripts, const Options& options = {});
    ~FaultServer();
    FaultServer(const FaultServer&) = delete;
    FaultServer& operator=(const FaultServer&) = delete;

    [[nodiscard]] std::uint16_t port() const;
    /// "http://127.0.0.1:PORT" (https under TLS), without a slash at the end.
    [[nodiscard]] std::string url() const;
    /// The self-made certificate, to be trusted by a client. Empty without TLS.
    [[nodiscard]] std::string certificatePem() const;
    /// SHA-256 of the server's own certificate, "AB:CD:...". Empty without TLS.
    [[nodiscard]] std::string fingerprint() const;

    [[nodiscard]] std::vector<Request> requests() const;
    [[nodiscard]] std::vector<SendStamp> sendStamps() const;
    /// Connections accepted so far, and those whose script is over.
    [[nodiscard]] int connections() const;
    [[nodiscard]] int finishedConnections() const;
    /// Connections on which the peer's close or reset was seen.
    [[nodiscard]] int peerCloses() const;
    /// Polls until `condition` holds; false when `limit` passed first.
    [[nodiscard]] static bool waitFor(const std::function<bool()>& condition,
                                      std::chrono::milliseconds limit = std::chrono::seconds(10));

private:
    struct Private;
    std::unique_ptr<Private> d;
};

/// A port of 127.0.0.1 on which nothing listens (it was free a moment ago).
[[nodiscard]] std::uint16_t closedPort();

} // namespace decodescope::fault
