#include "ui/panels/controls.h"

#include "ui/theme/plain_tip.h"

#include <QAction>
#include <QButtonGroup>
#include <QEvent>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPainter>
#include <QStyleOptionButton>
#include <QStylePainter>
#include <QToolButton>

#include <algorithm>
#include <cmath>

namespace decodescope {
namespace {

constexpr int kIcon = 14;
constexpr int kPadding = 11;
constexpr int kGap = 7;

/// Painted in the palette's border, so that it follows the theme by itself.
class Hairline : public QWidget {
public:
    using QWidget::QWidget;

protected:
    void paintEvent(QPaintEvent*) override { QPainter(this).fillRect(rect(), Look::instance().colours().border); }
};

} // namespace

RoleLabel::RoleLabel(const QString& text, QColor Colours::*role, Type type, QWidget* parent)
    : QLabel(parent)
    , m_role(role)
    , m_type(type) {
    setTextFormat(Qt::PlainText);
    setText(text);
    restyle();
    connect(&Look::instance(), &Look::changed, this, &RoleLabel::restyle);
}

void RoleLabel::setRole(QColor Colours::*role) {
    m_role = role;
    restyle();
}

void RoleLabel::setElided(Qt::TextElideMode mode) {
    m_elide = mode;
    setSizePolicy(QSizePolicy::Preferred, sizePolicy().verticalPolicy());
    updateGeometry();
}

QSize RoleLabel::minimumSizeHint() const {
    const QSize usual = QLabel::minimumSizeHint();
    return m_elide == Qt::ElideNone ? usual : QSize(fontMetrics().averageCharWidth() * 4, usual.height());
}

void RoleLabel::restyle() {
    const Look& look = Look::instance();
    setFont(look.font(m_type));
    QPalette colours = palette();
    colours.setColor(QPalette::WindowText, look.colours().*m_role);
    setPalette(colours);
}

void RoleLabel::paintEvent(QPaintEvent* event) {
    if (m_elide == Qt::ElideNone || wordWrap()) {
        QLabel::paintEvent(event);
        return;
    }
    const QString shown = fontMetrics().elidedText(text(), m_elide, width());
    if (const QString tip = shown == text() ? QString() : text(); plainTip(tip) != toolTip())
        setPlainTip(this, tip);
    QPainter painter(this);
    painter.setPen(palette().color(QPalette::WindowText));
    painter.drawText(rect(), static_cast<int>(alignment()) | Qt::TextSingleLine, shown);
}

IconLabel::IconLabel(const QString& icon, QWidget* parent)
    : QLabel(parent) {
    setTextFormat(Qt::PlainText);
    setFixedSize(20, 20);
    const auto draw = [this, icon] {
        const Look& look = Look::instance();
        setPixmap(look.iconPixmap(icon, 20, look.colours().ink2, devicePixelRatioF()));
    };
    draw();
    connect(&Look::instance(), &Look::changed, this, draw);
}

ActionButton::ActionButton(const QString& icon, const QString& text, const QString& hint, QWidget* parent)
    : QPushButton(parent)
    , m_icon(icon) {
    setWords(text, hint);
    connect(&Look::instance(), &Look::changed, this, [this] { update(); });
}

ActionButton::ActionButton(QAction* action, const QString& icon, QWidget* parent)
    : ActionButton(icon, action->text().remove(QLatin1Char('&')), action->shortcut().toString(QKeySequence::NativeText),
                   parent) {
    const auto follow = [this, action] {
        setEnabled(action->isEnabled());
        setWords(action->text().remove(QLatin1Char('&')), action->shortcut().toString(QKeySequence::NativeText));
        setPlainTip(this, action->toolTip());
    };
    follow();
    connect(action, &QAction::changed, this, follow);
    connect(this, &QPushButton::clicked, action, &QAction::trigger);
}

void ActionButton::setPrimary(bool primary) {
    m_primary = primary;
    setProperty("primary", primary);
}

void ActionButton::setWords(const QString& text, const QString& hint) {
    if (m_text == text && m_hint == hint)
        return;
    m_text = text;
    m_hint = hint;
    setText(text);
    setAccessibleName(text);
    updateGeometry();
    update();
}

void ActionButton::setGlyph(const QString& icon) {
    m_icon = icon;
    updateGeometry();
    update();
}

QSize ActionButton::sizeHint() const {
    const Look& look = Look::instance();
    int width = 2 * kPadding;
    if (!m_icon.isEmpty())
        width += kIcon + kGap;
    width += QFontMetrics(look.font(m_primary ? Type::title : Type::body)).horizontalAdvance(m_text);
    if (!m_hint.isEmpty())
        width += kGap + QFontMetrics(look.font(Type::small)).horizontalAdvance(m_hint);
    return {width, 28};
}

void ActionButton::paintEvent(QPaintEvent*) {
    const Look& look = Look::instance();
    const Colours& colours = look.colours();
    QStylePainter painter(this);
    QStyleOptionButton option;
    initStyleOption(&option);
    option.text.clear();
    option.icon = {};
    painter.drawControl(QStyle::CE_PushButton, option);

    const QColor ink = !isEnabled() ? colours.disabled : m_primary ? colours.onPrimary : colours.ink;
    const QColor pale = !isEnabled() ? colours.disabled
                        : m_primary  ? Look::mix(colours.primary, colours.onPrimary, 0.72)
                                     : colours.ink3;
    qreal x = kPadding + (width() - sizeHint().width()) / 2.0;
    if (!m_icon.isEmpty()) {
        look.drawIcon(painter, QRectF(x, (height() - kIcon) / 2.0, kIcon, kIcon), m_icon, ink);
        x += kIcon + kGap;
    }
    painter.setFont(look.font(m_primary ? Type::title : Type::body));
    painter.setPen(ink);
    painter.drawText(QRectF(x, 0, width(), height()), Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine, m_text);
    if (m_hint.isEmpty())
        return;
    x += painter.fontMetrics().horizontalAdvance(m_text) + kGap;
    painter.setFont(look.font(Type::small));
    painter.setPen(pale);
    painter.drawText(QRectF(x, 0, width(), height()), Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine, m_hint);
}

SegmentBar::SegmentBar(const QString& accessibleName, const QStringList& words, QWidget* parent)
    : QFrame(parent)
    , m_group(new QButtonGroup(this)) {
    setProperty("segments", true);
    setAccessibleName(accessibleName);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    for (const QString& word : words) {
        auto* button = new QToolButton(this);
        button->setText(word);
        button->setCheckable(true);
        button->setProperty("segment", true);
        button->setAccessibleName(accessibleName + QStringLiteral(": ") + word);
        m_group->addButton(button, m_group->buttons().size());
        row->addWidget(button);
    }
    m_group->buttons().constFirst()->setChecked(true);
    connect(m_group, &QButtonGroup::idClicked, this, &SegmentBar::picked);
}

int SegmentBar::current() const {
    return m_group->checkedId();
}

void SegmentBar::setCurrent(int index) {
    if (QAbstractButton* button = m_group->button(index))
        button->setChecked(true);
}

QLineEdit* lineField(const QString& name, const QString& placeholder, QWidget* parent) {
    auto* made = new QLineEdit(parent);
    made->setAccessibleName(name);
    made->setPlaceholderText(placeholder);
    return made;
}

QToolButton* iconButton(const QString& icon, const QString& name, QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setIcon(Look::instance().icon(icon, 16));
    button->setIconSize({16, 16});
    button->setProperty("flat", true);
    setPlainTip(button, name);
    button->setAccessibleName(name);
    return button;
}

Surface::Surface(QWidget* parent)
    : QFrame(parent) {
    connect(&Look::instance(), &Look::changed, this, [this] { update(); });
}

void Surface::paintEvent(QPaintEvent*) {
    const Look& look = Look::instance();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(look.colours().surface);
    painter.setPen(look.theme() == Theme::light ? QPen(look.colours().border, 1) : QPen(Qt::NoPen));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
}

ProgressLine::ProgressLine(const QString& accessibleName, QWidget* parent)
    : QWidget(parent) {
    setAccessibleName(accessibleName);
    setFixedHeight(4);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void ProgressLine::setShare(double share) {
    m_share = std::clamp(share, 0.0, 1.0);
    setAccessibleDescription(tr("%1 %").arg(std::floor(m_share * 100)));
    update();
}

void ProgressLine::paintEvent(QPaintEvent*) {
    const Colours& colours = Look::instance().colours();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colours.border);
    painter.drawRoundedRect(rect(), 2, 2);
    if (m_share <= 0)
        return;
    painter.setBrush(colours.ink);
    painter.drawRoundedRect(QRectF(0, 0, std::max(4.0, width() * m_share), height()), 2, 2);
}

QWidget* hairline(QWidget* parent) {
    auto* line = new Hairline(parent);
    line->setFixedHeight(1);
    return line;
}

} // namespace decodescope
