#include "core/net/reset_watch.h"

#ifdef __linux__
#include <cerrno>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>
#endif

namespace decodescope {

#ifdef __linux__

void ResetWatch::watch(std::intptr_t descriptor) {
    unwatch();
    if (descriptor >= 0)
        m_descriptor = ::fcntl(static_cast<int>(descriptor), F_DUPFD_CLOEXEC, 0);
}

void ResetWatch::unwatch() {
    if (m_descriptor >= 0)
        ::close(m_descriptor);
    m_descriptor = -1;
}

bool ResetWatch::peerReset() const {
    tcp_info info{};
    socklen_t size = sizeof info;
    // After the peer's FIN the state is CLOSE_WAIT; only a reset leads straight to CLOSE.
    return m_descriptor >= 0 && ::getsockopt(m_descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 &&
           info.tcpi_state == TCP_CLOSE;
}

bool isSilent(std::intptr_t descriptor) {
    char byte = 0;
    return ::recv(static_cast<int>(descriptor), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
           (errno == EAGAIN || errno == EWOULDBLOCK);
}

#else

void ResetWatch::watch(std::intptr_t) {}
void ResetWatch::unwatch() {}
bool ResetWatch::peerReset() const {
    return false;
}
bool isSilent(std::intptr_t) {
    return true;
}

#endif

} // namespace decodescope
