#pragma once

#include "core/base/secret_masker.h"
#include "core/base/sleep_watch.h"
#include "core/net/deadlines.h"
#include "core/net/lag_probe.h"
#include "core/net/outlet.h"
#include "core/net/transport.h"
#include "core/source/run_spec.h"
#include "core/wire/plain_response.h"
#include "core/wire/stream_decoder.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace decodescope {

/// What one exchange needs, made ready on the session's thread so that the network thread only opens and sends.
struct ExchangePlan {
    TransportTarget target;
    std::string place;        ///< "host:port" for messages
    std::string origin;       ///< "http://host:port", as a proxy wants it
    std::string requestBytes; ///< holds the key; wiped once sent
    std::shared_ptr<const Secret> key;
    DecoderOptions decoder;
    Timeouts timeouts;
    SleepWatch sleep; ///< whether the machine slept since t0
};

/// One request and its response on one connection: the state machine between transport, decoder and mailbox.
/// Lives on the network thread.
class Exchange final : public TransportListener {
public:
    /// `lag` measures the thread that this lives on.
    Exchange(ExchangePlan plan, TransportFactory transports, LagProbe& lag, std::shared_ptr<Outlet> outlet);
    ~Exchange() override;

    void prepare();
    /// Sends, and does nothing else: lanes released together wait for each other's turn here. What there is to
    /// tell and to watch from then on follows with tellRelease().
    void release(Instant t0);
    /// To be called when every lane that is released at one instant has been. Harmless when called again.
    void tellRelease();
    void cancel(ErrorKind kind);

    void onConnected(Instant at) override;
    void onSent(Instant at) override;
    void onBytes(Instant at, std::string_view bytes) override;
    void onClosed(Instant at) override;
    void onFailed(Instant at, ErrorKind kind, std::string message) override;

private:
    void open();
    void tellConnected();
    void tellSent();
    /// A prepared connection went away before it was used. True when another one is being opened.
    bool reopen();
    void openAnew();
    /// Whether what an earlier run left open has ended since, as far as the kernel knows.
    [[nodiscard]] bool wentStale() const;
    /// "host:port", and the proxy in between.
    [[nodiscard]] std::string place() const;
    /// What is to be said of a request that got no answer.
    [[nodiscard]] std::string_view notSentAgain() const;
    /// Unpacks and masks one read and hands it on.
    void take(Instant at, std::string_view bytes);
    void deliver(Instant at, std::string_view masked);
    void look(std::size_t firstNew);
    /// Ends the run when the machine slept in between. True when it did.
    bool endedBySleep(Instant at);
    void expired(Deadline which);
    void milestone(Instant at, const Milestone& milestone);
    [[nodiscard]] std::optional<StampReport> stampReport() const;
    void end(Instant at, ErrorKind kind, std::string message);
    void leaveConnection(ErrorKind kind);
    void wipeRequest();
    void ask();
    void sendRequest();
    /// Where no connection came about, by which proxy it was to go is told all the same.
    void tellRoute(Instant at);
    /// The request as the way to the server wants it.
    void adaptRequest(const ConnectionFacts& facts);

    ExchangePlan m_plan;
    TransportFactory m_transports;
    LagProbe& m_lag;
    std::shared_ptr<Outlet> m_outlet;
    std::unique_ptr<LagProbe::Watch> m_runLag; // from the release on
    std::unique_ptr<Transport> m_transport;
    std::unique_ptr<StreamDecoder> m_decoder;
    std::optional<PlainResponse> m_plain; ///< with a key: it could hide in what is compressed
    SecretMasker m_masker;
    SecretMasker m_proxyMasker;
    Deadlines m_deadlines;
    std::vector<StreamEvent> m_events; // not posted yet
    Instant m_openedAt{};
    Instant m_connectedAt{};
    Instant m_lastRead{};
    std::optional<Instant> m_t0;
    std::optional<Instant> m_sentAt; ///< sent, and not told yet
    std::uint32_t m_reads = 0;
    bool m_joined = false; // a read brought several token events
    bool m_connected = false;
    bool m_told = false; ///< the release is
    bool m_warm = false;
    bool m_adapted = false; ///< the request is, to a proxy
    bool m_reopened = false;
    bool m_ended = false;
};

} // namespace decodescope
