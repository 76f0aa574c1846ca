#include "ui/theme/plain_tip.h"

#include <QAction>
#include <QTextDocument>
#include <QToolTip>
#include <QWidget>

#include <algorithm>

namespace decodescope {

namespace {

/// What is markup for certain, so that nobody need guess; only markup is wrapped.
QString asMarkup(const QString& text) {
    return QStringLiteral("<span style='white-space:pre-wrap'>") + text.toHtmlEscaped() + QStringLiteral("</span>");
}

/// The longest line in characters.
qsizetype widthOf(const QString& text) {
    qsizetype widest = 0;
    for (const QStringView line : QStringView(text).split(u'\n'))
        widest = std::max(widest, line.size());
    return widest;
}

QString cut(const QString& text) {
    constexpr qsizetype kMost = 4000;
    return text.size() > kMost ? text.left(kMost) + QChar(0x2026) : text;
}

} // namespace

QString plainTip(const QString& text) {
    constexpr qsizetype kWrapped = 100; // characters of a line
    const QString shown = cut(text);
    // What Qt will not take for markup stays as it is: a tool tip is also what a screen reader reads.
    return widthOf(shown) <= kWrapped && !Qt::mightBeRichText(shown) ? shown : asMarkup(shown);
}

void setPlainTip(QWidget* widget, const QString& text) {
    widget->setToolTip(plainTip(text));
}

void setPlainTip(QAction* action, const QString& text) {
    action->setToolTip(plainTip(text));
}

void showPlainTip(const QPoint& at, const QString& text, QWidget* widget) {
    QToolTip::showText(at, text.isEmpty() ? QString() : asMarkup(cut(text)), widget);
}

} // namespace decodescope
