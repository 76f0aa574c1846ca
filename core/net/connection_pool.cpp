#include "core/net/connection_pool.h"

#include <QTimer>

#include <algorithm>
#include <chrono>
#include <list>
#include <optional>
#include <utility>

namespace decodescope {

namespace {

/// Servers give up idle connections after 5 s (uvicorn) to 75 s (nginx).
constexpr std::chrono::seconds kIdleLimit{60};
/// For what is left of an answer whose run is over: the last chunk, mostly.
constexpr std::chrono::seconds kTailLimit{5};
constexpr std::size_t kMostKept = 64;

Instant stampNow() {
    return std::chrono::steady_clock::now();
}

bool sameProxy(const std::optional<Proxy>& a, const std::optional<Proxy>& b) {
    if (!a || !b)
        return a.has_value() == b.has_value();
    const bool sameLogin = a->login && b->login ? a->login->equals(*b->login) : a->login == b->login;
    return a->kind == b->kind && a->host == b->host && a->port == b->port && sameLogin;
}

/// Whether a connection that was opened for one target may serve the other.
bool sameRoad(const TransportTarget& a, const TransportTarget& b) {
    const bool sameAuthorities = a.authoritiesPem && b.authoritiesPem ? *a.authoritiesPem == *b.authoritiesPem
                                                                      : a.authoritiesPem == b.authoritiesPem;
    return a.host == b.host && a.port == b.port && a.tls == b.tls && a.systemAuthorities == b.systemAuthorities &&
           a.allowInvalidTls == b.allowInvalidTls && a.pinnedCertificate == b.pinnedCertificate && sameAuthorities &&
           sameProxy(a.proxy, b.proxy);
}

class Pool;

/// One open connection: it belongs to a run, or to the pool while it is idle or reads the tail of an answer.
class Line final : public TransportListener {
public:
    Line(std::weak_ptr<Pool> pool, TransportTarget to, std::unique_ptr<Transport> connection)
        : target(std::move(to))
        , transport(std::move(connection))
        , m_pool(std::move(pool)) {}

    void onConnected(Instant at) override {
        if (user != nullptr)
            user->onConnected(at);
    }
    void onSent(Instant at) override {
        if (user != nullptr)
            user->onSent(at);
    }
    void onBytes(Instant at, std::string_view bytes) override;
    void onClosed(Instant at) override;
    void onFailed(Instant at, ErrorKind kind, std::string message) override;

    TransportTarget target;
    std::unique_ptr<Transport> transport;
    TransportListener* user = nullptr; ///< null: the pool's
    ResponseTail tail;                 ///< what it reads before it is idle
    Instant until{};                   ///< how long the pool keeps it
    bool warm = false;                 ///< an earlier run had used it
    bool answered = false;             ///< the present run has had bytes

private:
    /// The server had given up what it kept for this target.
    void tellStale();

    std::weak_ptr<Pool> m_pool;
};

/// What is kept between runs. Network thread only.
class Pool final : public std::enable_shared_from_this<Pool> {
public:
    /// Null when there is none.
    std::unique_ptr<Line> take(const TransportTarget& target) {
        sweep();
        const auto found = std::find_if(m_lines.rbegin(), m_lines.rend(), [&](const auto& line) {
            return !line->tail && sameRoad(line->target, target) && line->transport->idle();
        });
        if (found == m_lines.rend())
            return nullptr;
        std::unique_ptr<Line> line = std::move(*found);
        m_lines.erase(std::next(found).base());
        line->warm = true;
        line->answered = false;
        return line;
    }

    void keep(std::unique_ptr<Line> line, ResponseTail tail) {
        sweep();
        line->user = nullptr;
        const TailState state = tail({});
        const bool whole = state == TailState::whole;
        if (state == TailState::never)
            return line->transport->close();
        if (!whole)
            line->tail = std::move(tail);
        line->until = stampNow() + (whole ? kIdleLimit : kTailLimit);
        if (m_lines.size() >= kMostKept)
            m_lines.pop_front();
        m_lines.push_back(std::move(line));
        watch();
    }

    void idleNow(Line& line) {
        line.tail = nullptr;
        line.until = stampNow() + kIdleLimit;
    }
    /// The line ends, whose own call this may be.
    void drop(const Line* line) {
        m_lines.remove_if([&](const auto& kept) { return kept.get() == line; });
    }
    void dropSame(const TransportTarget& target) {
        m_lines.remove_if([&](const auto& kept) { return sameRoad(kept->target, target); });
    }
    void end() {
        m_lines.clear();
        m_timer.reset();
    }

private:
    void sweep() {
        const Instant now = stampNow();
        m_lines.remove_if([&](const auto& line) { return line->until <= now; });
    }
    /// Lines are let go when their time is over, not only when somebody looks.
    void watch() {
        if (!m_timer) {
            m_timer = std::make_unique<QTimer>();
            m_timer->callOnTimeout([this] {
                sweep();
                if (m_lines.empty())
                    m_timer->stop();
            });
        }
        if (!m_timer->isActive())
            m_timer->start(kTailLimit);
    }

    std::list<std::unique_ptr<Line>> m_lines;
    std::unique_ptr<QTimer> m_timer; // made and destroyed on the network thread
};

void Line::onBytes(Instant at, std::string_view bytes) {
    if (user != nullptr) {
        answered = true;
        user->onBytes(at, bytes);
        return;
    }
    const std::shared_ptr<Pool> pool = m_pool.lock();
    if (!pool)
        return;
    if (!tail)
        pool->drop(this); // nobody had asked
    else if (const TailState state = tail(bytes); state == TailState::whole)
        pool->idleNow(*this);
    else if (state == TailState::never)
        pool->drop(this);
}

void Line::onClosed(Instant at) {
    tellStale();
    if (user != nullptr)
        user->onClosed(at);
    else if (const auto pool = m_pool.lock())
        pool->drop(this);
}

void Line::onFailed(Instant at, ErrorKind kind, std::string message) {
    tellStale();
    if (user != nullptr)
        user->onFailed(at, kind, std::move(message));
    else if (const auto pool = m_pool.lock())
        pool->drop(this);
}

void Line::tellStale() {
    const auto pool = m_pool.lock();
    if (pool && user != nullptr && warm && !answered)
        pool->dropSame(target); // this one is the run's and not among them
}

class PooledTransport final : public Transport {
public:
    PooledTransport(NetworkThread& network, TransportFactory inner, std::shared_ptr<Pool> pool)
        : m_network(network)
        , m_inner(std::move(inner))
        , m_pool(std::move(pool)) {}
    ~PooledTransport() override {
        *m_alive = false;
        close();
    }

    void open(const TransportTarget& target, TransportListener& listener) override {
        m_target = target;
        m_listener = &listener;
        if (target.loopback)
            return begin(std::nullopt);
        m_network.runAside(
            [this, alive = m_alive, tls = target.tls, host = target.host, port = target.port] {
                return [this, alive, proxy = chooseProxy(tls, host, port)] {
                    if (!*alive || m_listener == nullptr)
                        return;
                    if (proxy)
                        begin(*proxy);
                    else
                        std::exchange(m_listener, nullptr)
                            ->onFailed(stampNow(), ErrorKind::unreachable, proxy.error().message);
                };
            },
            SideJobs::AtEnd::leave);
    }
    void send(std::string_view bytes) override {
        if (m_line)
            m_line->transport->send(bytes);
    }
    void close() override {
        m_listener = nullptr;
        if (!m_line)
            return;
        m_line->user = nullptr;
        m_line->transport->close();
        m_line.reset();
    }
    void release(ResponseTail tail) override {
        if (!m_line || m_target.connection != ConnectionUse::reuse)
            return close();
        m_listener = nullptr;
        m_pool->keep(std::move(m_line), std::move(tail));
    }
    void beginAnew() override {
        if (m_line)
            m_line->transport->beginAnew();
    }
    [[nodiscard]] bool idle() const override { return m_line && m_line->transport->idle(); }
    [[nodiscard]] ClockSource clockSource() const override {
        return m_line ? m_line->transport->clockSource() : ClockSource::user;
    }
    [[nodiscard]] ConnectionFacts facts() const override {
        ConnectionFacts facts = m_line ? m_line->transport->facts() : ConnectionFacts{};
        facts.warm = m_line && m_line->warm;
        if (facts.warm)
            facts.tlsTook = Duration{};
        return facts;
    }
    [[nodiscard]] StampReport stampReport() const override {
        return m_line ? m_line->transport->stampReport() : StampReport{};
    }

private:
    void begin(const std::optional<Proxy>& proxy) {
        m_target.proxy = proxy;
        if (m_target.connection == ConnectionUse::reuse)
            m_line = m_pool->take(m_target);
        if (!m_line) {
            m_line = std::make_unique<Line>(m_pool, m_target, m_inner());
            m_line->user = m_listener;
            m_line->transport->open(m_target, *m_line);
            return;
        }
        m_line->user = m_listener;
        m_network.post([this, alive = m_alive] { // never within open()
            if (*alive && m_listener != nullptr && m_line)
                m_listener->onConnected(stampNow());
        });
    }

    NetworkThread& m_network;
    TransportFactory m_inner;
    std::shared_ptr<Pool> m_pool;
    std::shared_ptr<bool> m_alive = std::make_shared<bool>(true); // looked at on the network thread alone
    TransportTarget m_target;
    TransportListener* m_listener = nullptr; // null: nothing more is told
    std::unique_ptr<Line> m_line;
};

} // namespace

TransportFactory pooledTransports(NetworkThread& network, TransportFactory inner) {
    auto pool = std::make_shared<Pool>();
    // Whoever holds the factory may outlive the network thread, and connections must not.
    network.whenEnding([pool] { pool->end(); });
    return [&network, inner = std::move(inner), pool]() -> std::unique_ptr<Transport> {
        return std::make_unique<PooledTransport>(network, inner, pool);
    };
}

} // namespace decodescope
