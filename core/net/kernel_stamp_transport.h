#pragma once

#include "core/net/byte_channel.h"
#include "core/net/kernel_net.h"
#include "core/net/tls_session.h"
#include "core/net/transport.h"

#include <memory>

namespace decodescope {

/// The transport of Linux: sockets of our own, reads stamped by the kernel when their packets came in, whatever this
/// process was doing then. A stack of channels (byte_channel.h) that is put together when the target is known.
class KernelStampTransport final : public Transport {
public:
    KernelStampTransport(std::shared_ptr<KernelNet> net, std::shared_ptr<TlsContexts> contexts);
    ~KernelStampTransport() override;

    void open(const TransportTarget& target, TransportListener& listener) override;
    void send(std::string_view bytes) override;
    void close() override;
    void beginAnew() override;
    [[nodiscard]] bool idle() const override;
    [[nodiscard]] ClockSource clockSource() const override { return ClockSource::kernel; }
    [[nodiscard]] ConnectionFacts facts() const override;
    [[nodiscard]] StampReport stampReport() const override;

private:
    /// `context` is null without TLS.
    void stack(std::shared_ptr<ssl_ctx_st> context);

    std::shared_ptr<KernelNet> m_net;
    std::shared_ptr<TlsContexts> m_contexts;
    std::shared_ptr<bool> m_alive; // false once destroyed; looked at on the network thread alone
    TransportTarget m_target;
    TransportListener* m_listener = nullptr; // null: closed
    std::unique_ptr<ByteChannel> m_channel;  // null before open()
    Instant m_begun{};                       // of the opening, once the TLS context was there
};

/// Makes KernelStampTransports that share one poller and one clock.
[[nodiscard]] TransportFactory kernelStampTransportFactory(NetworkThread& network,
                                                           const KernelNetOptions& options = {});

} // namespace decodescope
