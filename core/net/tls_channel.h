#pragma once

#include "core/net/byte_channel.h"
#include "core/net/tls_session.h"

#include <memory>
#include <optional>
#include <string>

namespace decodescope {

/// TLS as a layer of a connection: text above, the wire's bytes below. What a read completed keeps that read's stamp.
class TlsChannel final : public ChannelFilter {
public:
    TlsChannel(std::unique_ptr<ByteChannel> below, std::shared_ptr<ssl_ctx_st> context, const TransportTarget& target,
               std::string place);
    ~TlsChannel() override;

    void send(std::string_view bytes) override;
    void close() override;
    [[nodiscard]] bool idle() const override;
    void describe(ConnectionFacts& facts) const override;

protected:
    void onConnected(Instant at) override;
    void onSent(Instant at) override;
    void onBytes(Instant at, std::string_view bytes) override;
    void onClosed(Instant at) override;
    void onFailed(Instant at, ErrorKind kind, std::string message) override;

private:
    void flush();
    void end(Instant at);

    TlsSession m_session;
    std::string m_place;
    std::shared_ptr<bool> m_alive = std::make_shared<bool>(true);
    std::optional<Instant> m_began; ///< of the handshake
    Duration m_took{};
    bool m_told = false;    ///< that it is up
    bool m_sending = false; ///< text of the layer above is on its way, and its onSent() is owed
    bool m_ended = false;
};

} // namespace decodescope
