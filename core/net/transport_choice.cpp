#include "core/net/transport_choice.h"

#include "core/net/qt_transport.h"
#ifdef __linux__
#include "core/net/kernel_stamp_transport.h"
#endif

#include <cstdlib>
#include <utility>

namespace decodescope {

namespace {

#ifdef __linux__

bool anyProxyIsSet() {
    for (const char* name : {"http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"}) {
        if (const char* value = std::getenv(name); value != nullptr && *value != '\0')
            return true;
    }
    return false;
}

/// Kernel stamps where the way is plain TCP without a proxy; Qt's sockets for the others.
class PlainByKernel final : public Transport {
public:
    PlainByKernel(TransportFactory kernel, TransportFactory qt)
        : m_kernel(std::move(kernel))
        , m_qt(std::move(qt)) {}

    void open(const TransportTarget& target, TransportListener& listener) override {
        const bool direct = target.loopback || !anyProxyIsSet();
        m_chosen = !target.tls && direct ? m_kernel() : m_qt();
        m_chosen->open(target, listener);
    }
    void send(std::string_view bytes) override {
        if (m_chosen)
            m_chosen->send(bytes);
    }
    void close() override {
        if (m_chosen)
            m_chosen->close();
    }
    [[nodiscard]] ClockSource clockSource() const override {
        return m_chosen ? m_chosen->clockSource() : ClockSource::kernel;
    }
    [[nodiscard]] ConnectionFacts facts() const override { return m_chosen ? m_chosen->facts() : ConnectionFacts{}; }
    [[nodiscard]] StampReport stampReport() const override {
        return m_chosen ? m_chosen->stampReport() : StampReport{ClockSource::kernel, {}, 0, 0, {}};
    }

private:
    TransportFactory m_kernel;
    TransportFactory m_qt;
    std::unique_ptr<Transport> m_chosen;
};

#endif

} // namespace

std::optional<TransportKind> transportKindFromString(std::string_view name) noexcept {
    if (name == "qt")
        return TransportKind::qt;
#ifdef __linux__
    if (name == "kernel")
        return TransportKind::kernel;
#endif
    return std::nullopt;
}

TransportKind bestTransportKind() {
    const char* wanted = std::getenv("DECODESCOPE_TRANSPORT");
    const auto named = wanted != nullptr ? transportKindFromString(wanted) : std::nullopt;
#ifdef __linux__
    return named.value_or(TransportKind::kernel);
#else
    return named.value_or(TransportKind::qt);
#endif
}

ClockSource clockSourceOf(TransportKind kind) noexcept {
    return kind == TransportKind::kernel ? ClockSource::kernel : ClockSource::user;
}

TransportFactory transportFactory(NetworkThread& network, TransportKind kind) {
#ifdef __linux__
    if (kind == TransportKind::kernel) {
        return [kernel = kernelStampTransportFactory(network),
                qt = qtTransportFactory(network)]() -> std::unique_ptr<Transport> {
            return std::make_unique<PlainByKernel>(kernel, qt);
        };
    }
#endif
    return kind == TransportKind::qt ? qtTransportFactory(network) : TransportFactory();
}

} // namespace decodescope
