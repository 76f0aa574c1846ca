#include "ui/charts/arrived_chart.h"

#include "ui/theme/format.h"
#include "ui/theme/look.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace decodescope {
namespace {

constexpr double kHitPx = 14;
constexpr double kStallBand = 5;

} // namespace

ArrivedChart::ArrivedChart(ViewState& view, QWidget* parent)
    : TimeChart(view, tr("Tokens arrived"), parent) {
    m_header->addSwitch({tr("request start"), tr("first token")}, m_view.origin() == TimeOrigin::requestStart ? 0 : 1,
                        tr("Time counts from"));
    connect(m_header, &ChartHeader::switched, this,
            [this](int index) { m_view.setOrigin(index == 0 ? TimeOrigin::requestStart : TimeOrigin::firstToken); });
    connect(&m_view, &ViewState::originChanged, this,
            [this] { m_header->setSwitch(m_view.origin() == TimeOrigin::requestStart ? 0 : 1); });
    refresh();
}

bool ArrivedChart::hasData() const {
    return std::any_of(m_lanes.begin(), m_lanes.end(),
                       [](const ChartLane& lane) { return lane.curves->arrivals() > 0; });
}

QString ArrivedChart::emptyLine() const {
    return allOver() ? tr("No token came") : tr("The race appears with the first token");
}

void ArrivedChart::updateAxes() {
    updateTimeAxis();
    double needed = 0;
    for (const ChartLane& lane : m_lanes) {
        if (lane.curves->arrivals() > 0)
            needed = std::max(needed, static_cast<double>(lane.curves->amounts().back()));
    }
    double low = 0;
    double high = needed > 0 ? m_top.update(needed * 1.04, 5) : 100;
    if (const auto range = m_view.timeRange()) {
        // Zoomed in time, the amounts of that time fill the height.
        double least = high;
        double most = 0;
        for (const ChartLane& lane : m_lanes) {
            const std::optional<double> shift = shiftOf(lane);
            if (!shift || lane.curves->arrivals() == 0)
                continue;
            const ChunkedArray<float>& times = lane.curves->times();
            const std::size_t last = times.size() - 1;
            const std::size_t from = std::min(times.lowerBound(range->first + *shift), last);
            const std::size_t to = std::min(times.lowerBound(range->second + *shift), last);
            least = std::min(least, amountAt(lane, from == 0 ? 0 : from - 1));
            most = std::max(most, amountAt(lane, to));
        }
        if (most > least) {
            const double step = niceStep((most - least) * 1.08, 5);
            low = std::floor(least / step) * step;
            high = std::ceil(most / step) * step;
        }
    }
    const int ticks = std::clamp(static_cast<int>(plotRect().height() / 28), 2, 6);
    m_y = linearAxis(low, high, ticks, {});
    m_y.grid = true;
}

double ArrivedChart::amountAt(const ChartLane& lane, std::size_t arrival) const {
    return static_cast<double>(lane.curves->amounts()[arrival]);
}

void ArrivedChart::paintPlot(QPainter& painter, const QRectF& plot) {
    std::vector<EndLabel> labels;
    for (const std::size_t index : order())
        paintLane(painter, plot, index, labels);
    painter.setOpacity(1);
    drawEndLabels(painter, std::move(labels),
                  QRectF(plot.left(), plot.top() - 4, plot.width() + 58, plot.height() + 4));
}

void ArrivedChart::paintLane(QPainter& painter, const QRectF& plot, std::size_t index, std::vector<EndLabel>& labels) {
    const ChartLane& lane = m_lanes[index];
    const std::optional<double> shift = shiftOf(lane);
    if (!shift || lane.curves->arrivals() == 0)
        return;
    const Look& look = Look::instance();
    const LaneLook laneLook = look.lane(lane.look);
    const AxisMap x = xMap();
    const AxisMap y = yMap();
    const ChunkedArray<float>& times = lane.curves->times();
    painter.setOpacity(opacityOf(lane));
    painter.save();
    painter.setClipRect(plot.adjusted(-4, -4, 4, 4));
    if (lane.summary) {
        for (const Stall& stall : lane.summary->stalls) {
            const std::size_t after = times.lowerBound(stall.startS + 1e-4);
            const double height = y(amountAt(lane, after == 0 ? 0 : after - 1));
            const double x0 = x(stall.startS - *shift);
            const double x1 = x(stall.startS + stall.lengthS - *shift);
            drawStallBand(painter, QRectF(x0, height - kStallBand / 2, std::max(1.0, x1 - x0), kStallBand), stall.kind,
                          stall.kind == StallKind::delivery ? 0.7 : 0.45);
        }
    }
    drawCurve(painter, lane, arrivedVertices(*lane.curves, *shift, x, y, 1 / dpr()));
    painter.setPen(Qt::NoPen);
    painter.setBrush(laneLook.colour);
    const QPointF first(x(static_cast<double>(times[0]) - *shift), y(amountAt(lane, 0)));
    drawMarkerShape(painter, laneLook.marker, first, 3, laneLook.colour);
    const double lastS = static_cast<double>(times.back()) - *shift;
    const QPointF last(x(lastS), y(amountAt(lane, times.size() - 1)));
    const bool inside = last.x() >= plot.left() - 1 && last.x() <= plot.right() + 1;
    switch (lane.state) {
    case LaneState::cut:
    case LaneState::failed:
        drawCross(painter, last, look.colours().fail);
        break;
    case LaneState::cancelled:
        drawCross(painter, last, look.colours().ink2);
        break;
    case LaneState::done:
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.fillRect(QRectF(std::floor(last.x()), last.y() - 5, 1.5, 10), laneLook.colour);
        break;
    default:
        painter.setRenderHint(QPainter::Antialiasing, true);
        painter.setPen(Qt::NoPen);
        painter.setBrush(laneLook.colour);
        painter.drawEllipse(last, 3.5, 3.5);
        break;
    }
    painter.restore();
    painter.setOpacity(1);
    if (inside) {
        const QString count = formatCount(amountAt(lane, times.size() - 1));
        const QString text = lane.inFlight() ? count + QChar(0x2026) : count;
        labels.push_back({static_cast<int>(index), lane.look, last, text, lane.abnormal(), {}, {}});
    }
}

std::vector<HeaderValue> ArrivedChart::headerValues() const {
    std::vector<HeaderValue> values;
    if (!m_view.cursorS())
        return values;
    for (const ChartLane& lane : m_lanes) {
        const std::optional<double> shift = shiftOf(lane);
        HeaderValue value{lane.look, enDash(), true};
        if (shift && lane.curves->arrivals() > 0) {
            const ChunkedArray<float>& times = lane.curves->times();
            const std::size_t after = times.lowerBound(*m_view.cursorS() + *shift + 1e-9);
            value.text = formatCount(after == 0 ? 0 : amountAt(lane, after - 1));
            value.weak = false;
        }
        values.push_back(value);
    }
    return values;
}

std::vector<LegendItem> ArrivedChart::legend() const {
    QString words = tr("the race");
    const bool events = std::any_of(m_lanes.begin(), m_lanes.end(), [](const ChartLane& lane) {
        return lane.summary && lane.curves->arrivals() > 0 && !lane.curves->countsTokens();
    });
    if (m_view.unit() == RateUnit::characters)
        words = tr("characters");
    else if (m_view.unit() == RateUnit::words)
        words = tr("words");
    else if (events)
        words = tr("events where tokens are not told");
    return {{LegendItem::Sample::none, {}, words}};
}

std::optional<TokenRef> ArrivedChart::tokenAt(QPointF at) const {
    const AxisMap x = xMap();
    const AxisMap y = yMap();
    std::optional<TokenRef> found;
    double nearest = kHitPx;
    for (const ChartLane& lane : m_lanes) {
        const std::optional<double> shift = shiftOf(lane);
        if (!shift || lane.curves->arrivals() == 0)
            continue;
        const std::size_t after = lane.curves->times().lowerBound(x.inverse(at.x()) + *shift);
        if (after >= lane.curves->arrivals())
            continue;
        const double distance = std::abs(y(amountAt(lane, after)) - at.y());
        if (distance < nearest) {
            nearest = distance;
            found = tokenOf(lane, after);
        }
    }
    return found;
}

std::optional<QPointF> ArrivedChart::hoveredSpot() const {
    const auto found = arrivalOf(*m_view.hovered());
    const std::optional<double> shift = found ? shiftOf(*found->first) : std::nullopt;
    if (!shift)
        return std::nullopt;
    const auto& [lane, arrival] = *found;
    return QPointF(xMap()(static_cast<double>(lane->curves->times()[arrival]) - *shift),
                   yMap()(amountAt(*lane, arrival)));
}

QString ArrivedChart::sentence() const {
    QStringList parts;
    for (const ChartLane& lane : m_lanes) {
        const std::size_t count = lane.curves->arrivals();
        if (count == 0)
            continue;
        parts << tr("lane %1: %2 by %3")
                     .arg(letterOf(lane), formatCount(amountAt(lane, count - 1)),
                          formatDuration(static_cast<double>(lane.curves->times().back())).joined());
    }
    if (parts.isEmpty())
        return tr("Tokens arrived over time: nothing to show yet.");
    return tr("Tokens arrived over time. %1.").arg(parts.join(QStringLiteral("; ")));
}

} // namespace decodescope
