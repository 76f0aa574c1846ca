#pragma once

#include "core/net/address_race.h"
#include "core/net/byte_channel.h"
#include "core/net/kernel_net.h"
#include "core/net/stamp_judge.h"

#include <memory>
#include <optional>
#include <string>

namespace decodescope {

/// TCP on a socket of our own, at the bottom of a stack of channels: looks the host up aside, races its addresses, and
/// stamps each read by the kernel's clock. A flood cannot grow us: a read is handed on before the next one is made, and
/// what is not read the sender has to keep.
class KernelSocket final : public ByteChannel, private SocketPoller::Client {
public:
    KernelSocket(std::shared_ptr<KernelNet> net, std::string host, std::uint16_t port);
    ~KernelSocket() override;

    void open(TransportListener& listener) override;
    void handTo(TransportListener& listener) override;
    void send(std::string_view bytes) override;
    void close() override;
    [[nodiscard]] bool idle() const override;
    void describe(ConnectionFacts& facts) const override;
    [[nodiscard]] StampReport stampReport() const override;

private:
    void onReady() override;
    void lookedUp(const LookupResult& result);
    void connected(RaceResult result);
    /// How much the kernel took.
    std::size_t write(std::string_view bytes);
    void keep(std::string_view bytes);
    bool writeOn();
    bool readOnce();
    void ended(Instant at);
    void fail(Instant at, ErrorKind kind, std::string message);
    void leave();
    void wipe();
    [[nodiscard]] std::string place() const;

    std::shared_ptr<KernelNet> m_net;
    std::string m_host;
    std::uint16_t m_port;
    std::shared_ptr<bool> m_alive;           // false once destroyed; looked at on the network thread alone
    TransportListener* m_listener = nullptr; // null: nothing more is told
    bool m_lookingUp = false;
    std::unique_ptr<AddressRace> m_race; // while connecting
    SocketDescriptor m_descriptor;
    SocketPoller::Ticket m_ticket = 0;
    std::string m_peer;
    std::optional<StampJudge> m_judge; // once connected
    std::string m_unsent;              // may hold a key: wiped once it left
    std::size_t m_written = 0;         // of m_unsent
    Instant m_wroteAt{};               // just before the last write: no answer can be older
    int m_writeError = 0;              // how the connection broke, once it did
};

} // namespace decodescope
