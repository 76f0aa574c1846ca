#include "core/net/kernel_stamp_transport.h"

#include "core/net/kernel_socket.h"
#include "core/net/opening_words.h"
#include "core/net/proxy_channel.h"
#include "core/net/tls_channel.h"

#include <fmt/format.h>

#include <utility>

namespace decodescope {

TransportFactory kernelStampTransportFactory(NetworkThread& network, const KernelNetOptions& options) {
    return [net = std::make_shared<KernelNet>(network, options),
            contexts = std::make_shared<TlsContexts>()]() -> std::unique_ptr<Transport> {
        return std::make_unique<KernelStampTransport>(net, contexts);
    };
}

KernelStampTransport::KernelStampTransport(std::shared_ptr<KernelNet> net, std::shared_ptr<TlsContexts> contexts)
    : m_net(std::move(net))
    , m_contexts(std::move(contexts))
    , m_alive(std::make_shared<bool>(true)) {}

KernelStampTransport::~KernelStampTransport() {
    *m_alive = false;
}

void KernelStampTransport::open(const TransportTarget& target, TransportListener& listener) {
    m_target = target;
    m_listener = &listener;
    if (!target.tls)
        return stack(nullptr);
    if (auto context = m_contexts->ready(target))
        return stack(std::move(context));
    m_net->network.runAside(
        [this, alive = m_alive, contexts = m_contexts, target] {
            return [this, alive, context = contexts->get(target)] {
                if (*alive && m_listener != nullptr)
                    stack(context);
            };
        },
        SideJobs::AtEnd::waitFor);
}

void KernelStampTransport::stack(std::shared_ptr<ssl_ctx_st> context) {
    const TransportTarget& to = m_target;
    m_begun = m_net->clock.now();
    std::string place =
        fmt::format("{}:{}", to.host.find(':') != std::string::npos ? "[" + to.host + "]" : to.host, to.port);
    if (to.proxy) {
        place = placeVia(place, to.proxy->name());
        m_channel = std::make_unique<ProxyChannel>(
            std::make_unique<KernelSocket>(m_net, to.proxy->host, to.proxy->port), *to.proxy, to.host, to.port);
    } else {
        m_channel = std::make_unique<KernelSocket>(m_net, to.host, to.port);
    }
    if (to.tls)
        m_channel = std::make_unique<TlsChannel>(std::move(m_channel), std::move(context), to, std::move(place));
    m_channel->open(*m_listener);
}

void KernelStampTransport::beginAnew() {
    if (m_channel && m_listener != nullptr)
        m_channel->handTo(*m_listener);
}

bool KernelStampTransport::idle() const {
    return m_channel && m_listener != nullptr && m_channel->idle();
}

void KernelStampTransport::send(std::string_view bytes) {
    if (m_channel)
        m_channel->send(bytes);
}

void KernelStampTransport::close() {
    m_listener = nullptr;
    if (m_channel)
        m_channel->close();
}

ConnectionFacts KernelStampTransport::facts() const {
    ConnectionFacts facts;
    facts.begun = m_begun;
    facts.unverified = m_target.tls && m_target.allowInvalidTls;
    if (m_channel)
        m_channel->describe(facts);
    if (m_target.proxy) {
        facts.proxy = m_target.proxy->name();
        if (m_target.proxy->kind == Proxy::Kind::forward)
            facts.forwarder = m_target.proxy;
    }
    return facts;
}

StampReport KernelStampTransport::stampReport() const {
    return m_channel ? m_channel->stampReport() : StampReport{ClockSource::kernel, {}, 0, 0, {}};
}

} // namespace decodescope
