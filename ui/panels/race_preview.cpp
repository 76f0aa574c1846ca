#include "ui/panels/race_preview.h"

#include "core/base/visible_text.h"
#include "core/metrics/counted_stalls.h"
#include "core/metrics/metrics.h"
#include "ui/theme/format.h"
#include "ui/theme/look.h"
#include "ui/window/recordings_folder.h"

#include <QFileInfo>
#include <QPainter>
#include <QPainterPath>
#include <QUrl>

#include <algorithm>
#include <cmath>

namespace decodescope {
namespace {

constexpr int kRowHeight = 74;
constexpr std::size_t kQuestionBytes = 400; ///< more than a line shows

const RecordedRun* firstCounting(const Recording& recording, int lane) {
    const RecordedRun* any = nullptr;
    for (const auto& run : recording.runs) {
        if (run->asked.lane != lane)
            continue;
        if (!run->asked.warmup)
            return run.get();
        any = run.get();
    }
    return any;
}

QString stallsInWords(const RunSummary& summary) {
    const Stall* longest = longestCountedStall(summary);
    if (longest == nullptr)
        return QObject::tr("no stall");
    const QString length = formatDuration(longest->lengthS).joined();
    const QString kind = QString::fromUtf8(toString(longest->kind).data());
    const std::size_t count = countedStalls(summary);
    if (count == 1)
        return QObject::tr("1 %1 stall, %2").arg(kind, length);
    return QObject::tr("%1 stalls, longest %2").arg(count).arg(length);
}

PreviewLane laneOf(const RecordedLane& recorded, const RecordedRun* run, int look) {
    PreviewLane lane;
    lane.name = QString::fromStdString(recorded.name);
    lane.place = QUrl(QString::fromStdString(recorded.spec.endpoint.url))
                     .authority(QUrl::FullyEncoded)
                     .section(QLatin1Char('@'), -1);
    lane.look = look;
    if (!run)
        return lane;
    const auto record = rebuild(*run);
    const RunSummary summary = summarize(*record);
    lane.ttftS = summary.ttft;
    lane.tps = summary.decodeTps;
    lane.totalS = summary.e2e;
    lane.stallWords = stallsInWords(summary);
    const double median = summary.itl ? summary.itl->p50 : 0.0;
    const auto& perEvent = summary.tokens.perEvent;
    for (std::size_t i = 0; i < record->events.size(); ++i) {
        const TokenEvent& event = record->events[i];
        const double k = i < perEvent.size() ? perEvent[i] : 1.0;
        const bool first = i == 0 || record->events[i - 1].read == event.read;
        const double gapS = first ? 0.0 : toSeconds(event.at - record->events[i - 1].at);
        lane.stops.push_back(static_cast<std::uint8_t>(gapS > 0 && median > 0 ? Look::heatStop(gapS, median) : 0));
        if (record->started)
            lane.arrived.emplace_back(toSeconds(event.at - *record->started), lane.tokens + k);
        lane.tokens += k;
    }
    for (const Stall& stall : summary.stalls)
        if (isCounted(stall))
            lane.stalls.emplace_back(stall.eventIndex, stall.lengthS);
    return lane;
}

void paintStrip(QPainter& painter, const QRectF& rect, const PreviewLane& lane, std::size_t scale) {
    const Colours& colours = Look::instance().colours();
    painter.fillRect(rect, colours.field);
    if (scale == 0 || lane.stops.empty())
        return;
    const int columns = std::max(1, static_cast<int>(rect.width()));
    std::vector<int> hottest(static_cast<std::size_t>(columns), -1);
    for (std::size_t i = 0; i < lane.stops.size(); ++i) {
        const auto from = static_cast<std::size_t>(std::llround(double(i) * columns / double(scale)));
        const auto to =
            std::max(from + 1, static_cast<std::size_t>(std::llround(double(i + 1) * columns / double(scale))));
        for (std::size_t x = from; x < to && x < hottest.size(); ++x)
            hottest[x] = std::max(hottest[x], static_cast<int>(lane.stops[i]));
    }
    for (int x = 0; x < columns; ++x) {
        const int stop = hottest[static_cast<std::size_t>(x)];
        if (stop >= 0)
            painter.fillRect(QRectF(rect.left() + x, rect.top(), 1, rect.height()),
                             colours.heat[static_cast<std::size_t>(stop)]);
    }
}

std::size_t longestLane(const RacePreview& race) {
    std::size_t longest = 0;
    for (const PreviewLane& lane : race.lanes)
        longest = std::max(longest, lane.stops.size());
    return longest;
}

double niceStep(double range, int steps) {
    const double raw = range / steps;
    const double power = std::pow(10.0, std::floor(std::log10(std::max(raw, 1e-9))));
    for (const double factor : {1.0, 2.0, 2.5, 5.0, 10.0}) {
        if (factor * power >= raw)
            return factor * power;
    }
    return 10.0 * power;
}

} // namespace

RacePreview previewOf(const Recording& recording, const QString& path) {
    RacePreview race;
    race.path = path;
    race.title = QFileInfo(path).completeBaseName();
    race.note = QString::fromStdString(recording.header.note);
    race.runs = recording.runs.size();
    if (!recording.runs.empty())
        race.question = QString::fromStdString(visibleText(
            questionOf(recording, *recording.runs.front()).substr(0, kQuestionBytes), LineBreaks::asSpaces));
    const std::vector<int> looks = looksOf(recording);
    for (const RecordedLane& lane : recording.lanes) {
        race.lanes.push_back(laneOf(lane, firstCounting(recording, lane.lane), looks[race.lanes.size()]));
        race.tokens += race.lanes.back().tokens;
        race.onePrompt = race.onePrompt && lane.spec.prompt == recording.lanes.front().spec.prompt;
    }
    if (!recording.runs.empty()) {
        Instant begin = recording.runs.front()->begin();
        Instant end = recording.runs.front()->lastStamp();
        for (const auto& run : recording.runs) {
            begin = std::min(begin, run->begin());
            end = std::max(end, run->lastStamp());
        }
        race.durationS = toSeconds(end - begin);
    }
    return race;
}

Result<RacePreview> loadPreview(const QString& path) {
    const auto recording = openRecordingFile(path);
    if (!recording)
        return tl::unexpected(recording.error());
    return previewOf(*recording, path);
}

PreviewRows::PreviewRows(QWidget* parent)
    : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&Look::instance(), &Look::changed, this, [this] { update(); });
}

void PreviewRows::show(const RacePreview& race) {
    m_race = race;
    QStringList words;
    for (const PreviewLane& lane : race.lanes)
        words.append(
            tr("%1: first token after %2, %3").arg(lane.name, formatDuration(lane.ttftS).joined(), lane.stallWords));
    setAccessibleName(words.join(QStringLiteral("; ")));
    updateGeometry();
    update();
}

QSize PreviewRows::sizeHint() const {
    return {380, kRowHeight * std::max(1, static_cast<int>(m_race.lanes.size()))};
}

void PreviewRows::paintEvent(QPaintEvent*) {
    const Look& look = Look::instance();
    const Colours& colours = look.colours();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const std::size_t scale = longestLane(m_race);
    double y = 0;
    for (const PreviewLane& lane : m_race.lanes) {
        const QRectF line(0, y, width(), 20);
        look.drawSwatch(painter, QRectF(0, y + 4, 24, 12), lane.look);
        painter.setFont(look.font(Type::title));
        painter.setPen(colours.ink);
        const QString right = QStringLiteral("TTFT ") + formatDuration(lane.ttftS).joined() + QStringLiteral("     ") +
                              formatRate(lane.tps) + QChar(0x2009) + QStringLiteral("tok/s");
        painter.setFont(look.font(Type::body));
        const double rightWidth = painter.fontMetrics().horizontalAdvance(right);
        painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, right);
        painter.setFont(look.font(Type::title));
        const double room = width() - 31 - rightWidth - 12;
        const QString name = painter.fontMetrics().elidedText(lane.name, Qt::ElideRight, static_cast<int>(room));
        painter.drawText(line.adjusted(31, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, name);
        const double used = painter.fontMetrics().horizontalAdvance(name) + 8;
        painter.setFont(look.font(Type::body));
        painter.setPen(colours.ink2);
        if (room - used > 40)
            painter.drawText(
                line.adjusted(31 + used, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                painter.fontMetrics().elidedText(lane.place, Qt::ElideRight, static_cast<int>(room - used)));
        const QRectF strip(0, y + 30, width(), 14);
        painter.setRenderHint(QPainter::Antialiasing, false);
        paintStrip(painter, strip, lane, scale);
        painter.setRenderHint(QPainter::Antialiasing);
        for (const auto& [event, lengthS] : lane.stalls) {
            const double x = scale ? strip.left() + double(event) * strip.width() / double(scale) : 0;
            QPainterPath flag;
            flag.moveTo(x - 4, strip.top() - 7);
            flag.lineTo(x + 4, strip.top() - 7);
            flag.lineTo(x, strip.top() - 1);
            flag.closeSubpath();
            painter.fillPath(flag, colours.stall);
        }
        painter.setFont(look.font(Type::small));
        painter.setPen(colours.ink2);
        const QRectF below(0, y + 46, width(), 16);
        painter.drawText(below, Qt::AlignLeft | Qt::AlignVCenter, lane.stallWords);
        painter.drawText(below, Qt::AlignRight | Qt::AlignVCenter,
                         tr("%1 tokens in %2").arg(formatCount(lane.tokens), formatDuration(lane.totalS).joined()));
        y += kRowHeight;
    }
}

PreviewCurves::PreviewCurves(QWidget* parent)
    : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setAccessibleName(tr("Tokens arrived over time"));
    connect(&Look::instance(), &Look::changed, this, [this] { update(); });
}

void PreviewCurves::show(const RacePreview& race) {
    m_race = race;
    update();
}

void PreviewCurves::paintEvent(QPaintEvent*) {
    const Look& look = Look::instance();
    const Colours& colours = look.colours();
    QPainter painter(this);
    painter.setFont(look.font(Type::small));
    painter.setPen(colours.ink2);
    const QRectF plot = QRectF(rect()).adjusted(42, 28, -60, -22);
    painter.drawText(QRectF(plot.left(), 0, plot.width(), 20), Qt::AlignLeft | Qt::AlignVCenter, tr("Tokens arrived"));
    double maxS = 0;
    double maxTokens = 0;
    for (const PreviewLane& lane : m_race.lanes) {
        if (!lane.arrived.empty()) {
            maxS = std::max(maxS, lane.arrived.back().x());
            maxTokens = std::max(maxTokens, lane.arrived.back().y());
        }
    }
    if (maxS <= 0 || maxTokens <= 0 || plot.width() < 40 || plot.height() < 40)
        return;
    const double stepS = niceStep(maxS, 4);
    const double stepTokens = niceStep(maxTokens, 3);
    const double topS = std::ceil(maxS * 1.02 / stepS) * stepS;
    const double topTokens = maxTokens * 1.1;
    const auto at = [&](double s, double tokens) {
        return QPointF(plot.left() + s / topS * plot.width(), plot.bottom() - tokens / topTokens * plot.height());
    };
    for (double tokens = 0; tokens <= topTokens; tokens += stepTokens) {
        const double y = std::round(at(0, tokens).y()) + 0.5;
        painter.setPen(tokens > 0 ? colours.gridMajor : colours.axis);
        painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
        painter.setPen(colours.ink3);
        painter.drawText(QRectF(0, y - 9, plot.left() - 6, 18), Qt::AlignRight | Qt::AlignVCenter, formatCount(tokens));
    }
    for (double s = 0; s <= topS + stepS / 2; s += stepS) {
        const double x = at(s, 0).x();
        const bool last = s + stepS / 2 > topS;
        painter.drawText(QRectF(x - 30, plot.bottom() + 4, 60, 18), Qt::AlignHCenter | Qt::AlignTop,
                         QString::number(s, 'g', 4) + (last ? QChar(0x2009) + QStringLiteral("s") : QString()));
    }
    painter.setRenderHint(QPainter::Antialiasing);
    double lastLabelY = -1000;
    std::vector<const PreviewLane*> byHeight;
    for (const PreviewLane& lane : m_race.lanes) {
        if (!lane.arrived.empty())
            byHeight.push_back(&lane);
    }
    std::ranges::sort(byHeight, [](const auto* a, const auto* b) { return a->tokens > b->tokens; });
    for (const PreviewLane* lane : byHeight) {
        QPainterPath path(at(lane->arrived.front().x(), 0));
        double drawnX = -10;
        for (const QPointF& point : lane->arrived) {
            const QPointF p = at(point.x(), point.y());
            if (p.x() - drawnX >= 0.7 || &point == &lane->arrived.back()) {
                path.lineTo(p);
                drawnX = p.x();
            }
        }
        painter.setPen(look.lanePen(lane->look, 1.5, true));
        painter.setBrush(Qt::NoBrush);
        painter.drawPath(path);
        QPointF end = at(lane->arrived.back().x(), lane->arrived.back().y());
        end.setY(std::max(end.y(), lastLabelY + 15)); // from the top down, none over another
        lastLabelY = end.y();
        look.drawChip(painter, QPointF(end.x() + 7, end.y() - 7), lane->look);
        painter.setPen(colours.ink);
        painter.setFont(look.font(Type::small));
        painter.drawText(QRectF(end.x() + 26, end.y() - 9, 60, 18), Qt::AlignLeft | Qt::AlignVCenter,
                         formatCount(lane->tokens));
    }
}

PreviewStrips::PreviewStrips(QWidget* parent)
    : QWidget(parent) {
    setFixedSize(sizeHint());
    setAccessibleName(tr("Waits of the recording's lanes"));
    connect(&Look::instance(), &Look::changed, this, [this] { update(); });
}

void PreviewStrips::show(const RacePreview& race) {
    m_race = race;
    update();
}

void PreviewStrips::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const std::size_t scale = longestLane(m_race);
    const int shown = std::min<int>(3, static_cast<int>(m_race.lanes.size()));
    double y = (height() - shown * 12.0 + 2) / 2.0;
    for (int i = 0; i < shown; ++i, y += 12)
        paintStrip(painter, QRectF(0, y, width(), 10), m_race.lanes[static_cast<std::size_t>(i)], scale);
}

} // namespace decodescope
