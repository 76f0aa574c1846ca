#pragma once

#include <unistd.h>
#include <utility>

namespace decodescope {

/// Owns a socket: closes it when it goes. -1: none.
class SocketDescriptor {
public:
    explicit SocketDescriptor(int descriptor = -1) noexcept
        : m_descriptor(descriptor) {}
    ~SocketDescriptor() { reset(); }
    SocketDescriptor(SocketDescriptor&& other) noexcept
        : m_descriptor(std::exchange(other.m_descriptor, -1)) {}
    SocketDescriptor& operator=(SocketDescriptor&& other) noexcept {
        std::swap(m_descriptor, other.m_descriptor);
        return *this;
    }
    SocketDescriptor(const SocketDescriptor&) = delete;
    SocketDescriptor& operator=(const SocketDescriptor&) = delete;

    [[nodiscard]] int get() const noexcept { return m_descriptor; }
    [[nodiscard]] bool open() const noexcept { return m_descriptor >= 0; }
    void reset() noexcept {
        if (m_descriptor >= 0)
            ::close(m_descriptor);
        m_descriptor = -1;
    }

private:
    int m_descriptor;
};

} // namespace decodescope
