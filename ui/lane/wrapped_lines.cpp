#include "ui/lane/wrapped_lines.h"

#include <QFontMetricsF>
#include <QTextLayout>

namespace decodescope {

QStringList wrappedLines(const QString& text, const QFont& font, qreal width, int most, QTextOption::WrapMode mode) {
    QString broken = text;
    broken.replace(QLatin1Char('\n'), QChar(QChar::LineSeparator));
    QTextLayout layout(broken, font);
    QTextOption option;
    option.setWrapMode(mode);
    layout.setTextOption(option);
    QStringList lines;
    layout.beginLayout();
    while (lines.size() < most) {
        QTextLine line = layout.createLine();
        if (!line.isValid())
            break;
        line.setLineWidth(width);
        const int begin = line.textStart();
        const int end = begin + line.textLength();
        QString words = broken.mid(begin, end - begin);
        if (lines.size() + 1 == most && end < broken.size()) {
            QString rest = broken.mid(begin);
            rest.replace(QChar(QChar::LineSeparator), QLatin1Char(' '));
            words = QFontMetricsF(font).elidedText(rest, Qt::ElideRight, width);
        }
        words.remove(QChar(QChar::LineSeparator));
        lines << words;
    }
    layout.endLayout();
    return lines;
}

} // namespace decodescope
