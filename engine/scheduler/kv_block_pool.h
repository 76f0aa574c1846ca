#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace decodescope::engine {

/// Which blocks of the backend's cache are in use, and how often: a block goes back when its last holder lets go.
class KvBlockPool {
public:
    explicit KvBlockPool(std::uint32_t blocks);

    /// A block with one holder; nullopt when all are held.
    [[nodiscard]] std::optional<std::uint32_t> take();
    void share(std::uint32_t block);
    void release(std::uint32_t block);

    [[nodiscard]] std::uint32_t free() const noexcept { return static_cast<std::uint32_t>(m_free.size()); }
    [[nodiscard]] std::uint32_t total() const noexcept { return static_cast<std::uint32_t>(m_holders.size()); }

private:
    std::vector<std::uint32_t> m_holders;
    std::vector<std::uint32_t> m_free; // the last one is the next to be taken
};

} // namespace decodescope::engine
