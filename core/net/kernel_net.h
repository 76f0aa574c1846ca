#pragma once

#include "core/net/kernel_clock.h"
#include "core/net/name_lookup.h"
#include "core/net/network_thread.h"
#include "core/net/socket_poller.h"

#include <array>
#include <memory>

namespace decodescope {

/// What is injected into kernel-stamped sockets.
struct KernelNetOptions {
    std::shared_ptr<const ClockPair> clocks = systemClocks();
    Resolver resolver = systemLookup;
    /// How long an address is tried alone before the next one is tried beside it (RFC 8305, section 5).
    Duration headStart = std::chrono::milliseconds(250);
};

/// What the kernel-stamped sockets of one factory share. Made on any thread, used on the network thread, where the last
/// of its sockets must be gone before the thread ends.
class KernelNet {
public:
    explicit KernelNet(NetworkThread& thread, KernelNetOptions given = {});
    ~KernelNet();
    KernelNet(const KernelNet&) = delete;
    KernelNet& operator=(const KernelNet&) = delete;

    NetworkThread& network;
    const KernelNetOptions options;
    SocketPoller poller;
    KernelClock clock;
    /// One recvmsg takes so much at most. Reads are handed on before the next one, so all sockets share it.
    std::array<char, 64 * 1024> readBuffer; // NOLINT: filled by reads

private:
    /// The kernel begins to stamp packets some time after the first socket asked for it: this one asks early.
    int m_asker = -1;
};

} // namespace decodescope
