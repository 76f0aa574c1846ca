#include "ui/window/frame_ticker.h"

#include <QWidget>

#include <algorithm>
#include <ctime>

namespace decodescope {
namespace {

constexpr int kBeatMs = 16;
constexpr int kIdleBeatMs = 100;
constexpr int kUnseenBeatMs = 50;
constexpr int kCalmTicks = 40; // quiet ticks before the beat slows down
constexpr int kClockTicks = 6; // running times are shown about ten times a second
constexpr int kAdaptTicks = 64;
constexpr int kFewestGroups = 2;
constexpr int kMostGroups = 8;
constexpr double kWorkGoalMs = 8.0;

/// Processor time of this thread so far.
double threadMs() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

} // namespace

FrameTicker::FrameTicker(std::function<bool()> pump, std::function<bool()> active, QObject* parent)
    : QObject(parent)
    , m_pump(std::move(pump))
    , m_active(std::move(active)) {
    m_timer.setTimerType(Qt::PreciseTimer);
    connect(&m_timer, &QTimer::timeout, this, &FrameTicker::tick);
}

void FrameTicker::addEveryTick(QWidget* widget, Advance advance) {
    m_each.push_back({.widget = widget, .advance = std::move(advance)});
}

void FrameTicker::addStaggered(QWidget* widget, Advance advance) {
    m_staggered.push_back({.widget = widget, .advance = std::move(advance)});
}

void FrameTicker::remove(QWidget* widget) {
    std::erase_if(m_each, [&](const View& view) { return view.widget == widget; });
    std::erase_if(m_staggered, [&](const View& view) { return view.widget == widget; });
}

void FrameTicker::start() {
    m_clock.start();
    m_lastNs = 0;
    setBeat(kBeatMs);
}

void FrameTicker::setBeat(int ms) {
    if (m_beatMs == ms && m_timer.isActive())
        return;
    m_beatMs = ms;
    m_timer.start(ms);
}

void FrameTicker::markStale() {
    for (View& view : m_each)
        view.stale = true;
    for (View& view : m_staggered)
        view.stale = true;
}

void FrameTicker::invalidate() {
    markStale();
    m_calm = 0;
    if (m_timer.isActive())
        setBeat(kBeatMs);
}

void FrameTicker::setSeen(bool seen) {
    m_seen = seen;
    if (seen)
        invalidate();
}

bool FrameTicker::runStaggered() {
    // One group a tick: the views that are seen, dealt out in turn.
    std::vector<View*> seen;
    for (View& view : m_staggered) {
        if (view.widget->isVisible())
            seen.push_back(&view);
    }
    if (seen.empty())
        return false;
    const std::size_t groups = std::min<std::size_t>(static_cast<std::size_t>(m_groups), seen.size());
    const std::size_t group = m_turn++ % groups;
    for (std::size_t i = group; i < seen.size(); i += groups) {
        if (seen[i]->stale) {
            seen[i]->stale = false;
            seen[i]->advance();
        }
    }
    return std::ranges::any_of(seen, [](const View* view) { return view->stale; });
}

void FrameTicker::tick() {
    const qint64 beginNs = m_clock.nsecsElapsed();
    const double intervalMs = static_cast<double>(beginNs - m_lastNs) / 1e6;
    const bool hadBeat = m_lastNs != 0 && m_beatMs == kBeatMs;
    m_lastNs = beginNs;
    ++m_ticks;

    const bool changed = m_pump();
    const bool active = m_active();
    if (hadBeat && active && m_seen && intervalMs > 1.5 * kBeatMs)
        m_dropped += static_cast<int>(intervalMs / kBeatMs - 0.5);
    if (changed || (active && m_ticks % kClockTicks == 0))
        markStale();

    bool pending = false;
    if (m_seen) {
        for (View& view : m_each) {
            if (view.stale && view.widget->isVisible()) {
                view.stale = false;
                view.advance();
            }
        }
        pending = runStaggered();
    }
    m_calm = changed || active || pending ? 0 : m_calm + 1;
    setBeat(!m_seen ? kUnseenBeatMs : m_calm > kCalmTicks ? kIdleBeatMs : kBeatMs);

    const double workMs = static_cast<double>(m_clock.nsecsElapsed() - beginNs) / 1e6;
    // What the last frame cost in all, its painting included: that comes after the tick.
    const double spentMs = threadMs();
    const double frameMs = spentMs - m_spentMs;
    m_spentMs = spentMs;
    adapt(hadBeat ? std::max(workMs, frameMs) : workMs);
    if (onTick)
        onTick(intervalMs, workMs);
}

void FrameTicker::adapt(double workMs) {
    m_work[m_workAt++ % m_work.size()] = workMs;
    if (m_workAt % kAdaptTicks != 0)
        return;
    const double p95 = workP95Ms();
    if (p95 > kWorkGoalMs)
        m_groups = std::min(m_groups + 1, kMostGroups);
    else if (p95 < kWorkGoalMs / 2)
        m_groups = std::max(m_groups - 1, kFewestGroups);
}

double FrameTicker::workP95Ms() const {
    std::array<double, 64> sorted = m_work;
    std::ranges::sort(sorted);
    return sorted[sorted.size() * 95 / 100];
}

} // namespace decodescope
