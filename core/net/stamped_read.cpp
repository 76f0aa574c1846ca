#include "core/net/stamped_read.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <sys/socket.h>

namespace decodescope {

void askForStamps(int descriptor) {
    const int flags = SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE;
    if (::setsockopt(descriptor, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof flags) == 0)
        return;
    const int on = 1; // sandboxes that know the older option alone
    ::setsockopt(descriptor, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
}

namespace {

std::optional<Duration> wallOf(const timespec& stamp) {
    if (stamp.tv_sec == 0 && stamp.tv_nsec == 0)
        return std::nullopt;
    return std::chrono::seconds(stamp.tv_sec) + Duration(stamp.tv_nsec);
}

std::optional<Duration> stampOf(msghdr& message) {
    for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
        if (part->cmsg_level != SOL_SOCKET)
            continue;
        if (part->cmsg_type == SCM_TIMESTAMPING && part->cmsg_len >= CMSG_LEN(sizeof(scm_timestamping))) {
            scm_timestamping stamps{};
            std::memcpy(&stamps, CMSG_DATA(part), sizeof stamps);
            return wallOf(stamps.ts[0]); // the software stamp; the others are hardware's
        }
        if (part->cmsg_type == SCM_TIMESTAMPNS && part->cmsg_len >= CMSG_LEN(sizeof(timespec))) {
            timespec stamp{};
            std::memcpy(&stamp, CMSG_DATA(part), sizeof stamp);
            return wallOf(stamp);
        }
    }
    return std::nullopt;
}

} // namespace

StampedRead readStamped(int descriptor, char* buffer, std::size_t size) {
    iovec space{buffer, size};
    alignas(cmsghdr) std::array<char, 256> control; // NOLINT: filled by the call
    msghdr message{};
    message.msg_iov = &space;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    ssize_t count = 0;
    do {
        count = ::recvmsg(descriptor, &message, MSG_DONTWAIT);
    } while (count < 0 && errno == EINTR);

    StampedRead read;
    if (count > 0) {
        read.outcome = StampedRead::Outcome::bytes;
        read.size = static_cast<std::size_t>(count);
        read.kernelWall = stampOf(message);
    } else if (count == 0) {
        read.outcome = StampedRead::Outcome::end;
    } else if (errno != EAGAIN && errno != EWOULDBLOCK) {
        read.outcome = StampedRead::Outcome::error;
        read.error = errno;
    }
    return read;
}

} // namespace decodescope
