#pragma once

#include "core/session/session.h"

#include <QObject>

#include <cstdint>
#include <optional>
#include <utility>

namespace decodescope {

/// A token event of a lane's shown run.
struct TokenRef {
    LaneId lane = 0;
    std::uint32_t event = 0; ///< index in RunRecord::events
    friend bool operator==(const TokenRef&, const TokenRef&) = default;
};

/// A stall of a lane's shown run, by its index in RunSummary::stalls.
struct StallRef {
    LaneId lane = 0;
    std::uint32_t stall = 0;
    friend bool operator==(const StallRef&, const StallRef&) = default;
};

enum class RateUnit { tokens, characters, words };
enum class TimeOrigin { requestStart, firstToken };

/// What is looked at: the one object for cursor, selection, hovered token, zoom and units. Every view listens and
/// every view may set; a set to the same value emits nothing, so no loop can arise. GUI thread.
class ViewState : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    /// Time cursor in seconds on the shared time axis; nullopt: none.
    [[nodiscard]] std::optional<double> cursorS() const { return m_cursorS; }
    [[nodiscard]] bool cursorFrozen() const { return m_cursorFrozen; }
    [[nodiscard]] std::optional<TokenRef> hovered() const { return m_hovered; }
    [[nodiscard]] std::optional<TokenRef> selected() const { return m_selected; }
    [[nodiscard]] std::optional<StallRef> stall() const { return m_stall; }
    /// A lane brought to the front in charts, the others dimmed; nullopt: none.
    [[nodiscard]] std::optional<LaneId> front() const { return m_front; }
    /// Zoomed range of the time axis in seconds; nullopt: everything.
    [[nodiscard]] std::optional<std::pair<double, double>> timeRange() const { return m_timeRange; }
    [[nodiscard]] RateUnit unit() const { return m_unit; }
    [[nodiscard]] TimeOrigin origin() const { return m_origin; }

public slots:
    void setCursorS(std::optional<double> seconds);
    void setCursorFrozen(bool frozen);
    void setHovered(std::optional<TokenRef> token);
    void setSelected(std::optional<TokenRef> token);
    /// Also selects the token that ended the stall, when it is known to the caller.
    void setStall(std::optional<StallRef> stall);
    void setFront(std::optional<LaneId> lane);
    void setTimeRange(std::optional<std::pair<double, double>> range);
    void setUnit(RateUnit unit);
    void setOrigin(TimeOrigin origin);
    /// Cursor, selection and stall away.
    void clear();

signals:
    void cursorChanged();
    void hoveredChanged();
    void selectedChanged();
    void stallChanged();
    void frontChanged();
    void timeRangeChanged();
    void unitChanged();
    void originChanged();

private:
    std::optional<double> m_cursorS;
    bool m_cursorFrozen = false;
    std::optional<TokenRef> m_hovered, m_selected;
    std::optional<StallRef> m_stall;
    std::optional<LaneId> m_front;
    std::optional<std::pair<double, double>> m_timeRange;
    RateUnit m_unit = RateUnit::tokens;
    TimeOrigin m_origin = TimeOrigin::requestStart;
};

} // namespace decodescope
