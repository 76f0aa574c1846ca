#pragma once

#include "ui/theme/look.h"

#include <QIconEngine>

namespace decodescope {

/// Draws an icon of tokens.json at the moment it is needed, in the colours of the theme that then holds: an icon
/// once set follows a change of theme, and is sharp on every screen.
class TokenIconEngine final : public QIconEngine {
public:
    TokenIconEngine(QString name, QColor Colours::*role)
        : m_name(std::move(name))
        , m_role(role) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override;
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override;
    QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State state, qreal scale) override;
    QIconEngine* clone() const override;
    QString key() const override;

private:
    [[nodiscard]] QColor colourFor(QIcon::Mode mode) const;
    QString m_name;
    QColor Colours::*m_role;
};

} // namespace decodescope
