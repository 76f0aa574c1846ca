#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <array>
#include <functional>
#include <vector>

class QWidget;

namespace decodescope {

/// The window's heartbeat: one timer drains the mailboxes once a tick, lets text views catch up each tick and the
/// charts in groups, one group a tick. The number of groups adapts so that a frame's work, painting included, stays
/// under 8 ms; when nothing happens or nothing can be seen the beat slows down. Data is drained all the same.
class FrameTicker : public QObject {
    Q_OBJECT

public:
    using Advance = std::function<void()>;

    /// `pump` drains and says whether anything changed; `active` says whether time goes on (a run in flight).
    FrameTicker(std::function<bool()> pump, std::function<bool()> active, QObject* parent = nullptr);

    /// A view that catches up each tick. It is left out while `widget` is hidden and caught up when shown again.
    void addEveryTick(QWidget* widget, Advance advance);
    /// A view that takes its turn.
    void addStaggered(QWidget* widget, Advance advance);
    void remove(QWidget* widget);

    void start();
    /// Everything looks different now: catch up at once, whatever the group.
    void invalidate();
    /// The window is minimised or covered: drain only.
    void setSeen(bool seen);

    /// Frames that came more than half a beat late since the last start of a run.
    [[nodiscard]] int droppedFrames() const { return m_dropped; }
    void resetDropped() { m_dropped = 0; }
    [[nodiscard]] int groups() const { return m_groups; }
    /// Work of the last 64 frames, painting included: milliseconds, 95th percentile.
    [[nodiscard]] double workP95Ms() const;

    /// Told after each tick with its interval and work in milliseconds: the benchmark's probe.
    std::function<void(double intervalMs, double workMs)> onTick;

private:
    struct View {
        QWidget* widget = nullptr;
        Advance advance;
        bool stale = true;
    };
    void tick();
    void setBeat(int ms);
    void markStale();
    [[nodiscard]] bool runStaggered();
    void adapt(double workMs);

    std::function<bool()> m_pump, m_active;
    std::vector<View> m_each, m_staggered;
    QTimer m_timer;
    QElapsedTimer m_clock;
    qint64 m_lastNs = 0;
    int m_beatMs = 0;
    int m_calm = 0;
    int m_ticks = 0;
    std::size_t m_turn = 0;
    int m_groups = 3;
    int m_dropped = 0;
    bool m_seen = true;
    double m_spentMs = 0; ///< processor time of the thread at the last tick
    std::array<double, 64> m_work{};
    std::size_t m_workAt = 0;
};

} // namespace decodescope
