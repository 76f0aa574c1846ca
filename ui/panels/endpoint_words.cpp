#include "ui/panels/endpoint_words.h"

#include "ui/theme/format.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>

namespace decodescope {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("EndpointWords", text);
}

QString shown(Duration duration) {
    const double seconds = toSeconds(duration);
    return (seconds < 0.09995 ? formatGap(std::max(seconds, 1e-4), true) : formatDuration(seconds)).joined();
}

/// "connected in 0.4 ms, TLSv1.3 in 3.1 ms, first byte 1.2 ms after the request"
QString wayWords(const EndpointAnswer& answer) {
    QStringList parts;
    parts << tr("connected in %1").arg(shown(answer.openingTook - answer.tlsTook));
    if (!answer.proxy.empty())
        parts.back() += tr(" through the proxy %1").arg(QString::fromStdString(answer.proxy));
    if (!answer.tlsVersion.empty())
        parts << tr("%1 in %2").arg(QString::fromStdString(answer.tlsVersion), shown(answer.tlsTook));
    if (answer.firstByteTook)
        parts << tr("first byte %1 after the request").arg(shown(*answer.firstByteTook));
    return parts.join(QStringLiteral(", "));
}

bool lists(const EndpointAnswer& answer, const QString& wanted) {
    return std::find(answer.models->begin(), answer.models->end(), wanted.toStdString()) != answer.models->end();
}

} // namespace

bool answerIsGood(const EndpointAnswer& answer, const QString& wanted) {
    return answer.models && (wanted.isEmpty() || answer.models->empty() || lists(answer, wanted));
}

QString answerWords(const EndpointAnswer& answer, const QString& place, const QString& wanted) {
    const QString reached = answer.connected ? wayWords(answer) : QString();
    if (!answer.models) {
        QString words = QString::fromStdString(answer.models.error().message);
        if (!reached.isEmpty())
            words += QLatin1Char(' ') + tr("(Reached: %1.)").arg(reached);
        return words;
    }
    QString words = reached.isEmpty() ? tr("%1 answers.").arg(place) : tr("%1 answers: %2.").arg(place, reached);
    words += QLatin1Char(' ');
    const std::size_t count = answer.models->size();
    if (count == 0)
        return words + tr("It lists no model: type its name.");
    const QString listed = count == 1 ? tr("It lists 1 model") : tr("It lists %1 models").arg(count);
    if (wanted.isEmpty())
        return words + listed + QLatin1Char('.');
    return words + (lists(answer, wanted) ? tr("%1, \u201c%2\u201d among them.") : tr("%1, but not \u201c%2\u201d."))
                       .arg(listed, wanted);
}

} // namespace decodescope
