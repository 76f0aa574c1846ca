#pragma once

#include "engine/backend/backend.h"
#include "engine/cpu/arena.h"
#include "engine/cpu/row_kernels.h"

#include <cstddef>
#include <cstdint>

namespace decodescope::engine {

/// The keys and values of all sequences, in blocks of 32 positions that sequences list in any order. One block of one
/// layer holds its kv heads side by side, each as KvHead says.
class KvCache {
public:
    KvCache() = default;
    [[nodiscard]] static Result<KvCache> make(const ModelPlan& plan, std::uint32_t blocks, KvType type);

    [[nodiscard]] KvHead head(std::uint32_t layer, std::uint32_t kvHead) const noexcept;
    [[nodiscard]] std::byte* block(const KvHead& head, std::uint32_t block) const noexcept {
        return const_cast<std::byte*>(head.base) + block * head.blockStride;
    }
    /// Copies a block of every layer. More than `tokens` positions may be copied: nobody reads the rest.
    void copyBlock(std::uint32_t from, std::uint32_t to, std::uint32_t tokens) noexcept;

    [[nodiscard]] std::uint32_t blocks() const noexcept { return m_blocks; }
    [[nodiscard]] KvType type() const noexcept { return m_type; }
    /// Bytes of one position of one layer, all kv heads, keys and values.
    [[nodiscard]] std::uint64_t bytesPerLayerToken() const noexcept { return m_kvHeads * m_headBytes / kKvBlockTokens; }
    [[nodiscard]] std::uint64_t bytes() const noexcept { return m_arena.bytes(); }

private:
    Arena m_arena;
    KvType m_type = KvType::f16;
    std::uint32_t m_layers = 0, m_blocks = 0, m_kvHeads = 0, m_paddedHead = 0;
    std::size_t m_scalesOffset = 0, m_valuesOffset = 0, m_headBytes = 0;
};

} // namespace decodescope::engine
