#include "ui/panels/banner.h"

#include "ui/panels/controls.h"

#include <QAccessible>
#include <QHBoxLayout>
#include <QPainter>
#include <QToolButton>

namespace decodescope {

Banner::Banner(QWidget* parent)
    : QWidget(parent)
    , m_sentence(new RoleLabel({}, &Colours::ink, Type::body, this))
    , m_action(new ActionButton({}, {}, {}, this))
    , m_close(iconButton(QStringLiteral("close"), tr("Dismiss"), this)) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(36, 4, 8, 4);
    row->setSpacing(10);
    m_sentence->setWordWrap(true);
    m_sentence->setTextInteractionFlags(Qt::TextSelectableByMouse);
    row->addWidget(m_sentence, 1);
    row->addWidget(m_action);
    row->addWidget(m_close);
    connect(m_action, &QPushButton::clicked, this, &Banner::acted);
    connect(m_close, &QToolButton::clicked, this, [this] {
        hide();
        emit dismissed();
    });
    m_action->setAccessibleName(tr("What to do about it"));
    hide();
}

void Banner::tell(Kind kind, const QString& sentence, const QString& action) {
    if (isVisible() && m_kind == kind && m_sentence->text() == sentence)
        return;
    m_kind = kind;
    m_sentence->setText(sentence);
    m_sentence->setRole(kind == Kind::failure ? &Colours::fail : &Colours::ink);
    m_action->setVisible(!action.isEmpty());
    if (!action.isEmpty())
        m_action->setWords(action, {});
    setAccessibleName(sentence);
    show();
    update();
    QAccessibleEvent alert(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
}

QString Banner::sentence() const {
    return m_sentence->text();
}

void Banner::paintEvent(QPaintEvent*) {
    const Look& look = Look::instance();
    const Colours& colours = look.colours();
    const bool isFailure = m_kind == Kind::failure;
    QPainter painter(this);
    painter.fillRect(rect(), isFailure ? colours.failFill : colours.raised);
    look.drawIcon(painter, QRectF(12, (height() - 16) / 2.0, 16, 16),
                  isFailure ? QStringLiteral("fail") : QStringLiteral("warn"), isFailure ? colours.fail : colours.warn);
}

} // namespace decodescope
