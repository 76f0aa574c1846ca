#include "core/net/kernel_net.h"

#include "core/net/stamped_read.h"

#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace decodescope {

KernelNet::KernelNet(NetworkThread& thread, KernelNetOptions given)
    : network(thread)
    , options(std::move(given))
    , clock(options.clocks)
    , m_asker(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (m_asker >= 0)
        askForStamps(m_asker);
}

KernelNet::~KernelNet() {
    if (m_asker >= 0)
        ::close(m_asker);
}

} // namespace decodescope
