#include "ui/charts/engine_chart.h"

#include "ui/theme/format.h"
#include "ui/theme/look.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace decodescope {
namespace {

constexpr double kLeastMs = 0.01;
constexpr double kHitPx = 40;

} // namespace

EngineChart::EngineChart(ViewState& view, QWidget* parent)
    : TimeChart(view, tr("Engine"), parent) {
    m_header->addSwitch({tr("delivery lag"), tr("GB/s")}, 0, tr("What the chart shows"));
    connect(m_header, &ChartHeader::switched, this,
            [this](int index) { setShows(index == 0 ? Shows::lag : Shows::bandwidth); });
    refresh();
}

void EngineChart::setShows(Shows what) {
    if (what == m_shows)
        return;
    m_shows = what;
    m_header->setSwitch(what == Shows::lag ? 0 : 1);
    m_top.reset();
    refresh();
}

const MinMaxPyramid& EngineChart::values(const ChartLane& lane) const {
    return m_shows == Shows::lag ? lane.curves->engine().lag() : lane.curves->engine().bandwidth();
}

bool EngineChart::hasData() const {
    return std::any_of(m_lanes.begin(), m_lanes.end(),
                       [this](const ChartLane& lane) { return !values(lane).extent(0, values(lane).size()).empty(); });
}

QString EngineChart::emptyLine() const {
    const bool remoteOnly = std::none_of(m_lanes.begin(), m_lanes.end(),
                                         [](const ChartLane& lane) { return lane.record && lane.record->engine; });
    if (!m_lanes.empty() && remoteOnly)
        return tr("Only lanes of the local engine tell when a token was sampled");
    return tr("Appears with the first token of a local lane");
}

void EngineChart::updateAxes() {
    updateTimeAxis();
    MinMaxPyramid::Extent all;
    for (const ChartLane& lane : m_lanes) {
        all.include(values(lane).extent(0, values(lane).size()));
        if (m_shows == Shows::bandwidth && lane.record && lane.record->engine && lane.record->engine->bandwidthGBps)
            all.include(static_cast<float>(*lane.record->engine->bandwidthGBps));
    }
    if (m_shows == Shows::bandwidth) {
        const double top = all.empty() ? 20 : static_cast<double>(all.max);
        m_y = linearAxis(0, m_top.update(top * 1.08, 5), 5, {});
    } else {
        const double leastMs = all.empty() ? 0.1 : static_cast<double>(all.min) * 1000;
        const double mostMs = all.empty() ? 1 : static_cast<double>(all.max) * 1000;
        m_lowMs = std::pow(10.0, std::floor(std::log10(std::max(leastMs, kLeastMs))));
        m_y = logDurationAxis(m_lowMs, std::pow(10.0, std::ceil(std::log10(std::max(mostMs * 1.2, m_lowMs * 10)))));
    }
    m_y.grid = true;
}

double EngineChart::heightOf(double value) const {
    return yMap()(m_shows == Shows::lag ? std::log10(std::max(value * 1000, m_lowMs)) : value);
}

std::optional<double> EngineChart::usual(const ChartLane& lane) const {
    if (!lane.summary || !lane.summary->engine)
        return std::nullopt;
    const EngineSummary& engine = *lane.summary->engine;
    if (m_shows == Shows::bandwidth)
        return engine.gbPerS;
    return engine.deliveryLag ? std::optional(engine.deliveryLag->p50) : std::nullopt;
}

QString EngineChart::words(const std::optional<double>& value) const {
    if (!value)
        return enDash();
    if (m_shows == Shows::bandwidth)
        return QString::number(*value, 'f', 1);
    return *value < 1e-3 ? tr("%1 µs").arg(std::round(*value * 1e6)) : formatDuration(value).joined();
}

void EngineChart::paintPlot(QPainter& painter, const QRectF& plot) {
    std::vector<EndLabel> labels;
    if (m_shows == Shows::bandwidth)
        paintCeiling(painter, plot);
    for (const std::size_t index : order())
        paintLane(painter, plot, index, labels);
    painter.setOpacity(1);
    drawEndLabels(painter, std::move(labels),
                  QRectF(plot.left(), plot.top() - 6, plot.width() + 64, plot.height() + 6));
}

void EngineChart::paintCeiling(QPainter& painter, const QRectF& plot) {
    // Lanes on one machine measured much the same: the highest of them is the ceiling.
    double ceiling = 0;
    for (const ChartLane& lane : m_lanes)
        if (lane.record && lane.record->engine)
            ceiling = std::max(ceiling, lane.record->engine->bandwidthGBps.value_or(0));
    if (ceiling <= 0)
        return;
    const Look& look = Look::instance();
    const double y = std::round(heightOf(ceiling)) + 0.5;
    painter.setRenderHint(QPainter::Antialiasing, false);
    QPen pen(look.colours().ink2, 1);
    pen.setDashPattern({5, 4});
    painter.setPen(pen);
    painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
    painter.setFont(look.font(Type::small));
    painter.setPen(look.colours().ink2);
    drawText(painter, plot.left() + 6, y - 4, tr("%1 GB/s: what this machine reads").arg(words(ceiling)),
             Qt::AlignLeft);
}

void EngineChart::paintLane(QPainter& painter, const QRectF& plot, std::size_t index, std::vector<EndLabel>& labels) {
    const ChartLane& lane = m_lanes[index];
    const std::optional<double> shift = shiftOf(lane);
    const MinMaxPyramid& pyramid = values(lane);
    if (!shift || pyramid.size() == 0)
        return;
    const ChunkedArray<float>& times = lane.curves->engine().times();
    const AxisMap x = xMap();
    std::size_t begin = times.lowerBound(m_x.min + *shift);
    begin -= begin > 0 ? 1 : 0;
    const std::size_t end = std::min(times.lowerBound(m_x.max + *shift) + 1, times.size());
    std::vector<QPointF> vertices;
    for (const MinMaxPyramid::Column& column :
         pyramid.query(begin, end, static_cast<std::size_t>(std::max(1.0, plot.width())))) {
        if (column.extent.empty())
            continue;
        const double px = x(static_cast<double>(times[column.begin]) - *shift);
        vertices.emplace_back(px, heightOf(static_cast<double>(column.extent.max)));
        if (column.extent.min < column.extent.max)
            vertices.emplace_back(px, heightOf(static_cast<double>(column.extent.min)));
    }
    if (vertices.empty())
        return;
    countPoints(vertices.size());
    QList<QLineF> lines;
    appendSegments(vertices, lines);
    painter.save();
    painter.setClipRect(plot.adjusted(0, 0, 1, 1));
    painter.setOpacity(opacityOf(lane));
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(Look::instance().lane(lane.look).colour, curveWidth(lane) > 1.5 ? 1.5 : 1));
    painter.drawLines(lines);
    painter.restore();
    const QPointF last = vertices.back();
    if (last.x() < plot.left() - 1 || last.x() > plot.right() + 1)
        return;
    const std::optional<double> typical = usual(lane);
    const double py = typical ? heightOf(*typical) : last.y();
    labels.push_back({static_cast<int>(index),
                      lane.look,
                      QPointF(last.x(), std::clamp(py, plot.top(), plot.bottom())),
                      words(typical),
                      lane.abnormal() || !typical,
                      {},
                      {}});
}

std::vector<HeaderValue> EngineChart::headerValues() const {
    std::vector<HeaderValue> shown;
    if (!m_view.cursorS())
        return shown;
    for (const ChartLane& lane : m_lanes) {
        HeaderValue value{lane.look, enDash(), true};
        const std::optional<double> shift = shiftOf(lane);
        const MinMaxPyramid& pyramid = values(lane);
        if (shift && pyramid.size() > 0) {
            const std::size_t at = lane.curves->engine().times().lowerBound(*m_view.cursorS() + *shift);
            if (at < pyramid.size() && !std::isnan(pyramid.at(at))) {
                value.text = words(static_cast<double>(pyramid.at(at)));
                value.weak = false;
            }
        }
        shown.push_back(value);
    }
    return shown;
}

std::vector<LegendItem> EngineChart::legend() const {
    if (m_shows == Shows::lag)
        return {{LegendItem::Sample::none, {}, tr("sampled to arrived; right: median of the run")}};
    return {{LegendItem::Sample::none, {}, tr("weights and keys a step read, GB/s; right: median")}};
}

std::optional<TokenRef> EngineChart::tokenAt(QPointF at) const {
    const AxisMap x = xMap();
    std::optional<TokenRef> found;
    double nearest = kHitPx;
    for (const ChartLane& lane : m_lanes) {
        const std::optional<double> shift = shiftOf(lane);
        const MinMaxPyramid& pyramid = values(lane);
        if (!shift || pyramid.size() == 0 || !lane.record || lane.record->events.empty())
            continue;
        const ChunkedArray<float>& times = lane.curves->engine().times();
        const std::size_t point = std::min(times.lowerBound(x.inverse(at.x()) + *shift), times.size() - 1);
        if (std::isnan(pyramid.at(point)))
            continue;
        const double distance = std::abs(heightOf(static_cast<double>(pyramid.at(point))) - at.y());
        if (distance >= nearest)
            continue;
        nearest = distance;
        const std::uint32_t event = LaneCurves::eventOf(*lane.record, static_cast<double>(times[point]));
        if (event < lane.record->events.size())
            found = TokenRef{lane.id, event};
    }
    return found;
}

QString EngineChart::sentence() const {
    QStringList parts;
    for (const ChartLane& lane : m_lanes) {
        if (const std::optional<double> typical = usual(lane))
            parts << (m_shows == Shows::lag ? tr("lane %1: median %2").arg(letterOf(lane), words(typical))
                                            : tr("lane %1: %2 GB/s").arg(letterOf(lane), words(typical)));
    }
    const QString what = m_shows == Shows::lag ? tr("Delivery lag, sampled to arrived") : tr("What decode steps read");
    if (parts.isEmpty())
        return tr("%1: nothing to show yet.").arg(what);
    return tr("%1. %2.").arg(what, parts.join(QStringLiteral("; ")));
}

} // namespace decodescope
