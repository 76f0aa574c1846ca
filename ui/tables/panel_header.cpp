#include "ui/tables/panel_header.h"

#include "ui/panels/controls.h"
#include "ui/theme/look.h"
#include "ui/theme/plain_tip.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QToolButton>

namespace decodescope {

PanelHeader::PanelHeader(const QString& title, QWidget* parent)
    : QWidget(parent)
    , m_layout(new QHBoxLayout(this))
    , m_note(new RoleLabel({}, &Colours::ink3, Type::small, this)) {
    setFixedHeight(28);
    m_layout->setContentsMargins(10, 0, 6, 0);
    m_layout->setSpacing(6);
    auto* label = new RoleLabel(title, &Colours::ink, Type::title, this);
    label->setObjectName(QStringLiteral("panelTitle"));
    m_layout->addWidget(label);
    m_layout->addStretch(1);
    m_layout->addWidget(m_note);
}

void PanelHeader::setNote(const QString& note) {
    if (m_note->text() != note)
        m_note->setText(note);
}

QToolButton* PanelHeader::addButton(const QString& iconName, const QString& text) {
    auto* button = new QToolButton(this);
    button->setFixedHeight(22);
    button->setAccessibleName(text);
    setPlainTip(button, text);
    button->setAutoRaise(true);
    button->setProperty("flat", true); // 22 px high (look.md 21), and shows when it is on
    if (iconName.isEmpty()) {
        button->setText(text);
        button->setFont(Look::instance().font(Type::small));
    } else {
        const auto dress = [button, iconName] { button->setIcon(Look::instance().icon(iconName, 14)); };
        dress();
        button->setIconSize({14, 14});
        connect(&Look::instance(), &Look::changed, button, dress);
    }
    m_layout->addWidget(button);
    return button;
}

void paintPanel(QWidget& panel) {
    const Look& look = Look::instance();
    QPainter painter(&panel);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(look.colours().surface);
    painter.setPen(look.theme() == Theme::light ? QPen(look.colours().border, 1) : QPen(Qt::NoPen));
    painter.drawRoundedRect(QRectF(panel.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
}

} // namespace decodescope
