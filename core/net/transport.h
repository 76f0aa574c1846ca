#pragma once

#include "core/base/clock.h"
#include "core/net/proxy_choice.h"
#include "core/source/run_spec.h"
#include "core/source/token_source.h"
#include "core/wire/error_kind.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace decodescope {

/// Where to connect, and what to trust there.
struct TransportTarget {
    std::string host;
    std::uint16_t port = 0;
    bool tls = false;
    bool loopback = false;      ///< never through a proxy
    std::optional<Proxy> proxy; ///< to go through; what opens the connection has chosen it
    /// Authorities trusted beside (or, with `systemAuthorities` false, instead of) the system's. PEM; may be null.
    std::shared_ptr<const std::string> authoritiesPem;
    bool systemAuthorities = true;
    std::string trustTrouble; ///< why the authorities that were named are fewer; part of the words when trust fails
    bool allowInvalidTls = false;
    std::string pinnedCertificate; ///< SHA-256 "AB:CD:..." of a certificate trusted beside them; empty: none
    ConnectionUse connection = ConnectionUse::fresh;
};

/// What is known of a connection. While it opens: since when, by which proxy, and what it waits for; the rest once it
/// is up.
struct ConnectionFacts {
    Instant begun{};       ///< of the opening, once whom to trust and which way to go was known: that is our own time
    std::string lookingUp; ///< the name whose address is being looked up; empty: none
    bool warm = false;     ///< an earlier run had used it
    Duration tlsTook{};
    std::string tlsVersion;  ///< "TLSv1.3"; empty without TLS
    std::string certificate; ///< SHA-256 of the peer's certificate, "AB:CD:..."; empty without TLS
    bool unverified = false; ///< under TLS, but any certificate is taken here
    std::string proxy;       ///< "host:port"; empty: direct
    /// The proxy that takes the request itself, whose head must then be written for it (forwardedHead()).
    std::optional<Proxy> forwarder;
    std::string peer; ///< "192.0.2.7:443", the address that answered
};

/// Told what happens on a connection, on the network thread. None of these is called after Transport::close(),
/// and none after onClosed() or onFailed(). A listener may close or destroy the transport from within them.
class TransportListener {
public:
    virtual ~TransportListener() = default;
    /// TCP, and TLS where asked for, are up.
    virtual void onConnected(Instant at) = 0;
    /// The last byte of what was given to send() left.
    virtual void onSent(Instant at) = 0;
    /// One read, stamped right after it and before anything looked at the bytes.
    virtual void onBytes(Instant at, std::string_view bytes) = 0;
    /// The peer ended the stream in good order.
    virtual void onClosed(Instant at) = 0;
    /// No connection, or it broke. `message` is a sentence for a person: what, where, what to try.
    virtual void onFailed(Instant at, ErrorKind kind, std::string message) = 0;
};

/// What is left of an answer whose run is over.
enum class TailState : std::uint8_t {
    more,  ///< its framing is not at its end
    whole, ///< the connection may be used again
    never  ///< it may not
};
/// Reads on in such an answer, as far as its framing goes. Asked with no bytes at first.
using ResponseTail = std::function<TailState(std::string_view bytes)>;

/// One connection: the seam below which sockets live. Whatever speaks HTTP above it knows bytes and stamps
/// alone. Used on the network thread only; opened once.
class Transport {
public:
    virtual ~Transport() = default;
    virtual void open(const TransportTarget& target, TransportListener& listener) = 0;
    /// Queues bytes behind those that have not left yet and writes what the kernel takes at once.
    virtual void send(std::string_view bytes) = 0;
    /// Ends the connection now; the listener hears nothing more.
    virtual void close() = 0;
    /// Ends this listener's use of the connection, which may serve another run once `tail` says that the answer is
    /// whole. Where connections are not kept, the same as close().
    virtual void release([[maybe_unused]] ResponseTail tail) { close(); }
    /// Which clock stamps the reads.
    [[nodiscard]] virtual ClockSource clockSource() const = 0;
    /// A run begins on the open connection, whatever came before: what stampReport() tells begins anew.
    virtual void beginAnew() {}
    /// Whether the open connection is whole and silent, as far as this machine's kernel knows by now.
    [[nodiscard]] virtual bool idle() const { return true; }
    [[nodiscard]] virtual ConnectionFacts facts() const { return {}; }
    /// How well the reads so far were stamped.
    [[nodiscard]] virtual StampReport stampReport() const { return {clockSource(), {}, 0, 0, {}}; }
};

using TransportFactory = std::function<std::unique_ptr<Transport>()>;

} // namespace decodescope
