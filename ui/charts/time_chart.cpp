#include "ui/charts/time_chart.h"

#include "ui/charts/cursor_overlay.h"
#include "ui/theme/format.h"
#include "ui/theme/stall_marks.h"

#include <algorithm>
#include <cmath>

namespace decodescope {
namespace {

constexpr double kEmptySpanS = 10;
constexpr double kLeastSpanS = 1e-3;
constexpr double kPanShare = 0.1;
constexpr double kZoom = 1.18;
constexpr double kZoomFast = 1.6;
constexpr double kZoomFine = 1.05;

double zoomStep(Qt::KeyboardModifiers modifiers) {
    if (modifiers & Qt::ShiftModifier)
        return kZoomFast;
    return modifiers & Qt::ControlModifier ? kZoomFine : kZoom;
}

} // namespace

std::optional<double> TimeChart::shiftOf(const ChartLane& lane) const {
    if (!lane.record || !lane.record->started)
        return std::nullopt;
    if (m_view.origin() == TimeOrigin::requestStart)
        return 0;
    return lane.firstTokenS();
}

std::optional<double> TimeChart::endOf(const ChartLane& lane) const {
    const std::optional<double> shift = shiftOf(lane);
    const std::optional<double> end = lane.endS();
    if (!shift || !end)
        return std::nullopt;
    return *end - *shift;
}

void TimeChart::updateTimeAxis() {
    double needed = 0;
    for (const ChartLane& lane : m_lanes) {
        if (const std::optional<double> end = endOf(lane))
            needed = std::max(needed, *end);
        const std::optional<double> shift = shiftOf(lane);
        if (shift && lane.curves->arrivals() > 0)
            needed = std::max(needed, static_cast<double>(lane.curves->times().back()) - *shift);
    }
    const int ticks = std::clamp(static_cast<int>(plotRect().width() / 64), 2, 10);
    if (needed > 0)
        m_everything = m_stepped.update(needed, ticks);
    else
        m_everything = kEmptySpanS;
    const auto [from, to] = m_view.timeRange().value_or(std::pair(0.0, m_everything));
    m_x = linearAxis(from, to, ticks, QStringLiteral("s"));
}

std::vector<StallRef> TimeChart::stallsAt(double px) const {
    const AxisMap x = xMap();
    std::vector<std::pair<double, StallRef>> found;
    for (const ChartLane& lane : m_lanes) {
        const std::optional<double> shift = shiftOf(lane);
        if (!shift || !lane.summary)
            continue;
        for (std::size_t i = 0; i < lane.summary->stalls.size(); ++i) {
            const Stall& stall = lane.summary->stalls[i];
            const double left = x(stall.startS - *shift);
            const double right = std::max(x(stall.startS + stall.lengthS - *shift), left + 3);
            if (px >= left && px <= right)
                found.emplace_back(right - left, StallRef{lane.id, static_cast<std::uint32_t>(i)});
        }
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<StallRef> stalls;
    for (const auto& [width, stall] : found)
        stalls.push_back(stall);
    return stalls;
}

QString TimeChart::tipAt(QPointF at) const {
    QStringList accounts;
    for (const StallRef& ref : stallsAt(at.x())) {
        for (const ChartLane& lane : m_lanes) {
            if (lane.id != ref.lane)
                continue;
            Stall stall = lane.summary->stalls[ref.stall];
            if (lane.others && ref.stall < lane.others->size())
                stall.others = (*lane.others)[ref.stall];
            accounts << letterOf(lane) + QStringLiteral(": ") +
                            stallAccount(stall, lane.record->clock != ClockSource::user);
        }
    }
    return accounts.join(QStringLiteral("\n\n"));
}

TokenRef TimeChart::tokenOf(const ChartLane& lane, std::size_t arrival) {
    return {lane.id, LaneCurves::eventOf(*lane.record, static_cast<double>(lane.curves->times()[arrival]))};
}

std::optional<double> TimeChart::timeOf(const TokenRef& token) const {
    for (const ChartLane& lane : m_lanes) {
        const std::optional<double> shift = shiftOf(lane);
        if (lane.id == token.lane && shift && token.event < lane.record->events.size())
            return *lane.sinceStart(lane.record->events[token.event].at) - *shift;
    }
    return std::nullopt;
}

QString TimeChart::cursorFlag() const {
    const std::optional<double> at = m_view.cursorS();
    if (!at)
        return {};
    // Zoomed in so far that whole milliseconds count, the flag tells them.
    if (m_x.max - m_x.min < 2)
        return tickNumber(*at, 3) + QChar(0x2009) + u's';
    return tickNumber(*at, 2) + QChar(0x2009) + u's';
}

void TimeChart::hover(QPointF at) {
    const QRectF plot = plotRect();
    const bool inside = at.x() >= plot.left() && at.x() <= plot.right();
    if (!m_view.cursorFrozen())
        m_view.setCursorS(inside ? std::optional(xMap().inverse(at.x())) : std::nullopt);
    m_view.setHovered(inside ? tokenAt(at) : std::nullopt);
}

void TimeChart::unhover() {
    if (!m_view.cursorFrozen())
        m_view.setCursorS(std::nullopt);
    m_view.setHovered(std::nullopt);
}

void TimeChart::click(QPointF at) {
    const std::optional<TokenRef> token = tokenAt(at);
    const std::vector<StallRef> stalls = stallsAt(at.x());
    if (!stalls.empty()) {
        // Where several lie over each other, one click after another goes through them.
        const auto shown = m_view.stall() ? std::find(stalls.begin(), stalls.end(), *m_view.stall()) : stalls.end();
        const StallRef stall = shown == stalls.end() || shown + 1 == stalls.end() ? stalls.front() : *(shown + 1);
        m_view.setStall(stall);
        for (const ChartLane& lane : m_lanes) {
            if (lane.id != stall.lane || !lane.summary)
                continue;
            const std::uint32_t event = lane.summary->stalls[stall.stall].eventIndex;
            if (event < lane.record->events.size())
                m_view.setSelected(TokenRef{lane.id, event});
        }
    } else if (token) {
        m_view.setStall(std::nullopt);
        m_view.setSelected(token);
    }
}

void TimeChart::setRange(double from, double to) {
    const double span = std::max(to - from, kLeastSpanS);
    from = std::max(from, 0.0);
    to = from + span;
    if (to > m_everything) {
        to = m_everything;
        from = std::max(0.0, to - span);
    }
    if (from <= 1e-9 && to >= m_everything - 1e-9)
        m_view.setTimeRange(std::nullopt);
    else
        m_view.setTimeRange(std::pair(from, to));
}

void TimeChart::zoom(double factor, double around) {
    setRange(around - (around - m_x.min) * factor, around + (m_x.max - around) * factor);
}

void TimeChart::pan(double seconds) {
    const double span = m_x.max - m_x.min;
    const double from = std::clamp(m_x.min + seconds, 0.0, std::max(0.0, m_everything - span));
    setRange(from, from + span);
}

void TimeChart::wheel(QPointF at, double notches, Qt::KeyboardModifiers modifiers) {
    zoom(std::pow(zoomStep(modifiers), -notches), std::clamp(xMap().inverse(at.x()), m_x.min, m_x.max));
}

void TimeChart::drag(QPointF from, QPointF to, Qt::KeyboardModifiers modifiers, bool ended) {
    const AxisMap x = xMap();
    const QRectF plot = plotRect();
    if (modifiers & Qt::ShiftModifier) {
        // The axis moves with the hand, from where it was when the drag began.
        if (!m_panFrom)
            m_panFrom = std::pair(m_x.min, m_x.max);
        const double span = m_panFrom->second - m_panFrom->first;
        const double start = m_panFrom->first - (to.x() - from.x()) / plot.width() * span;
        const double left = std::clamp(start, 0.0, std::max(0.0, m_everything - span));
        setRange(left, left + span);
        if (ended)
            m_panFrom.reset();
        return;
    }
    m_panFrom.reset();
    const double a = std::clamp(from.x(), plot.left(), plot.right());
    const double b = std::clamp(to.x(), plot.left(), plot.right());
    const bool ranges = modifiers & Qt::ControlModifier;
    if (ended) {
        m_overlay->setMeasure(std::nullopt, {});
        if (ranges && std::abs(b - a) > 3)
            setRange(x.inverse(std::min(a, b)), x.inverse(std::max(a, b)));
        return;
    }
    m_overlay->setMeasure(std::pair(a, b), formatDuration(std::abs(x.inverse(b) - x.inverse(a))).joined());
}

bool TimeChart::key(int key, Qt::KeyboardModifiers modifiers) {
    const double middle = m_view.cursorS().value_or((m_x.min + m_x.max) / 2);
    const double around = std::clamp(middle, m_x.min, m_x.max);
    const double step = (m_x.max - m_x.min) * kPanShare;
    switch (key) {
    case Qt::Key_W:
        zoom(1 / zoomStep(modifiers), around);
        return true;
    case Qt::Key_S:
        zoom(zoomStep(modifiers), around);
        return true;
    case Qt::Key_A:
    case Qt::Key_Left:
        pan(-step);
        return true;
    case Qt::Key_D:
    case Qt::Key_Right:
        pan(step);
        return true;
    case Qt::Key_F:
        fit();
        return true;
    case Qt::Key_Space:
        m_view.setCursorFrozen(!m_view.cursorFrozen());
        return true;
    default:
        return false;
    }
}

void TimeChart::fit() {
    const std::optional<double> selected = m_view.selected() ? timeOf(*m_view.selected()) : std::nullopt;
    const double span = m_x.max - m_x.min;
    const bool zoomed = m_view.timeRange().has_value();
    if (selected && zoomed && std::abs(*selected - (m_x.min + m_x.max) / 2) > span * 0.02) {
        const double from = std::clamp(*selected - span / 2, 0.0, std::max(0.0, m_everything - span));
        if (std::abs(from - m_x.min) > span * 0.01) {
            setRange(from, from + span);
            return;
        }
    }
    m_view.setTimeRange(std::nullopt);
}

} // namespace decodescope
