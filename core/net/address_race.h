#pragma once

#include "core/net/kernel_net.h"
#include "core/net/socket_descriptor.h"

#include <QTimer>

#include <functional>
#include <memory>
#include <vector>

namespace decodescope {

/// How a race ended.
struct RaceResult {
    SocketDescriptor descriptor; ///< connected, non-blocking, TCP_NODELAY, stamped by the kernel; none: all failed
    SocketAddress address;       ///< the one that answered
    Instant begun{};             ///< when it was first tried: nothing can have come before
    int error = 0;               ///< errno of the most telling failure, without a descriptor
};

/// Connects to whichever of several addresses answers first (RFC 8305, "happy eyeballs"): they are tried in turn, the
/// next one as soon as one failed or had its head start, and the first connection wins. A host whose IPv6 leads nowhere
/// costs a quarter of a second then, not a minute. Network thread only.
class AddressRace {
public:
    /// Begins at once. `done` is called once, never from within the constructor; the race may be destroyed in it.
    AddressRace(KernelNet& net, const std::vector<SocketAddress>& addresses, std::function<void(RaceResult)> done);
    ~AddressRace();
    AddressRace(const AddressRace&) = delete;
    AddressRace& operator=(const AddressRace&) = delete;

private:
    class Attempt;
    void next();
    /// `error` 0: the attempt is connected.
    void attemptEnded(Attempt& attempt, int error);
    void note(int error);
    void finish(RaceResult result);

    KernelNet& m_net;
    std::vector<SocketAddress> m_addresses;
    std::function<void(RaceResult)> m_done;
    std::vector<std::unique_ptr<Attempt>> m_attempts; // under way
    std::size_t m_tried = 0;
    int m_error = 0;
    QTimer m_timer;
};

} // namespace decodescope
