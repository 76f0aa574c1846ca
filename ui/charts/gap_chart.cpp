#include "ui/charts/gap_chart.h"

#include "ui/theme/format.h"
#include "ui/theme/look.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace decodescope {
namespace {

// Nothing finer than this is printed, so nothing finer is drawn.
constexpr double kLeastMs = 0.1;
constexpr double kHitPx = 40;
constexpr std::size_t kManyStalls = 5; ///< of one lane: their edges are drawn weaker
constexpr double kHiccupBand = 6;
constexpr double kMarker = 3.5;

} // namespace

GapChart::GapChart(ViewState& view, QWidget* parent)
    : TimeChart(view, tr("Gap between tokens"), parent) {
    m_header->addSwitch({tr("log"), tr("linear")}, 0, tr("Gap scale"));
    connect(m_header, &ChartHeader::switched, this, [this](int index) { setLogarithmic(index == 0); });
    refresh();
}

void GapChart::setLogarithmic(bool log) {
    if (log == m_log)
        return;
    m_log = log;
    m_header->setSwitch(log ? 0 : 1);
    refresh();
}

bool GapChart::hasData() const {
    return std::any_of(m_lanes.begin(), m_lanes.end(),
                       [](const ChartLane& lane) { return lane.curves->gaps().size() > 0; });
}

QString GapChart::emptyLine() const {
    return allOver() ? tr("No lane had two tokens, so there is no gap") : tr("Gaps appear with the second token");
}

void GapChart::updateAxes() {
    updateTimeAxis();
    MinMaxPyramid::Extent all;
    for (const ChartLane& lane : m_lanes) {
        all.include(lane.curves->gaps().extent(0, lane.curves->gaps().size()));
        if (!lane.summary)
            continue;
        for (const Stall& stall : lane.summary->stalls) // an open stall is no gap yet
            all.include(static_cast<float>(stall.lengthS));
    }
    const double topMs = all.empty() ? 500 : static_cast<double>(all.max) * 1000;
    if (!m_log) {
        m_y = linearAxis(0, m_linearTop.update(topMs * 1.08, 5), 5, QStringLiteral("ms"));
        m_y.grid = true;
        return;
    }
    // Whole decades below, 1-2-5 above: both move rarely.
    const double leastMs = all.empty() ? 1 : static_cast<double>(all.min) * 1000;
    m_lowMs = std::clamp(std::pow(10.0, std::floor(std::log10(std::max(leastMs, kLeastMs)))), kLeastMs, 1.0);
    const double wanted = std::max(topMs * 1.2, 100.0);
    const double power = std::pow(10.0, std::floor(std::log10(wanted)));
    m_highMs = wanted <= 2 * power ? 2 * power : wanted <= 5 * power ? 5 * power : 10 * power;
    m_y = logDurationAxis(m_lowMs, m_highMs);
    m_y.grid = true;
}

double GapChart::heightOf(double gapS) const {
    const double ms = std::max(gapS * 1000, m_log ? m_lowMs : 0.0);
    return yMap()(m_log ? std::log10(ms) : ms);
}

void GapChart::paintPlot(QPainter& painter, const QRectF& plot) {
    const std::vector<SeenStall> stalls = seenStalls(plot);
    std::vector<TopWord> words = stallWords(stalls, m_lanes, m_view);
    for (const SeenStall& stall : stalls) {
        painter.setOpacity(opacityOf(m_lanes[stall.lane]));
        drawStallBox(painter, plot, stall.box);
    }
    painter.setOpacity(1);
    paintHiccups(painter, plot);
    painter.save();
    painter.setClipRect(plot.adjusted(0, 0, 1, 1));
    for (const std::size_t index : order()) {
        const ChartLane& lane = m_lanes[index];
        if (const std::optional<double> shift = shiftOf(lane))
            paintLine(painter, lane, *shift);
    }
    painter.restore();
    for (const ChartLane& lane : m_lanes) {
        if (const std::optional<double> shift = shiftOf(lane))
            paintEnd(painter, plot, lane, *shift, words);
    }
    painter.setOpacity(1);
    paintStallMarkers(painter, plot, stalls);
    // Where the fewest gaps lie: on the logarithmic axis below them, on the linear one above.
    const double within = m_log ? plot.bottom() - 28 : plot.center().y();
    drawTopWords(painter, std::move(words), plot.left() - 40, plot.right() + 10, plot.top() - 8, within);
    paintSelected(painter);
}

std::vector<SeenStall> GapChart::seenStalls(const QRectF& plot) const {
    const AxisMap x = xMap();
    std::vector<SeenStall> seen;
    for (std::size_t index = 0; index < m_lanes.size(); ++index) {
        const ChartLane& lane = m_lanes[index];
        const std::optional<double> shift = shiftOf(lane);
        if (!shift || !lane.summary)
            continue;
        const double edge = lane.summary->stalls.size() > kManyStalls ? 0.45 : 1;
        for (std::size_t i = 0; i < lane.summary->stalls.size(); ++i) {
            const Stall& stall = lane.summary->stalls[i];
            SeenStall one{index, static_cast<std::uint32_t>(i), {}};
            one.box.x0 = x(stall.startS - *shift);
            one.box.x1 = x(stall.startS + stall.lengthS - *shift);
            if (one.box.x1 < plot.left() || one.box.x0 > plot.right())
                continue;
            one.box.kind = stall.kind;
            one.box.look = lane.look;
            one.box.edge = edge;
            one.box.selected = m_view.stall() == StallRef{lane.id, one.stall};
            seen.push_back(one);
        }
    }
    levelStalls(seen);
    return seen;
}

void GapChart::paintHiccups(QPainter& painter, const QRectF& plot) {
    const AxisMap x = xMap();
    const QRectF line(plot.left(), plot.bottom() - kHiccupBand, plot.width(), kHiccupBand);
    for (const ChartLane& lane : m_lanes) {
        const std::optional<double> shift = shiftOf(lane);
        if (!shift || lane.curves->arrivals() == 0)
            continue;
        double drawnTo = plot.left(); // many lie in one pixel where minutes are shown
        for (const Hiccup& hiccup : lane.record->hiccups) {
            const double left = std::max(x(*lane.sinceStart(hiccup.due) - *shift), line.left());
            const double right = std::min(std::max(x(*lane.sinceStart(hiccup.woke) - *shift), left + 2), line.right());
            if (right <= left || right <= drawnTo)
                continue;
            Look::instance().drawHatch(
                painter, QRectF(QPointF(std::max(left, drawnTo), line.top()), QPointF(right, line.bottom())));
            drawnTo = right;
        }
    }
}

void GapChart::paintLine(QPainter& painter, const ChartLane& lane, double shift) {
    const auto y = [this, map = yMap()](float gapS) {
        const double ms = std::max(static_cast<double>(gapS) * 1000, m_log ? m_lowMs : 0.0);
        return map(m_log ? std::log10(ms) : ms);
    };
    std::vector<QPointF> vertices = gapVertices(*lane.curves, shift, xMap(), y, 1 / dpr());
    if (lane.summary && !lane.summary->stalls.empty() && lane.summary->stalls.back().kind == StallKind::open) {
        // The gap that is still growing, as far as it has come.
        const Stall& open = lane.summary->stalls.back();
        const AxisMap x = xMap();
        vertices.emplace_back(x(open.startS - shift), heightOf(open.lengthS));
        vertices.emplace_back(x(open.startS + open.lengthS - shift), heightOf(open.lengthS));
    }
    countPoints(vertices.size());
    QList<QLineF> lines;
    appendCrispSegments(vertices, dpr(), lines);
    // Jagged: thin, solid and on the pixel grid (look.md 10, 23).
    const bool front = m_view.front() == lane.id;
    QPen pen(Look::instance().lane(lane.look).colour, front || lane.look >= 8 ? 2 : 1);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setOpacity(opacityOf(lane));
    painter.setPen(pen);
    painter.drawLines(lines);
    painter.setOpacity(1);
}

void GapChart::paintStallMarkers(QPainter& painter, const QRectF& plot, const std::vector<SeenStall>& stalls) {
    const Look& look = Look::instance();
    for (const SeenStall& seen : stalls) {
        if (seen.box.kind == StallKind::client || seen.box.x1 > plot.right())
            continue;
        const ChartLane& lane = m_lanes[seen.lane];
        // Of one instant and one length they would cover each other: side by side along the plateau.
        const double wanted = seen.box.insetRight > 0 ? seen.box.level * 2.4 * kMarker : 0;
        const double aside = std::min(wanted, (seen.box.x1 - seen.box.x0) / 2);
        painter.setOpacity(opacityOf(lane));
        drawMarkerShape(painter, look.lane(lane.look).marker,
                        {seen.box.x1 - aside, heightOf(lane.summary->stalls[seen.stall].lengthS)}, kMarker,
                        look.colours().stall);
    }
    painter.setOpacity(1);
}

void GapChart::paintEnd(QPainter& painter, const QRectF& plot, const ChartLane& lane, double shift,
                        std::vector<TopWord>& words) {
    const Look& look = Look::instance();
    const AxisMap x = xMap();
    const MinMaxPyramid& gaps = lane.curves->gaps();
    painter.setOpacity(opacityOf(lane));
    if (lane.state == LaneState::running && gaps.size() > 0) {
        const double px = x(static_cast<double>(lane.curves->times().back()) - shift);
        if (px >= plot.left() && px <= plot.right()) {
            painter.setRenderHint(QPainter::Antialiasing, true);
            painter.setPen(Qt::NoPen);
            painter.setBrush(look.lane(lane.look).colour);
            painter.drawEllipse(QPointF(px, heightOf(static_cast<double>(gaps.at(gaps.size() - 1)))), 3, 3);
        }
    }
    const bool cut = lane.state == LaneState::cut || (lane.state == LaneState::failed && lane.curves->arrivals() > 0);
    const bool stopped = lane.state == LaneState::cancelled;
    const std::optional<double> end = endOf(lane);
    if ((!cut && !stopped) || !end)
        return;
    const double px = x(*end);
    if (px < plot.left() || px > plot.right())
        return;
    const QColor colour = cut ? look.colours().fail : look.colours().ink2;
    drawVertical(painter, px, plot.top(), plot.bottom(), colour, {2, 3}, 2);
    const QString word = stopped ? tr("stopped") : lane.state == LaneState::cut ? tr("cut") : tr("failed");
    words.push_back({px, 1e9, letterOf(lane) + u' ' + word, colour, true});
}

std::optional<QLineF> GapChart::plateauOf(const TokenRef& token) const {
    const auto found = arrivalOf(token);
    if (!found || found->second == 0)
        return std::nullopt; // the first token has no gap before it
    const auto& [lane, arrival] = *found;
    const std::optional<double> shift = shiftOf(*lane);
    if (!shift)
        return std::nullopt;
    const AxisMap x = xMap();
    const double y = heightOf(static_cast<double>(lane->curves->gaps().at(arrival - 1)));
    return QLineF(x(static_cast<double>(lane->curves->times()[arrival - 1]) - *shift), y,
                  x(static_cast<double>(lane->curves->times()[arrival]) - *shift), y);
}

void GapChart::paintSelected(QPainter& painter) {
    const std::optional<QLineF> plateau = m_view.selected() ? plateauOf(*m_view.selected()) : std::nullopt;
    if (!plateau)
        return;
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(Look::instance().colours().ink, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(plateau->p1(), plateau->p2()).adjusted(-4, -5, 4, 5), 2, 2);
}

std::optional<QPointF> GapChart::hoveredSpot() const {
    const std::optional<QLineF> plateau = plateauOf(*m_view.hovered());
    return plateau ? std::optional(plateau->center()) : std::nullopt;
}

std::vector<HeaderValue> GapChart::headerValues() const {
    std::vector<HeaderValue> values;
    for (const ChartLane& lane : m_lanes) {
        HeaderValue value;
        value.look = lane.look;
        const std::optional<double> shift = shiftOf(lane);
        const MinMaxPyramid& gaps = lane.curves->gaps();
        std::optional<std::size_t> gap;
        if (shift && m_view.cursorS())
            gap = lane.curves->gapAt(*m_view.cursorS() + *shift);
        else if (lane.state == LaneState::running && gaps.size() > 0)
            gap = gaps.size() - 1;
        if (gap) {
            const bool kernel = lane.record->clock != ClockSource::user;
            value.text = formatGap(static_cast<double>(gaps.at(*gap)), kernel).joined();
        } else {
            value.weak = true;
            const std::optional<double> end = endOf(lane);
            const bool over = !m_view.cursorS() || (end && *m_view.cursorS() >= *end - 1e-9) ||
                              (shift && lane.curves->arrivals() > 0 &&
                               *m_view.cursorS() + *shift > static_cast<double>(lane.curves->times().back()));
            switch (over ? lane.state : LaneState::idle) {
            case LaneState::done:
                value.text = tr("done");
                break;
            case LaneState::failed:
                value.text = tr("failed");
                break;
            case LaneState::cut:
                value.text = tr("cut");
                break;
            case LaneState::cancelled:
                value.text = tr("stopped");
                break;
            case LaneState::waiting:
            case LaneState::connecting:
                value.text = tr("waiting");
                break;
            case LaneState::idle:
            case LaneState::running:
            case LaneState::notStreamed:
                value.text = enDash();
                break;
            }
        }
        values.push_back(value);
    }
    return values;
}

std::vector<LegendItem> GapChart::legend() const {
    bool delivery = false;
    bool generation = false;
    bool ours = false;
    for (const ChartLane& lane : m_lanes) {
        if (!lane.summary)
            continue;
        for (const Stall& stall : lane.summary->stalls) {
            delivery = delivery || stall.kind == StallKind::delivery;
            generation = generation || stall.kind == StallKind::generation;
            ours = ours || stall.kind == StallKind::client;
        }
        ours = ours || lane.summary->hiccupGaps > 0;
    }
    std::vector<LegendItem> items;
    if (delivery || generation) {
        items.push_back({LegendItem::Sample::dashedEdges, {}, tr("delivery")});
        items.push_back({LegendItem::Sample::solidEdges, {}, tr("generation stall")});
    }
    if (ours)
        items.push_back({LegendItem::Sample::hatched, {}, tr("own machine")});
    return items;
}

std::optional<TokenRef> GapChart::tokenAt(QPointF at) const {
    const AxisMap x = xMap();
    std::optional<TokenRef> found;
    double nearest = kHitPx;
    for (const ChartLane& lane : m_lanes) {
        const std::optional<double> shift = shiftOf(lane);
        if (!shift)
            continue;
        const std::optional<std::size_t> gap = lane.curves->gapAt(x.inverse(at.x()) + *shift);
        if (!gap)
            continue;
        const double distance = std::abs(heightOf(static_cast<double>(lane.curves->gaps().at(*gap))) - at.y());
        if (distance < nearest) {
            nearest = distance;
            found = tokenOf(lane, *gap + 1);
        }
    }
    return found;
}

QString GapChart::sentence() const {
    QStringList parts;
    for (const ChartLane& lane : m_lanes) {
        if (!lane.summary || !lane.summary->itl)
            continue;
        const Distribution& gaps = *lane.summary->itl;
        const bool kernel = lane.record->clock != ClockSource::user;
        QString part =
            tr("lane %1: median gap %2, longest %3, %n stall(s)", nullptr,
               static_cast<int>(lane.summary->stalls.size()))
                .arg(letterOf(lane), formatGap(gaps.p50, kernel).joined(), formatGap(gaps.max, kernel).joined());
        for (const StallKind kind : {StallKind::delivery, StallKind::generation, StallKind::phase, StallKind::client}) {
            const auto count = std::count_if(lane.summary->stalls.begin(), lane.summary->stalls.end(),
                                             [&](const Stall& stall) { return stall.kind == kind; });
            if (count > 0)
                part += QStringLiteral(", %1 %2").arg(count).arg(stallWord(kind));
        }
        parts << part;
    }
    if (parts.isEmpty())
        return tr("Gap between tokens over time: nothing to show yet.");
    return tr("Gap between tokens over time. %1.").arg(parts.join(QStringLiteral("; ")));
}

} // namespace decodescope
