#include "ui/theme/icon_engine.h"

#include <QPainter>
#include <QPixmap>

namespace decodescope {

QColor TokenIconEngine::colourFor(QIcon::Mode mode) const {
    const Colours& colours = Look::instance().colours();
    return mode == QIcon::Disabled ? colours.disabled : colours.*m_role;
}

void TokenIconEngine::paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) {
    Look::instance().drawIcon(*painter, rect, m_name, colourFor(mode));
}

QPixmap TokenIconEngine::pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) {
    return scaledPixmap(size, mode, state, 1.0);
}

QPixmap TokenIconEngine::scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State, qreal scale) {
    // `size` is in device pixels; the stroke belongs to a grid of 16 logical ones.
    const int side = qMin(size.width(), size.height());
    const qreal ratio = scale > 0 ? scale : 1.0;
    return Look::instance().iconPixmap(m_name, qMax(1, qRound(side / ratio)), colourFor(mode), ratio);
}

QIconEngine* TokenIconEngine::clone() const {
    return new TokenIconEngine(m_name, m_role);
}

QString TokenIconEngine::key() const {
    return QStringLiteral("decodescope-token-icon");
}

} // namespace decodescope
