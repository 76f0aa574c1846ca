#include "ui/charts/chart_header.h"

#include "ui/charts/chart_marks.h"
#include "ui/theme/look.h"
#include "ui/theme/plain_tip.h"

#include <QButtonGroup>
#include <QFocusEvent>
#include <QFontMetricsF>
#include <QHBoxLayout>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace decodescope {
namespace {

constexpr int kHeight = 28;
constexpr int kPadding = 10;
constexpr int kControl = 22;

/// The frame around a segmented switch.
class SegmentFrame : public QWidget {
public:
    using QWidget::QWidget;

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const Colours& colours = Look::instance().colours();
        painter.setPen(QPen(colours.border, 1));
        painter.setBrush(Look::instance().theme() == Theme::dark ? colours.field : colours.raised);
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    }
};

QFont segmentFont(bool checked) {
    QFont font = Look::instance().font(Type::small);
    if (checked)
        font.setWeight(QFont::DemiBold);
    return font;
}

} // namespace

HeaderButton::HeaderButton(QWidget* parent)
    : QAbstractButton(parent) {
    setFocusPolicy(Qt::TabFocus);
    setCursor(Qt::ArrowCursor);
}

HeaderButton* HeaderButton::segment(const QString& text, QWidget* parent) {
    auto* button = new HeaderButton(parent);
    button->setText(text);
    button->setCheckable(true);
    return button;
}

HeaderButton* HeaderButton::withIcon(const QString& iconName, const QString& name, QWidget* parent) {
    auto* button = new HeaderButton(parent);
    button->m_icon = iconName;
    button->setAccessibleName(name);
    setPlainTip(button, name);
    return button;
}

QSize HeaderButton::sizeHint() const {
    if (!m_icon.isEmpty())
        return {kControl, kControl};
    // As wide as the heavier of its two states: nothing moves when it is picked.
    return {static_cast<int>(std::ceil(QFontMetricsF(segmentFont(true)).horizontalAdvance(text()))) + 14, kControl - 2};
}

void HeaderButton::paintEvent(QPaintEvent*) {
    const Look& look = Look::instance();
    const Colours& colours = look.colours();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF box = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    const bool hover = underMouse() && isEnabled();
    painter.setPen(Qt::NoPen);
    if (isChecked()) {
        const bool dark = look.theme() == Theme::dark;
        painter.setPen(QPen(dark ? colours.pressed : colours.control, 1));
        painter.setBrush(dark ? colours.pressed : colours.surface);
        painter.drawRoundedRect(box, 3, 3);
    } else if (hover) {
        painter.setBrush(isDown() ? colours.pressed : colours.hover);
        painter.drawRoundedRect(box, 3, 3);
    }
    if (m_icon.isEmpty()) {
        painter.setFont(segmentFont(isChecked()));
        painter.setPen(isChecked() ? colours.ink : colours.ink2);
        painter.drawText(rect(), Qt::AlignCenter, text());
    } else {
        const QPixmap icon = look.iconPixmap(m_icon, 14, hover ? colours.ink : colours.ink2, devicePixelRatioF());
        painter.drawPixmap(QPointF((width() - 14) / 2.0, (height() - 14) / 2.0), icon);
    }
    if (hasFocus() && m_keyboardFocus)
        look.drawFocus(painter, QRectF(rect()).adjusted(2, 2, -2, -2));
}

void HeaderButton::focusInEvent(QFocusEvent* event) {
    const Qt::FocusReason reason = event->reason();
    m_keyboardFocus =
        reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason || reason == Qt::ShortcutFocusReason;
    QAbstractButton::focusInEvent(event);
}

void HeaderButton::enterEvent(QEnterEvent* event) {
    QAbstractButton::enterEvent(event);
    update();
}

void HeaderButton::leaveEvent(QEvent* event) {
    QAbstractButton::leaveEvent(event);
    update();
}

ChartHeader::ChartHeader(const QString& title, QWidget* parent)
    : QWidget(parent)
    , m_title(title) {
    setFixedHeight(kHeight);
    setMouseTracking(true);
    m_row = new QHBoxLayout(this);
    m_row->setContentsMargins(kPadding, 0, 6, 0);
    m_row->setSpacing(8);
    m_row->addStretch(1);
    m_maximise = HeaderButton::withIcon(QStringLiteral("max"), tr("Maximise %1").arg(title), this);
    connect(m_maximise, &HeaderButton::clicked, this, &ChartHeader::maximiseRequested);
    m_row->addWidget(m_maximise);
}

void ChartHeader::addSwitch(const QStringList& words, int checked, const QString& name) {
    m_group = new SegmentFrame(this);
    m_group->setAccessibleName(name);
    m_group->setFixedHeight(kControl);
    auto* row = new QHBoxLayout(m_group);
    row->setContentsMargins(1, 1, 1, 1);
    row->setSpacing(0);
    auto* buttons = new QButtonGroup(this);
    for (int i = 0; i < words.size(); ++i) {
        HeaderButton* button = HeaderButton::segment(words[i], m_group);
        button->setAccessibleName(name + QStringLiteral(": ") + words[i]);
        buttons->addButton(button, i);
        button->setChecked(i == checked);
        m_segments.push_back(button);
        row->addWidget(button);
    }
    connect(buttons, &QButtonGroup::idClicked, this, &ChartHeader::switched);
    m_row->insertWidget(m_row->count() - 1, m_group);
}

void ChartHeader::setSwitch(int checked) {
    if (checked >= 0 && static_cast<std::size_t>(checked) < m_segments.size())
        m_segments[static_cast<std::size_t>(checked)]->setChecked(true);
}

void ChartHeader::setValues(std::vector<HeaderValue> values) {
    const auto same = [](const HeaderValue& a, const HeaderValue& b) {
        return a.look == b.look && a.text == b.text && a.weak == b.weak;
    };
    if (std::equal(values.begin(), values.end(), m_values.begin(), m_values.end(), same))
        return;
    m_values = std::move(values);
    update();
}

void ChartHeader::setLegend(std::vector<LegendItem> legend) {
    const auto same = [](const LegendItem& a, const LegendItem& b) {
        return a.sample == b.sample && a.text == b.text && a.colour == b.colour;
    };
    if (std::equal(legend.begin(), legend.end(), m_legend.begin(), m_legend.end(), same))
        return;
    m_legend = std::move(legend);
    update();
}

QSize ChartHeader::sizeHint() const {
    return {300, kHeight};
}

void ChartHeader::paintEvent(QPaintEvent*) {
    const Look& look = Look::instance();
    const Colours& colours = look.colours();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const double baseline = kHeight / 2.0 + 4;

    const QFont titleFont = look.font(Type::title);
    painter.setFont(titleFont);
    painter.setPen(colours.ink);
    const bool named = property("namedByTab").toBool(); // a tab above says the same
    if (!named)
        painter.drawText(QPointF(kPadding, baseline), m_title);
    const double left = kPadding + (named ? 0 : QFontMetricsF(titleFont).horizontalAdvance(m_title) + 12);
    double right = (m_group ? m_group->x() : m_maximise->x()) - 10;

    const QFont small = look.font(Type::small);
    const QFontMetricsF metrics(small);
    painter.setFont(small);

    // Values first: they are what one looks for. A slot is as wide as its widest usual number.
    const double slot = 14 + 4 + metrics.horizontalAdvance(QStringLiteral("88.8\u2009ms")) + 10;
    const double valuesWidth = slot * static_cast<double>(m_values.size());
    const auto itemWidth = [&](const LegendItem& item) {
        const double sample = item.sample == LegendItem::Sample::none     ? 0
                              : item.sample == LegendItem::Sample::swatch ? 14
                                                                          : 20;
        return sample + metrics.horizontalAdvance(item.text) + 10;
    };
    double legendWidth = 0;
    for (const LegendItem& item : m_legend)
        legendWidth += itemWidth(item);
    if (!m_legend.empty() && right - left >= valuesWidth + legendWidth) {
        double x = right - legendWidth + 10;
        for (const LegendItem& item : m_legend) {
            double text = x;
            const QRectF box(std::round(x), kHeight / 2.0 - 5, 9, 10);
            if (item.sample == LegendItem::Sample::swatch) {
                painter.fillRect(QRectF(box.left(), box.top() + 0.5, 9, 9), item.colour);
                text += 14;
            } else if (item.sample == LegendItem::Sample::hatched) {
                look.drawHatch(painter, box.adjusted(0, 0, 2, 0));
                text += 20;
            } else if (item.sample != LegendItem::Sample::none) {
                const bool dashed = item.sample == LegendItem::Sample::dashedEdges;
                const QList<qreal> dash = dashed ? QList<qreal>{3, 3} : QList<qreal>{};
                drawStallBand(painter, QRectF(box.left(), box.top(), 11, 3),
                              dashed ? StallKind::delivery : StallKind::generation);
                drawVertical(painter, box.left(), box.top(), box.bottom(), colours.stall, dash);
                drawVertical(painter, box.left() + 10, box.top(), box.bottom(), colours.stall, dash);
                text += 20;
            }
            painter.setPen(colours.ink3);
            painter.drawText(QPointF(text, baseline), item.text);
            x += itemWidth(item);
        }
        right -= legendWidth + 6;
    }
    m_valueRects.clear();
    const double room = std::max(0.0, right - left);
    const auto shown = std::min(m_values.size(), static_cast<std::size_t>(room / slot));
    double x = right - slot * static_cast<double>(shown) + 10;
    for (std::size_t i = 0; i < shown; ++i, x += slot) {
        const QRectF chip = look.drawChip(painter, QPointF(std::round(x), (kHeight - 14) / 2.0), m_values[i].look);
        painter.setFont(small);
        painter.setPen(m_values[i].weak ? colours.ink3 : colours.ink2);
        painter.drawText(QPointF(chip.right() + 4, baseline), m_values[i].text);
        m_valueRects.push_back(QRectF(chip.left(), 0, slot - 4, kHeight));
    }
}

void ChartHeader::mouseMoveEvent(QMouseEvent* event) {
    int hovered = -1;
    for (std::size_t i = 0; i < m_valueRects.size(); ++i) {
        if (m_valueRects[i].contains(event->position()))
            hovered = static_cast<int>(i);
    }
    emit valueHovered(hovered);
}

void ChartHeader::leaveEvent(QEvent* event) {
    QWidget::leaveEvent(event);
    emit valueHovered(-1);
}

} // namespace decodescope
