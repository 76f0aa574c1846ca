#include "ui/text/token_tip.h"

#include "ui/theme/format.h"
#include "ui/theme/plain_tip.h"
#include "ui/theme/stall_marks.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>

namespace decodescope {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("TokenTip", text);
}

/// The token's text on one line, with what cannot be seen made visible.
QString visibleText(const QString& text) {
    constexpr qsizetype kLongest = 60;
    QString shown = text.left(kLongest);
    shown.replace(QLatin1Char('\n'), QChar(0x21B5)).replace(QLatin1Char('\t'), QChar(0x21E5));
    if (text.size() > kLongest)
        shown += QChar(0x2026);
    return shown;
}

bool hiccupBetween(const RunRecord& record, Instant from, Instant to) {
    return std::any_of(record.hiccups.begin(), record.hiccups.end(),
                       [&](const Hiccup& hiccup) { return hiccup.woke > from && hiccup.due < to; });
}

} // namespace

QString tokenTip(const RunRecord& record, const TokenBuffer& buffer, std::uint32_t token, double medianS,
                 const std::vector<Stall>& stalls) {
    if (token >= buffer.tokenCount() || token >= record.events.size())
        return {};
    const TokenEvent& event = record.events[token];
    const bool kernel = record.clock == ClockSource::kernel || record.clock == ClockSource::engine;
    QStringList lines;
    const QString text = buffer.text().mid(buffer.begin(token), buffer.end(token) - buffer.begin(token));
    lines << QChar(0x201C) + visibleText(text) + QChar(0x201D);
    lines << tr("Token event %1 of %2").arg(formatCount(token + 1), formatCount(buffer.tokenCount()));

    std::uint32_t first = token, last = token;
    while (first > 0 && record.events[first - 1].read == event.read)
        --first;
    while (last + 1 < buffer.tokenCount() && record.events[last + 1].read == event.read)
        ++last;
    if (first == 0) {
        lines << tr("No gap: it came with the first read");
    } else {
        const double gap = buffer.gapS(first);
        QString line = tr("Gap %1").arg(formatGap(gap, kernel).joined());
        if (medianS > 0)
            line += tr(" (%1 the median)").arg(formatRatio(gap / medianS));
        if (buffer.hatched(first))
            line += tr(", our own machine's doing");
        else if (hiccupBetween(record, record.events[first - 1].at, event.at))
            line += tr(", a hiccup of our own machine fell into it");
        lines << line;
    }
    if (last > first)
        lines << tr("Came with %1 others in read %2").arg(last - first).arg(event.read);
    else
        lines << tr("Read %1").arg(event.read);
    if (record.started)
        lines << tr("Arrived at %1").arg(formatDuration(toSeconds(event.at - *record.started)).joined());
    const auto stall = std::find_if(stalls.begin(), stalls.end(), [first](const Stall& s) {
        return s.kind != StallKind::open && s.eventIndex == first;
    });
    if (stall != stalls.end())
        lines.prepend(stallAccount(*stall, kernel));
    return lines.join(QLatin1Char('\n'));
}

} // namespace decodescope
