#include "ui/charts/rate_chart.h"

#include "core/metrics/engine_metrics.h"
#include "ui/theme/format.h"
#include "ui/theme/look.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace decodescope {
namespace {

constexpr double kHitPx = 14;
constexpr double kLeastSpan = 8;
constexpr std::size_t kSamples = 256;
// A curve that passes this many times the usual rate is a burst: cut at the edge and named, not scaled to.
constexpr double kBurst = 1.6;
constexpr double kBoundStepPx = 8;
// A bound far above the curves would press them flat: then it stays out of view.
constexpr double kBoundInView = 3;

} // namespace

RateChart::RateChart(ViewState& view, QWidget* parent)
    : ChartPanel(view, tr("Rate at position"), parent) {
    refresh();
}

bool RateChart::hasData() const {
    return std::any_of(m_lanes.begin(), m_lanes.end(),
                       [](const ChartLane& lane) { return lane.curves->rates().size() > 0; });
}

QString RateChart::emptyLine() const {
    return allOver() ? tr("No lane had two tokens, so there is no rate") : tr("The rate appears with the second token");
}

std::optional<double> RateChart::runRate(const ChartLane& lane) const {
    if (!lane.summary)
        return std::nullopt;
    switch (m_view.unit()) {
    case RateUnit::characters:
        return lane.summary->charsPerS;
    case RateUnit::words:
        return lane.summary->wordsPerS;
    case RateUnit::tokens:
        break;
    }
    return lane.curves->countsTokens() ? lane.summary->decodeTps : lane.summary->eventsPerS;
}

void RateChart::updateAxes() {
    double positions = 0;
    double usual = 0;
    double most = 0;
    std::vector<double> bounds; // of the lanes' memory
    for (const ChartLane& lane : m_lanes) {
        const MinMaxPyramid& rates = lane.curves->rates();
        positions = std::max(positions, static_cast<double>(rates.size()));
        if (const std::optional<double> rate = runRate(lane))
            usual = std::max(usual, *rate);
        // The level that three quarters of the curve stay under, from an even sample of it.
        std::vector<float> sample;
        const std::size_t stride = std::max<std::size_t>(1, rates.size() / kSamples);
        for (std::size_t i = stride / 2; i < rates.size(); i += stride) {
            if (!std::isnan(rates.at(i)))
                sample.push_back(rates.at(i));
        }
        if (!sample.empty()) {
            const auto upper = sample.begin() + static_cast<std::ptrdiff_t>((sample.size() - 1) * 3 / 4);
            std::nth_element(sample.begin(), upper, sample.end());
            usual = std::max(usual, static_cast<double>(*upper));
        }
        const MinMaxPyramid::Extent extent = rates.extent(0, rates.size());
        if (!extent.empty())
            most = std::max(most, static_cast<double>(extent.max));
        // A lane of our own engine is seen against what the memory allows it.
        if (m_view.unit() == RateUnit::tokens && lane.record && lane.record->engine && rates.size() > 0) {
            const double bound = predictedTps(*lane.record->engine, 1).value_or(0);
            bounds.push_back(bound);
        }
    }
    double boundInView = 0;
    for (const double bound : bounds)
        if (bound < kBoundInView * usual)
            boundInView = std::max(boundInView, bound);
    const int xTicks = std::clamp(static_cast<int>(plotRect().width() / 70), 2, 8);
    m_everything = positions > 0 ? m_stepped.update(positions, std::max(xTicks, 4)) : 100;
    const auto [from, to] = m_range.value_or(std::pair(1.0, m_everything));
    m_x = linearAxis(from, to, xTicks, {});
    if (!m_range) // counting begins at one
        m_x.ticks.insert(m_x.ticks.begin(), Tick{1, QStringLiteral("1")});
    const double reach = std::max(most <= kBurst * usual ? most * 1.05 : usual * 1.25, boundInView * 1.05);
    const int yTicks = std::clamp(static_cast<int>(plotRect().height() / 24), 2, 7);
    m_y = linearAxis(0, reach > 0 ? m_top.update(reach, 7) : 100, yTicks, {});
    m_y.grid = true;
}

void RateChart::paintPlot(QPainter& painter, const QRectF& plot) {
    std::vector<EndLabel> labels;
    m_burstWords.clear();
    paintStallTicks(painter, plot);
    paintBounds(painter, plot);
    for (const std::size_t index : order())
        paintLane(painter, plot, index, labels);
    painter.setOpacity(1);
    drawEndLabels(painter, std::move(labels),
                  QRectF(plot.left(), plot.top() - 6, plot.width() + 64, plot.height() + 6));
}

void RateChart::paintLane(QPainter& painter, const QRectF& plot, std::size_t index, std::vector<EndLabel>& labels) {
    const ChartLane& lane = m_lanes[index];
    const MinMaxPyramid& rates = lane.curves->rates();
    if (rates.size() == 0)
        return;
    const AxisMap x = xMap();
    const AxisMap y = yMap();
    const std::size_t settled = lane.inFlight() ? lane.curves->provisionalFrom() : rates.size();
    painter.setOpacity(opacityOf(lane));
    painter.save();
    painter.setClipRect(plot.adjusted(0, 0, 1, 1));
    for (const auto& piece : rateVertices(rates, 0, settled, x, y, 1 / dpr()))
        drawCurve(painter, lane, piece);
    if (settled < rates.size()) {
        QList<QLineF> dots;
        for (const auto& piece : rateVertices(rates, settled == 0 ? 0 : settled - 1, rates.size(), x, y, 1 / dpr())) {
            countPoints(piece.size());
            appendDashes(piece, {1, 3}, dots);
        }
        painter.setPen(QPen(Look::instance().lane(lane.look).colour, 1));
        painter.drawLines(dots);
    }
    painter.restore();
    paintBursts(painter, plot, lane);
    // The last position that has a rate carries the label.
    std::size_t last = rates.size();
    while (last > 0 && std::isnan(rates.at(last - 1)))
        --last;
    if (last == 0)
        return;
    const double px = x(static_cast<double>(last));
    if (px < plot.left() - 1 || px > plot.right() + 1)
        return;
    const double py = std::clamp(y(static_cast<double>(rates.at(last - 1))), plot.top(), plot.bottom());
    const std::optional<double> rate = runRate(lane);
    labels.push_back(
        {static_cast<int>(index), lane.look, QPointF(px, py), formatRate(rate), lane.abnormal() || !rate, {}, {}});
}

void RateChart::paintBounds(QPainter& painter, const QRectF& plot) {
    if (m_view.unit() != RateUnit::tokens)
        return; // the bound is one of tokens
    const AxisMap x = xMap();
    const AxisMap y = yMap();
    painter.save();
    painter.setClipRect(plot.adjusted(0, 0, 1, 1));
    painter.setRenderHint(QPainter::Antialiasing, true);
    for (const ChartLane& lane : m_lanes) {
        if (!lane.record || !lane.record->engine || lane.curves->rates().size() == 0)
            continue;
        const std::uint64_t prompt = lane.record->enginePrompt ? lane.record->enginePrompt->tokens : 0;
        std::vector<QPointF> vertices;
        for (double px = plot.left(); px <= plot.right() + kBoundStepPx; px += kBoundStepPx) {
            const double position = std::max(1.0, x.inverse(px));
            if (const auto bound = predictedTps(*lane.record->engine, prompt + static_cast<std::uint64_t>(position)))
                vertices.emplace_back(px, y(*bound));
        }
        QList<QLineF> dashes;
        appendDashes(vertices, {5, 4}, dashes);
        countPoints(vertices.size());
        painter.setOpacity(opacityOf(lane) * 0.7);
        painter.setPen(QPen(Look::instance().lane(lane.look).colour, 1));
        painter.drawLines(dashes);
    }
    painter.restore();
}

void RateChart::paintBursts(QPainter& painter, const QRectF& plot, const ChartLane& lane) {
    const MinMaxPyramid& rates = lane.curves->rates();
    const AxisMap x = xMap();
    const Look& look = Look::instance();
    const std::size_t begin = m_x.min > 1 ? static_cast<std::size_t>(m_x.min - 1) : 0;
    const auto end = static_cast<std::size_t>(std::max(1.0, m_x.max));
    const auto top = static_cast<float>(m_y.max);
    const std::vector<MinMaxPyramid::Column> columns =
        rates.query(begin, end, static_cast<std::size_t>(std::max(1.0, plot.width())));
    painter.setFont(look.font(Type::small));
    const QFontMetricsF metrics(painter.font());
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].extent.empty() || columns[i].extent.max <= top)
            continue;
        const std::size_t first = columns[i].begin;
        float peak = columns[i].extent.max;
        // One mark for one excursion, however jagged: it is over where the curve stays below for a window's length.
        std::size_t below = columns[i].end;
        while (i + 1 < columns.size() && columns[i + 1].begin < below + 16) {
            ++i;
            if (!columns[i].extent.empty() && columns[i].extent.max > top) {
                peak = std::max(peak, columns[i].extent.max);
                below = columns[i].end;
            }
        }
        const QPointF at(std::clamp(x(static_cast<double>(first) + 1), plot.left() + 4, plot.right() - 4),
                         plot.top() + 4);
        drawMarkerShape(painter, Marker::triangle, at, 4, look.lane(lane.look).colour);
        const QString words = tr("burst %1").arg(formatRate(static_cast<double>(peak)));
        const double width = metrics.horizontalAdvance(words);
        const bool leftSide = at.x() - 9 - width >= plot.left();
        const QRectF box(leftSide ? at.x() - 9 - width : at.x() + 9, plot.top() - 1, width, 14);
        const bool free = std::none_of(m_burstWords.begin(), m_burstWords.end(), [&](const QRectF& other) {
            return other.intersects(box.adjusted(-4, 0, 4, 0));
        });
        if (!free)
            continue;
        m_burstWords.push_back(box);
        painter.setPen(look.colours().ink2);
        painter.drawText(QPointF(box.left(), plot.top() + 9), words);
    }
}

void RateChart::paintStallTicks(QPainter& painter, const QRectF& plot) {
    const AxisMap x = xMap();
    for (const ChartLane& lane : m_lanes) {
        if (!lane.summary)
            continue;
        painter.setOpacity(opacityOf(lane));
        for (const Stall& stall : lane.summary->stalls) {
            const double px = x(stall.tokenIndex);
            if (stall.kind != StallKind::client && px >= plot.left() && px <= plot.right())
                drawVertical(painter, px, plot.bottom() - 7, plot.bottom(), Look::instance().colours().stall,
                             stallEdgeDash(stall.kind), 2);
        }
    }
    painter.setOpacity(1);
}

std::optional<std::size_t> RateChart::rateIndex(const ChartLane& lane, double position) {
    const double index = std::round(position) - 1;
    if (index < 0 || index >= static_cast<double>(lane.curves->rates().size()))
        return std::nullopt;
    return static_cast<std::size_t>(index);
}

std::optional<double> RateChart::cursorPosition(const ChartLane& lane) const {
    if (m_cursor)
        return m_cursor;
    const std::optional<double> first = lane.firstTokenS();
    if (!first)
        return std::nullopt;
    const double seconds = *m_view.cursorS() + (m_view.origin() == TimeOrigin::firstToken ? *first : 0);
    const ChunkedArray<float>& times = lane.curves->times();
    if (seconds < *first || seconds > static_cast<double>(times.back()))
        return std::nullopt;
    return static_cast<double>(lane.curves->tokens()[times.lowerBound(seconds)]);
}

std::optional<QPointF> RateChart::hoveredSpot() const {
    const auto found = arrivalOf(*m_view.hovered());
    if (!found)
        return std::nullopt;
    const auto& [lane, arrival] = *found;
    const double position = static_cast<double>(lane->curves->tokens()[arrival]);
    const std::optional<std::size_t> index = rateIndex(*lane, position);
    if (!index || std::isnan(lane->curves->rates().at(*index)))
        return std::nullopt;
    return QPointF(xMap()(position), yMap()(static_cast<double>(lane->curves->rates().at(*index))));
}

std::vector<HeaderValue> RateChart::headerValues() const {
    std::vector<HeaderValue> values;
    if (!m_cursor && !m_view.cursorS())
        return values;
    for (const ChartLane& lane : m_lanes) {
        HeaderValue value{lane.look, enDash(), true};
        const std::optional<double> position = cursorPosition(lane);
        const std::optional<std::size_t> index = position ? rateIndex(lane, *position) : std::nullopt;
        if (index && !std::isnan(lane.curves->rates().at(*index))) {
            value.text = formatRate(static_cast<double>(lane.curves->rates().at(*index)));
            value.weak = false;
        }
        values.push_back(value);
    }
    return values;
}

std::vector<LegendItem> RateChart::legend() const {
    QString unit = tr("tok/s");
    const bool events = !m_lanes.empty() && std::all_of(m_lanes.begin(), m_lanes.end(), [](const ChartLane& lane) {
        return lane.summary && !lane.curves->countsTokens();
    });
    if (m_view.unit() == RateUnit::characters)
        unit = tr("chars/s");
    else if (m_view.unit() == RateUnit::words)
        unit = tr("words/s");
    else if (events)
        unit = tr("events/s");
    const bool flying =
        std::any_of(m_lanes.begin(), m_lanes.end(), [](const ChartLane& lane) { return lane.inFlight(); });
    QString words = tr("%1 over 32 tokens; right: rate of the run").arg(unit);
    if (std::any_of(m_lanes.begin(), m_lanes.end(),
                    [](const ChartLane& lane) { return lane.record && lane.record->engine; }))
        words += tr("; dashed: what the memory allows");
    if (flying)
        words += tr("; dotted: provisional");
    return {{LegendItem::Sample::none, {}, words}};
}

std::optional<TokenRef> RateChart::tokenAt(QPointF at) const {
    const double position = xMap().inverse(at.x());
    const AxisMap y = yMap();
    std::optional<TokenRef> found;
    double nearest = kHitPx;
    for (const ChartLane& lane : m_lanes) {
        const std::optional<std::size_t> index = rateIndex(lane, position);
        if (!index || std::isnan(lane.curves->rates().at(*index)))
            continue;
        const double distance = std::abs(y(static_cast<double>(lane.curves->rates().at(*index))) - at.y());
        if (distance >= nearest)
            continue;
        nearest = distance;
        const ChunkedArray<float>& tokens = lane.curves->tokens();
        const std::size_t arrival = std::min(tokens.lowerBound(std::round(position)), tokens.size() - 1);
        const double arrivalS = static_cast<double>(lane.curves->times()[arrival]);
        found = TokenRef{lane.id, LaneCurves::eventOf(*lane.record, arrivalS)};
    }
    return found;
}

QString RateChart::cursorFlag() const {
    return m_cursor ? formatCount(std::round(*m_cursor)) : QString();
}

void RateChart::hover(QPointF at) {
    const QRectF plot = plotRect();
    const bool inside = at.x() >= plot.left() && at.x() <= plot.right();
    m_cursor = inside ? std::optional(std::max(1.0, std::round(xMap().inverse(at.x())))) : std::nullopt;
    m_view.setHovered(inside ? tokenAt(at) : std::nullopt);
    refreshCursor();
}

void RateChart::unhover() {
    m_cursor.reset();
    m_view.setHovered(std::nullopt);
    refreshCursor();
}

void RateChart::click(QPointF at) {
    if (const std::optional<TokenRef> token = tokenAt(at))
        m_view.setSelected(token);
}

void RateChart::setRange(double from, double to) {
    const double span = std::clamp(to - from, kLeastSpan, std::max(kLeastSpan, m_everything - 1));
    from = std::clamp(from, 1.0, std::max(1.0, m_everything - span));
    if (from <= 1 && from + span >= m_everything - 1e-6)
        m_range.reset();
    else
        m_range = std::pair(from, from + span);
    refresh();
}

void RateChart::zoom(double factor, double around) {
    around = std::clamp(around, m_x.min, m_x.max);
    setRange(around - (around - m_x.min) * factor, around + (m_x.max - around) * factor);
}

void RateChart::wheel(QPointF at, double notches, Qt::KeyboardModifiers modifiers) {
    const double step = modifiers & Qt::ShiftModifier ? 1.6 : modifiers & Qt::ControlModifier ? 1.05 : 1.18;
    zoom(std::pow(step, -notches), xMap().inverse(at.x()));
}

void RateChart::drag(QPointF from, QPointF to, Qt::KeyboardModifiers, bool ended) {
    if (!m_panFrom)
        m_panFrom = std::pair(m_x.min, m_x.max);
    const double span = m_panFrom->second - m_panFrom->first;
    const double start = m_panFrom->first - (to.x() - from.x()) / plotRect().width() * span;
    setRange(start, start + span);
    if (ended)
        m_panFrom.reset();
}

bool RateChart::key(int key, Qt::KeyboardModifiers) {
    const double around = m_cursor.value_or((m_x.min + m_x.max) / 2);
    const double step = (m_x.max - m_x.min) * 0.1;
    switch (key) {
    case Qt::Key_W:
        zoom(1 / 1.18, around);
        return true;
    case Qt::Key_S:
        zoom(1.18, around);
        return true;
    case Qt::Key_A:
    case Qt::Key_Left:
        setRange(m_x.min - step, m_x.max - step);
        return true;
    case Qt::Key_D:
    case Qt::Key_Right:
        setRange(m_x.min + step, m_x.max + step);
        return true;
    case Qt::Key_F:
        fit();
        return true;
    default:
        return false;
    }
}

void RateChart::fit() {
    m_range.reset();
    refresh();
}

QString RateChart::sentence() const {
    QStringList parts;
    for (const ChartLane& lane : m_lanes) {
        const std::optional<double> rate = runRate(lane);
        if (!rate)
            continue;
        QString part = tr("lane %1: %2 over the run").arg(letterOf(lane), formatRate(rate));
        if (lane.summary->decay)
            part += tr(", %1 % lost per 1000 tokens").arg(lane.summary->decay->percentPer1000, 0, 'f', 1);
        parts << part;
    }
    if (parts.isEmpty())
        return tr("Rate at position: nothing to show yet.");
    return tr("Rate at position. %1.").arg(parts.join(QStringLiteral("; ")));
}

} // namespace decodescope
