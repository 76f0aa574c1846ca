#include "core/record/raw_log.h"

#include <algorithm>
#include <utility>

namespace decodescope {

RawLog::RawLog(std::shared_ptr<RawSink> next, std::size_t capBytes)
    : m_next(std::move(next))
    , m_cap(capBytes) {}

void RawLog::onChunk(Instant at, std::uint32_t read, std::string_view bytes) {
    if (m_next)
        m_next->onChunk(at, read, bytes);
    const std::lock_guard lock(m_mutex);
    // A read that does not fit is left out, and so is every later one: what is kept has no holes.
    m_whole = m_whole && m_bytes <= m_cap && bytes.size() <= m_cap - m_bytes;
    if (!m_whole)
        return;
    m_bytes += bytes.size();
    m_chunks.push_back({at, read, std::string(bytes)});
}

void RawLog::onMilestone(Instant at, const Milestone& milestone) {
    if (m_next)
        m_next->onMilestone(at, milestone);
}

void RawLog::onEnd(Instant at, ErrorKind kind, std::string_view message) {
    if (m_next)
        m_next->onEnd(at, kind, message);
}

void RawLog::onStamps(Instant at, const StampReport& stamps) {
    if (m_next)
        m_next->onStamps(at, stamps);
}

void RawLog::onHiccup(const Hiccup& hiccup) {
    if (m_next)
        m_next->onHiccup(hiccup);
}

std::optional<ByteChunk> RawLog::chunk(std::uint32_t read) const {
    const std::lock_guard lock(m_mutex);
    const auto found = std::lower_bound(m_chunks.begin(), m_chunks.end(), read,
                                        [](const ByteChunk& c, std::uint32_t wanted) { return c.read < wanted; });
    if (found == m_chunks.end() || found->read != read)
        return std::nullopt;
    return *found;
}

std::size_t RawLog::chunkCount() const {
    const std::lock_guard lock(m_mutex);
    return m_chunks.size();
}

bool RawLog::whole() const {
    const std::lock_guard lock(m_mutex);
    return m_whole;
}

} // namespace decodescope
