#include "ui/charts/first_token_chart.h"

#include "ui/lane/failure_words.h"
#include "ui/theme/format.h"
#include "ui/theme/look.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace decodescope {
namespace {

constexpr double kBar = 18;
constexpr double kWordsLine = 16;
/// Tones of the lane colour into the surface (look.md 49).
constexpr std::array<double, 4> kTones{0.22, 0.38, 0.62, 1.0};

} // namespace

FirstTokenChart::FirstTokenChart(ViewState& view, QWidget* parent)
    : ChartPanel(view, tr("To the first token"), parent) {
    refresh();
}

bool FirstTokenChart::hasData() const {
    return std::any_of(m_lanes.begin(), m_lanes.end(),
                       [](const ChartLane& lane) { return lane.record && lane.record->started; });
}

QString FirstTokenChart::emptyLine() const {
    return allOver() ? tr("No request went out, and no token came") : tr("The phases appear as the requests go out");
}

double FirstTokenChart::Phases::reached() const {
    double result = 0;
    for (const std::optional<double>& end : ends)
        result = std::max(result, end.value_or(0));
    return result;
}

FirstTokenChart::Phases FirstTokenChart::phasesOf(const ChartLane& lane) {
    Phases phases;
    if (!lane.record)
        return phases;
    const RunRecord& record = *lane.record;
    phases.ends = {lane.sinceStart(record.connected), lane.sinceStart(record.sent), lane.sinceStart(record.firstByte),
                   lane.firstTokenS()};
    double before = 0;
    for (std::optional<double>& end : phases.ends) {
        if (end)
            before = *(end = std::max(*end, before));
    }
    return phases;
}

void FirstTokenChart::updateAxes() {
    double needed = 0;
    for (const ChartLane& lane : m_lanes) {
        needed = std::max(needed, phasesOf(lane).reached());
        if (lane.state == LaneState::waiting)
            needed = std::max(needed, lane.endS().value_or(0));
    }
    const int ticks = std::clamp(static_cast<int>(plotRect().width() / 64), 2, 7);
    const bool seconds = needed >= 2;
    const double scale = seconds ? 1 : 1000;
    const double end = needed > 0 ? m_stepped.update(needed * scale * 1.02, ticks) : 1000;
    m_x = linearAxis(0, end, ticks, seconds && needed > 0 ? QStringLiteral("s") : QStringLiteral("ms"));
    m_x.max /= scale;
    m_x.step /= scale;
    for (Tick& tick : m_x.ticks)
        tick.at /= scale;
    m_x.grid = true;
    m_y = PlotAxis{0, 1, 1, {}, {}, false};
}

void FirstTokenChart::paintPlot(QPainter& painter, const QRectF& plot) {
    const double height = plot.height() / static_cast<double>(m_lanes.size());
    double top = plot.top();
    for (const ChartLane& lane : m_lanes) {
        painter.setOpacity(opacityOf(lane));
        paintRow(painter, plot, lane, top, height);
        top += height;
    }
    painter.setOpacity(1);
}

void FirstTokenChart::paintRow(QPainter& painter, const QRectF& plot, const ChartLane& lane, double top,
                               double height) {
    const Look& look = Look::instance();
    const Colours& colours = look.colours();
    const LaneLook laneLook = look.lane(lane.look);
    const bool roomForWords = height >= kBar + kWordsLine + 2;
    const double bar = std::min(kBar, std::max(6.0, height - 5));
    const double used = bar + (roomForWords ? kWordsLine : 0);
    const double y = std::round(top + (height - used) / 2);
    const AxisMap x = xMap();
    painter.setRenderHint(QPainter::Antialiasing, true);
    if (height >= 14)
        look.drawChip(painter, QPointF(plot.left() - 23, std::round(y + bar / 2 - 7)), lane.look);

    const Phases phases = phasesOf(lane);
    const bool arrived = phases.ends[3].has_value();
    painter.setRenderHint(QPainter::Antialiasing, false);
    double before = plot.left() + 1;
    for (std::size_t i = 0; i < phases.ends.size(); ++i) {
        // An error's answer is no way to a token.
        if (!phases.ends[i] || (!arrived && !lane.inFlight()))
            continue;
        const double end = x(*phases.ends[i]);
        if (end - before >= 0.5) {
            // A hair of surface between two phases, where they are wide enough to spare it.
            const double seam = end - before > 3 && i + 1 < phases.ends.size() ? 1 : 0;
            painter.fillRect(QRectF(before, y, end - before - seam, bar),
                             Look::mix(colours.surface, laneLook.colour, kTones[i]));
            before = end;
        }
    }
    painter.setRenderHint(QPainter::Antialiasing, true);

    // What comes last: the total, the waiting time so far, or why there is none.
    QString text;
    QColor colour = colours.ink;
    QFont font = look.font(Type::small);
    if (arrived) {
        text = formatDuration(phases.ends[3]).joined();
        font.setWeight(QFont::DemiBold);
        if (lane.abnormal())
            colour = colours.ink3;
    } else if (lane.inFlight()) {
        text = tr("waited %1").arg(formatDuration(lane.endS()).joined());
        colour = colours.ink3;
    } else {
        text = reason(lane);
        colour = colours.ink2;
    }
    painter.setFont(font);
    painter.setPen(colour);
    const double width = QFontMetricsF(font).horizontalAdvance(text);
    const double left = std::min(std::max(before, plot.left()) + 8, plot.right() + 54 - width);
    painter.drawText(QPointF(std::max(left, plot.left() + 4), y + bar / 2 + 4), text);
    if (roomForWords && arrived) {
        painter.setFont(look.font(Type::small));
        painter.setPen(colours.ink3);
        const QString line =
            painter.fontMetrics().elidedText(words(lane, phases), Qt::ElideRight, static_cast<int>(plot.width() + 54));
        painter.drawText(QPointF(plot.left(), y + bar + 13), line);
    }
}

QString FirstTokenChart::words(const ChartLane& lane, const Phases& phases) const {
    const std::array<QString, 4> names{tr("connect"), tr("send"), tr("wait for first byte"), tr("first byte to token")};
    QStringList parts;
    double before = 0;
    for (std::size_t i = 0; i < phases.ends.size(); ++i) {
        if (!phases.ends[i])
            continue;
        const double ms = (*phases.ends[i] - before) * 1000;
        before = *phases.ends[i];
        // Opened before the release: the time stands beside the bar, not in it.
        if (i == 0 && lane.record->openingTook && ms < 0.05 && lane.record->openingTook->count() > 0)
            continue;
        parts << names[i] + u' ' + tickNumber(ms, ms >= 0.05 && ms < 0.95 ? 1 : 0);
    }
    QString line = parts.join(QStringLiteral(" \u00b7 "));
    if (lane.record->openingTook && phases.ends[0].value_or(1) < 5e-5 && lane.record->openingTook->count() > 0)
        line +=
            tr("; connection opened before, in %1").arg(formatDuration(toSeconds(*lane.record->openingTook)).joined());
    if (lane.record->tlsTook)
        line += tr("; %1 took %2")
                    .arg(QString::fromStdString(lane.record->tlsVersion),
                         formatDuration(toSeconds(*lane.record->tlsTook)).joined());
    if (lane.record->warmConnection)
        line += tr("; the connection was warm");
    return line;
}

QString FirstTokenChart::reason(const ChartLane& lane) const {
    const std::optional<StreamEnd> end = lane.record ? lane.record->end : std::nullopt;
    const QString after = lane.endS() ? tr(" after %1").arg(formatDuration(lane.endS()).joined()) : QString();
    switch (lane.state) {
    case LaneState::idle:
        return tr("not started");
    case LaneState::notStreamed:
        return tr("not streamed: whole answer%1").arg(after);
    case LaneState::cancelled:
        return tr("no token: stopped%1").arg(after);
    default:
        break;
    }
    if (end && end->httpStatus && *end->httpStatus != 200)
        return tr("no token: %1%2").arg(*end->httpStatus).arg(after);
    if (end && end->kind != ErrorKind::none) {
        return tr("no token: %1%2").arg(failureKeyword(*lane.record), after);
    }
    return tr("no token%1").arg(after);
}

std::vector<LegendItem> FirstTokenChart::legend() const {
    const Colours& colours = Look::instance().colours();
    const std::array<QString, 4> names{tr("connect"), tr("send"), tr("wait"), tr("first byte to token")};
    std::vector<LegendItem> items;
    for (std::size_t i = 0; i < names.size(); ++i)
        items.push_back({LegendItem::Sample::swatch, Look::mix(colours.surface, colours.ink3, kTones[i]), names[i]});
    return items;
}

QString FirstTokenChart::sentence() const {
    QStringList parts;
    for (const ChartLane& lane : m_lanes) {
        if (const std::optional<double> first = lane.firstTokenS())
            parts << tr("lane %1: %2").arg(letterOf(lane), formatDuration(first).joined());
        else if (lane.record && !lane.inFlight())
            parts << tr("lane %1: %2").arg(letterOf(lane), reason(lane));
    }
    if (parts.isEmpty())
        return tr("Time to the first token: nothing to show yet.");
    return tr("Time to the first token. %1.").arg(parts.join(QStringLiteral("; ")));
}

} // namespace decodescope
