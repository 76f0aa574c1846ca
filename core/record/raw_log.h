#pragma once

#include "core/source/token_source.h"
#include "core/wire/byte_chunk.h"

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace decodescope {

/// The raw reads of one run in memory, for the bytes pane, and a tee to the journal. Thread-safe. Keeps at most
/// `capBytes`; what is over that is only on disk.
class RawLog final : public RawSink {
public:
    explicit RawLog(std::shared_ptr<RawSink> next = {}, std::size_t capBytes = 64U << 20);

    /// Sets where everything is handed on to. To be called before anything comes.
    void teeTo(std::shared_ptr<RawSink> next) { m_next = std::move(next); }

    void onChunk(Instant at, std::uint32_t read, std::string_view bytes) override;
    void onMilestone(Instant at, const Milestone& milestone) override;
    void onEnd(Instant at, ErrorKind kind, std::string_view message) override;
    void onStamps(Instant at, const StampReport& stamps) override;
    void onHiccup(const Hiccup& hiccup) override;

    /// The read's bytes and stamp, if kept.
    [[nodiscard]] std::optional<ByteChunk> chunk(std::uint32_t read) const;
    [[nodiscard]] std::size_t chunkCount() const;
    /// Whether every read was kept.
    [[nodiscard]] bool whole() const;

private:
    mutable std::mutex m_mutex;
    std::shared_ptr<RawSink> m_next;
    std::vector<ByteChunk> m_chunks;
    std::size_t m_bytes = 0;
    std::size_t m_cap;
    bool m_whole = true;
};

} // namespace decodescope
