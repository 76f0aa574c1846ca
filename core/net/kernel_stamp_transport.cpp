#include "core/net/kernel_stamp_transport.h"

#include "core/net/kernel_socket.h"

#include <utility>

namespace decodescope {

TransportFactory kernelStampTransportFactory(NetworkThread& network, const KernelNetOptions& options) {
    return [net = std::make_shared<KernelNet>(network, options)]() -> std::unique_ptr<Transport> {
        return std::make_unique<KernelStampTransport>(net);
    };
}

KernelStampTransport::KernelStampTransport(std::shared_ptr<KernelNet> net)
    : m_net(std::move(net)) {}

KernelStampTransport::~KernelStampTransport() = default;

void KernelStampTransport::open(const TransportTarget& target, TransportListener& listener) {
    m_channel = std::make_unique<KernelSocket>(m_net, target.host, target.port);
    m_channel->open(listener);
}

void KernelStampTransport::send(std::string_view bytes) {
    if (m_channel)
        m_channel->send(bytes);
}

void KernelStampTransport::close() {
    if (m_channel)
        m_channel->close();
}

ConnectionFacts KernelStampTransport::facts() const {
    ConnectionFacts facts;
    if (m_channel)
        m_channel->describe(facts);
    return facts;
}

StampReport KernelStampTransport::stampReport() const {
    return m_channel ? m_channel->stampReport() : StampReport{ClockSource::kernel, {}, 0, 0, {}};
}

} // namespace decodescope
