#pragma once

#include <cstdint>

namespace decodescope {

/// Tells a TCP reset from an orderly end. Qt reports both as "remote host closed" and has closed the descriptor
/// by then, so a duplicate is kept and asked. On systems without TCP_INFO every end looks orderly.
class ResetWatch {
public:
    ResetWatch() = default;
    ~ResetWatch() { unwatch(); }
    ResetWatch(const ResetWatch&) = delete;
    ResetWatch& operator=(const ResetWatch&) = delete;

    void watch(std::intptr_t descriptor);
    void unwatch();
    /// Whether the watched connection has been reset by the peer.
    [[nodiscard]] bool peerReset() const;

private:
    int m_descriptor = -1;
};

/// Whether a connected socket is open on both sides and holds nothing unread. On systems without MSG_DONTWAIT it always
/// seems so.
[[nodiscard]] bool isSilent(std::intptr_t descriptor);

} // namespace decodescope
