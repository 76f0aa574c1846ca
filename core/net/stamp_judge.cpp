#include "core/net/stamp_judge.h"

#include <algorithm>

namespace decodescope {

Instant StampJudge::stamp(std::optional<Duration> kernelWall, Instant had) {
    m_clock->look(had);
    if (!kernelWall)
        return withoutKernel(had);
    Instant arrived = m_clock->monotonicOf(*kernelWall);
    if (arrived < m_floor || arrived > had) { // the clocks are asked once more before the stamp is
        m_clock->measure();
        arrived = m_clock->monotonicOf(*kernelWall);
    }
    const Duration error = m_clock->error();
    if (arrived + error < m_clock->trustedSince() || arrived - error > had) {
        ++m_rejected;
        return withoutKernel(had);
    }
    // Still before the read before: its packet overtook a lost one, and its bytes could be read when that had come
    // again.
    m_floor = std::clamp(arrived, m_floor, std::max(m_floor, had));
    if (m_floor < m_last) // the read before had no kernel stamp, and ours is older than the moment it was read at
        return withoutKernel(had);
    ++m_kernelStamps;
    m_largestError = std::max(m_largestError, error);
    m_largestLag = std::max(m_largestLag, had - m_floor);
    m_last = m_floor;
    return m_last;
}

Instant StampJudge::withoutKernel(Instant had) {
    ++m_userStamps;
    m_last = std::max(m_last, had);
    return m_last;
}

StampReport StampJudge::report() const {
    StampReport report;
    report.source = m_userStamps == 0 ? ClockSource::kernel : ClockSource::user;
    report.kernelStamps = m_kernelStamps;
    report.rejected = m_rejected;
    report.largestLag = m_largestLag;
    if (report.source == ClockSource::kernel)
        report.errorBound = m_kernelStamps > 0 ? m_largestError : m_clock->error();
    else if (m_kernelStamps > 0)
        report.errorBound = m_largestLag; // of those reads that can tell how late we were
    return report;
}

void StampJudge::beginAnew() {
    m_kernelStamps = 0;
    m_rejected = 0;
    m_userStamps = 0;
    m_largestError = {};
    m_largestLag = {};
}

} // namespace decodescope
