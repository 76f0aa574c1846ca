#pragma once

#include "core/net/network_thread.h"
#include "core/net/transport.h"
#include "tests/support/fault_server.h"

#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace decodescope {

/// For comparisons in tests, which print it.
[[nodiscard]] inline std::string nameOf(ErrorKind kind) {
    return std::string(toString(kind));
}

/// One connection driven from a test: everything runs on the network thread, everything heard is kept.
class TransportProbe final : public TransportListener {
public:
    struct Heard {
        std::optional<Instant> connected;
        std::vector<Instant> sent;
        std::vector<std::pair<Instant, std::string>> reads;
        std::optional<Instant> closed;
        std::optional<ErrorKind> failed;
        std::string message;

        [[nodiscard]] std::string bytes() const {
            std::string all;
            for (const auto& [at, part] : reads)
                all += part;
            return all;
        }
        [[nodiscard]] bool over() const { return closed || failed; }
    };

    TransportProbe(NetworkThread& network, TransportFactory factory)
        : m_network(network)
        , m_factory(std::move(factory)) {}
    ~TransportProbe() override {
        run([this] { m_transport.reset(); });
    }

    void open(const TransportTarget& target) {
        run([this, target] {
            m_transport = m_factory();
            m_transport->open(target, *this);
        });
    }
    void send(const std::string& bytes) {
        run([this, bytes] { m_transport->send(bytes); });
    }
    void close() {
        run([this] { m_transport->close(); });
    }
    void destroy() {
        run([this] { m_transport.reset(); });
    }
    [[nodiscard]] StampReport stampReport() {
        StampReport report;
        run([&] { report = m_transport->stampReport(); });
        return report;
    }
    [[nodiscard]] ConnectionFacts facts() {
        ConnectionFacts facts;
        run([&] { facts = m_transport->facts(); });
        return facts;
    }

    [[nodiscard]] Heard heard() const {
        const std::lock_guard lock(m_mutex);
        return m_heard;
    }
    bool waitConnected() {
        return fault::FaultServer::waitFor([this] { return heard().connected.has_value(); });
    }
    bool waitOver() {
        return fault::FaultServer::waitFor([this] { return heard().over(); });
    }
    bool waitBytes(std::size_t count) {
        return fault::FaultServer::waitFor([this, count] { return heard().bytes().size() >= count; });
    }

    /// Destroy the transport from within the next callback of this kind.
    enum class DestroyIn { nothing, read, end };
    void destroyIn(DestroyIn where) {
        run([this, where] { m_destroyIn = where; });
    }

    void onConnected(Instant at) override {
        const std::lock_guard lock(m_mutex);
        m_heard.connected = at;
    }
    void onSent(Instant at) override {
        const std::lock_guard lock(m_mutex);
        m_heard.sent.push_back(at);
    }
    void onBytes(Instant at, std::string_view bytes) override {
        {
            const std::lock_guard lock(m_mutex);
            m_heard.reads.emplace_back(at, bytes);
        }
        if (m_destroyIn == DestroyIn::read)
            m_transport.reset();
    }
    void onClosed(Instant at) override {
        {
            const std::lock_guard lock(m_mutex);
            m_heard.closed = at;
        }
        if (m_destroyIn == DestroyIn::end)
            m_transport.reset();
    }
    void onFailed(Instant, ErrorKind kind, std::string message) override {
        {
            const std::lock_guard lock(m_mutex);
            m_heard.failed = kind;
            m_heard.message = std::move(message);
        }
        if (m_destroyIn == DestroyIn::end)
            m_transport.reset();
    }

private:
    /// Runs on the network thread and waits for it.
    void run(std::function<void()> task) {
        std::promise<void> done;
        m_network.post([&] {
            task();
            done.set_value();
        });
        done.get_future().wait();
    }

    NetworkThread& m_network;
    TransportFactory m_factory;
    std::unique_ptr<Transport> m_transport;
    DestroyIn m_destroyIn = DestroyIn::nothing;
    mutable std::mutex m_mutex;
    Heard m_heard;
};

} // namespace decodescope
