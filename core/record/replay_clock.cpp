#include "core/record/replay_source.h"

#include <algorithm>
#include <cmath>

namespace decodescope {
namespace {

constexpr double kSlowest = 0.1;
constexpr double kFastest = 8.0;

} // namespace

ReplayClock::ReplayClock(const Clock& real, Instant start, Instant end)
    : m_real(real)
    , m_start(start)
    , m_end(std::max(start, end))
    , m_anchorReal(real.now())
    , m_anchorReplay(start) {}

Instant ReplayClock::now() const {
    if (m_paused)
        return m_anchorReplay;
    const double elapsedNs = static_cast<double>(toNs(m_real.now() - m_anchorReal)) * m_speed;
    // Compared as doubles first: hours at 8x may lie past what the recording's end leaves room for.
    if (elapsedNs >= static_cast<double>(toNs(m_end - m_anchorReplay)))
        return m_end;
    return m_anchorReplay + Duration(std::llround(std::max(0.0, elapsedNs)));
}

void ReplayClock::setSpeed(double factor) {
    m_anchorReplay = now();
    m_anchorReal = m_real.now();
    m_speed = std::isfinite(factor) ? std::clamp(factor, kSlowest, kFastest) : 1.0;
}

void ReplayClock::pause() {
    m_anchorReplay = now();
    m_paused = true;
}

void ReplayClock::resume() {
    m_anchorReplay = now();
    m_anchorReal = m_real.now();
    m_paused = false;
}

void ReplayClock::stepTo(Instant t) {
    if (m_paused)
        m_anchorReplay = std::clamp(t, m_anchorReplay, m_end);
}

} // namespace decodescope
