#include "ui/charts/distribution_chart.h"

#include "ui/theme/format.h"
#include "ui/theme/look.h"

#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>

namespace decodescope {
namespace {

constexpr int kBins = 48;
constexpr double kRow = 15;
constexpr double kLeastRow = 8;
constexpr double kRowsShare = 0.42; ///< of the panel's height: the histogram keeps the rest
// A bin that is lower than this on the screen, alone among empty ones, gets a tick instead.
constexpr double kTickPx = 6;

/// Numbers of decades whose shown bins are whole numbers of fine bins; what lies beyond counts in the last bin.
int roundDecades(int decades) {
    for (const int candidate : {3, 4}) {
        if (decades <= candidate)
            return candidate;
    }
    return 6;
}

} // namespace

DistributionChart::DistributionChart(ViewState& view, QWidget* parent)
    : ChartPanel(view, tr("Gap distribution"), parent) {
    m_header->addSwitch({tr("histogram"), tr("CDF")}, 0, tr("Distribution as"));
    connect(m_header, &ChartHeader::switched, this, [this](int index) { setCumulative(index == 1); });
    refresh();
}

void DistributionChart::setCumulative(bool cumulative) {
    if (cumulative == m_cumulative)
        return;
    m_cumulative = cumulative;
    m_header->setSwitch(cumulative ? 1 : 0);
    refresh();
}

std::vector<std::size_t> DistributionChart::counted() const {
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < m_lanes.size(); ++i) {
        if (!m_lanes[i].abnormal() && m_lanes[i].gapsThatCount().total > 0)
            result.push_back(i);
    }
    return result;
}

QMarginsF DistributionChart::plotMargins() const {
    const double rows = static_cast<double>(std::max<std::size_t>(1, counted().size()));
    return {labelMargin(38), rowHeight() * rows + 12, 92, 22};
}

double DistributionChart::rowHeight() const {
    const double rows = static_cast<double>(std::max<std::size_t>(1, counted().size()));
    return std::clamp(std::floor(height() * kRowsShare / rows), kLeastRow, kRow);
}

bool DistributionChart::hasData() const {
    return !counted().empty();
}

QString DistributionChart::emptyLine() const {
    // The header names those that came and are in no percentile.
    const bool leftOut = std::any_of(m_lanes.begin(), m_lanes.end(), [](const ChartLane& lane) {
        return lane.abnormal() && lane.curves->gaps().size() > 0;
    });
    if (leftOut)
        return tr("No lane is complete, so there is no distribution");
    return allOver() ? tr("No lane had two tokens, so there is no distribution")
                     : tr("The distribution appears with the second token");
}

void DistributionChart::updateAxes() {
    MinMaxPyramid::Extent all;
    for (const std::size_t index : counted())
        all.include(m_lanes[index].curves->gaps().extent(0, m_lanes[index].curves->gaps().size()));
    m_firstDecade = 0;
    m_decades = 3;
    if (!all.empty()) {
        const double low = std::log10(std::max(static_cast<double>(all.min) * 1000, 0.1));
        const double high = std::log10(std::max(static_cast<double>(all.max) * 1000, 0.1));
        m_firstDecade = std::clamp(static_cast<int>(std::floor(low)), -1, 0);
        m_decades = roundDecades(static_cast<int>(std::ceil(high)) - m_firstDecade);
    }
    m_x = logDurationAxis(std::pow(10.0, m_firstDecade), std::pow(10.0, m_firstDecade + m_decades));
    m_x.grid = true;
    const int ticks = std::clamp(static_cast<int>(plotRect().height() / 26), 2, 5);
    if (m_cumulative) {
        m_y = percentAxis(1, ticks);
    } else {
        double most = 0;
        for (const std::size_t index : counted()) {
            for (const double share : shares(m_lanes[index]))
                most = std::max(most, share);
        }
        m_y = percentAxis(std::min(1.0, most > 0 ? m_top.update(most * 1.05, 4) : 0.6), ticks);
    }
    m_y.grid = true;
}

std::vector<double> DistributionChart::shares(const ChartLane& lane) const {
    const GapHistogram histogram = lane.gapsThatCount();
    std::vector<double> result(kBins, 0.0);
    const int fine = GapHistogram::kPerDecade * m_decades / kBins;
    const int first = (m_firstDecade - GapHistogram::kFirstDecade) * GapHistogram::kPerDecade;
    for (int i = 0; i < static_cast<int>(histogram.bins.size()); ++i) {
        const std::uint32_t count = histogram.bins[static_cast<std::size_t>(i)];
        if (count == 0)
            continue;
        // What lies outside of the axis counts in the outermost bin.
        const int bin = std::clamp((i - first) / fine, 0, kBins - 1);
        result[static_cast<std::size_t>(i < first ? 0 : bin)] += count;
    }
    for (double& share : result)
        share /= static_cast<double>(histogram.total);
    return result;
}

void DistributionChart::paintPlot(QPainter& painter, const QRectF& plot) {
    double middle = 8;
    for (const std::size_t index : counted()) {
        painter.setOpacity(opacityOf(m_lanes[index]));
        paintRow(painter, plot, m_lanes[index], middle);
        middle += rowHeight();
    }
    const std::vector<std::size_t> lanes = counted();
    for (const std::size_t index : order()) {
        if (std::find(lanes.begin(), lanes.end(), index) == lanes.end())
            continue;
        painter.setOpacity(opacityOf(m_lanes[index]));
        if (m_cumulative)
            paintCumulative(painter, m_lanes[index]);
        else
            paintHistogram(painter, plot, m_lanes[index]);
    }
    painter.setOpacity(1);
}

void DistributionChart::paintRow(QPainter& painter, const QRectF& plot, const ChartLane& lane, double middle) {
    const Look& look = Look::instance();
    const QColor colour = look.lane(lane.look).colour;
    // Many lanes stand closer: their chips take turns in two columns.
    const bool close = rowHeight() < kRow;
    const bool odd = static_cast<int>(std::lround((middle - 8) / rowHeight())) % 2 == 1;
    look.drawChip(painter, QPointF(plot.left() - (close && odd ? 38 : 22), middle - 7), lane.look);
    if (!lane.summary || !lane.summary->itl)
        return;
    const Distribution& gaps = *lane.summary->itl;
    const AxisMap x = xMap();
    const auto place = [&](double seconds) {
        return std::clamp(x(std::log10(std::max(seconds * 1000, 1e-6))), plot.left(), plot.right());
    };
    painter.setRenderHint(QPainter::Antialiasing, false);
    const double line = std::floor(middle);
    QColor thin = colour;
    thin.setAlphaF(0.55F);
    painter.fillRect(QRectF(place(gaps.min), line, place(gaps.max) - place(gaps.min), 1), thin);
    painter.fillRect(QRectF(place(gaps.p50), line - 1, place(gaps.p99) - place(gaps.p50), 3), colour);
    for (const double seconds : {gaps.p50, gaps.p90, gaps.p99})
        painter.fillRect(QRectF(std::floor(place(seconds)) - 0.5, line - 3, 1.5, 7), colour);
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setFont(look.font(Type::small));
    painter.setPen(look.colours().ink2);
    const bool kernel = lane.record->clock != ClockSource::user;
    const QString most = formatGap(gaps.max, kernel).joined();
    drawText(painter, plot.right() + (close && odd ? 50 : 8), middle + 4, close ? most : tr("max %1").arg(most),
             Qt::AlignLeft);
}

void DistributionChart::paintHistogram(QPainter& painter, const QRectF& plot, const ChartLane& lane) {
    const std::vector<double> values = shares(lane);
    const AxisMap x = xMap();
    const AxisMap y = yMap();
    const QColor colour = Look::instance().lane(lane.look).colour;
    QColor fill = colour;
    fill.setAlphaF(0.10F);
    const double width = static_cast<double>(m_decades) / kBins;
    std::vector<QPointF> outline;
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (int i = 0; i < kBins; ++i) {
        const double share = values[static_cast<std::size_t>(i)];
        const double x0 = x(m_firstDecade + i * width);
        const double x1 = x(m_firstDecade + (i + 1) * width);
        const double top = y(share);
        outline.emplace_back(x0, top);
        outline.emplace_back(x1, top);
        if (share <= 0)
            continue;
        painter.fillRect(QRectF(x0, top, x1 - x0, plot.bottom() - top), fill);
        const bool alone = (i == 0 || values[static_cast<std::size_t>(i) - 1] <= 0) &&
                           (i == kBins - 1 || values[static_cast<std::size_t>(i) + 1] <= 0);
        if (alone && plot.bottom() - top < kTickPx)
            drawVertical(painter, (x0 + x1) / 2, plot.bottom() - kTickPx, plot.bottom(), colour, {}, 2);
    }
    QList<QLineF> lines;
    appendCrispSegments(outline, dpr(), lines);
    painter.setPen(QPen(colour, m_view.front() == lane.id ? 2 : 1));
    painter.drawLines(lines);
    countPoints(outline.size());
}

void DistributionChart::paintCumulative(QPainter& painter, const ChartLane& lane) {
    const GapHistogram histogram = lane.gapsThatCount();
    const AxisMap x = xMap();
    const AxisMap y = yMap();
    std::vector<QPointF> vertices;
    std::uint64_t sum = 0;
    for (int i = 0; i < static_cast<int>(histogram.bins.size()); ++i) {
        const std::uint32_t count = histogram.bins[static_cast<std::size_t>(i)];
        sum += count;
        const double right = GapHistogram::edge(i + 1);
        if (right < m_x.min || right > m_x.max + 1e-9 || (count == 0 && sum != 0 && sum != histogram.total))
            continue;
        const double share = static_cast<double>(sum) / static_cast<double>(histogram.total);
        vertices.emplace_back(x(right), y(share));
    }
    drawCurve(painter, lane, vertices);
}

std::vector<HeaderValue> DistributionChart::headerValues() const {
    std::vector<HeaderValue> values;
    if (!m_cursor)
        return values;
    // How much of each lane's gaps lies at or below the cursor.
    for (const std::size_t index : counted()) {
        const GapHistogram histogram = m_lanes[index].gapsThatCount();
        std::uint64_t below = 0;
        for (int i = 0; i < static_cast<int>(histogram.bins.size()) && GapHistogram::edge(i + 1) <= *m_cursor; ++i)
            below += histogram.bins[static_cast<std::size_t>(i)];
        const double share = static_cast<double>(below) / static_cast<double>(histogram.total);
        values.push_back({m_lanes[index].look, formatPercent(share), false});
    }
    return values;
}

std::vector<LegendItem> DistributionChart::legend() const {
    if (m_cursor)
        return {{LegendItem::Sample::none, {}, tr("share up to the cursor")}};
    QStringList out;
    for (const ChartLane& lane : m_lanes) {
        if (!lane.abnormal() || lane.curves->histogram().total == 0)
            continue;
        const QString why = lane.state == LaneState::cut         ? tr("cut")
                            : lane.state == LaneState::cancelled ? tr("stopped")
                                                                 : tr("failed");
        out << letterOf(lane) + u' ' + why;
    }
    std::uint64_t ours = 0;
    for (const ChartLane& lane : m_lanes)
        ours += lane.summary ? lane.summary->clientGaps : 0;
    if (ours > 0)
        out << (ours == 1 ? tr("1 gap of our own machine") : tr("%1 gaps of our own machine").arg(ours));
    if (!out.isEmpty())
        return {{LegendItem::Sample::none, {}, tr("left out: %1").arg(out.join(QStringLiteral(", ")))}};
    return {{LegendItem::Sample::none, {}, tr("bars: p50, p90, p99")}};
}

void DistributionChart::hover(QPointF at) {
    const bool inside = plotRect().contains(at);
    m_cursor = inside ? std::optional(xMap().inverse(at.x())) : std::nullopt;
    m_header->setLegend(legend());
    refreshCursor();
}

void DistributionChart::unhover() {
    m_cursor.reset();
    m_header->setLegend(legend());
    refreshCursor();
}

QString DistributionChart::cursorFlag() const {
    return m_cursor ? formatGap(std::pow(10.0, *m_cursor) / 1000, true).joined() : QString();
}

QString DistributionChart::sentence() const {
    QStringList parts;
    for (const std::size_t index : counted()) {
        const ChartLane& lane = m_lanes[index];
        if (!lane.summary || !lane.summary->itl)
            continue;
        const Distribution& gaps = *lane.summary->itl;
        const bool kernel = lane.record->clock != ClockSource::user;
        parts << tr("lane %1: half of the gaps under %2, 99 in 100 under %3")
                     .arg(letterOf(lane), formatGap(gaps.p50, kernel).joined(), formatGap(gaps.p99, kernel).joined());
    }
    if (parts.isEmpty())
        return tr("Distribution of the gaps: nothing to show yet.");
    return tr("Distribution of the gaps. %1.").arg(parts.join(QStringLiteral("; ")));
}

} // namespace decodescope
