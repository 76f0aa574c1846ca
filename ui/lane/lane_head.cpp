#include "ui/lane/lane_head.h"

#include "ui/theme/plain_tip.h"

#include <QHelpEvent>
#include <QPainter>

namespace decodescope {
namespace {

constexpr int kSide = 10;
constexpr int kGlyph = 14;
constexpr qreal kFailedSwatch = 0.55;

// Lengths that are larger in a presentation: header line, row of numbers, labels in it, swatch.
int headerHeight() {
    return Look::instance().presentation() ? 40 : 32;
}
int numbersHeight() {
    return Look::instance().presentation() ? 66 : 42;
}
int labelHeight() {
    return Look::instance().presentation() ? 18 : 14;
}
int swatchWidth() {
    return Look::instance().presentation() ? 32 : 24;
}

bool sameState(const StateWords& a, const StateWords& b) {
    return a.icon == b.icon && a.words == b.words && a.glyph == b.glyph && a.text == b.text;
}

} // namespace

LaneHead::LaneHead(QWidget* parent)
    : QWidget(parent) {
    setFixedHeight(sizeHint().height());
    connect(&Look::instance(), &Look::changed, this, [this] {
        setFixedHeight(sizeHint().height());
        update();
    });
}

QSize LaneHead::sizeHint() const {
    return {320, headerHeight() + numbersHeight()};
}

void LaneHead::show(const Content& content) {
    const bool header = content.name != m_content.name || content.place != m_content.place ||
                        content.look != m_content.look || content.faded != m_content.faded ||
                        !sameState(content.state, m_content.state);
    const bool numbers = content.numbers != m_content.numbers;
    m_content = content;
    if (header)
        update(0, 0, width(), headerHeight());
    if (numbers)
        update(0, headerHeight(), width(), numbersHeight());
}

void LaneHead::setFocusShown(bool shown) {
    if (shown == m_focusShown)
        return;
    m_focusShown = shown;
    update();
}

void LaneHead::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    if (event->rect().top() < headerHeight())
        paintHeader(painter);
    if (event->rect().bottom() >= headerHeight()) {
        const NumberRow row = numberRow();
        for (std::size_t i = 0; i < row.columns.size(); ++i)
            paintNumber(painter, row, i);
    }
    if (m_focusShown)
        Look::instance().drawFocus(painter, QRectF(0, 0, width(), headerHeight()).adjusted(5, 5, -5, -5));
}

void LaneHead::paintHeader(QPainter& painter) {
    const Look& look = Look::instance();
    const Colours& colours = look.colours();
    const StateWords& state = m_content.state;
    look.drawSwatch(painter, QRectF(kSide, (headerHeight() - 12) / 2.0, swatchWidth(), 12), m_content.look,
                    m_content.faded ? kFailedSwatch : 1.0);

    // The state is never cut short; name and place share what it leaves.
    painter.setFont(look.font(Type::body));
    const int stateWidth = painter.fontMetrics().horizontalAdvance(state.words);
    const int stateLeft = width() - kSide - stateWidth;
    painter.setPen(state.text ? colours.*state.text : colours.ink);
    painter.drawText(QRect(stateLeft, 0, stateWidth + kSide, headerHeight()), Qt::AlignLeft | Qt::AlignVCenter,
                     state.words);
    const QColor glyph = state.glyph ? colours.*state.glyph : look.lane(m_content.look).colour;
    if (!state.icon.isEmpty())
        look.drawIcon(painter, QRectF(stateLeft - kGlyph - 5, (headerHeight() - kGlyph) / 2.0, kGlyph, kGlyph),
                      state.icon, glyph);

    const int nameLeft = kSide + swatchWidth() + 7;
    int room = stateLeft - kGlyph - 5 - 10 - nameLeft;
    painter.setFont(look.font(Type::laneName));
    const QString name = painter.fontMetrics().elidedText(m_content.name, Qt::ElideRight, room);
    painter.setPen(colours.ink);
    painter.drawText(QRect(nameLeft, 0, room, headerHeight()), Qt::AlignLeft | Qt::AlignVCenter, name);
    const int nameWidth = painter.fontMetrics().horizontalAdvance(name) + 6;
    room -= nameWidth;
    painter.setFont(look.font(Type::body));
    constexpr int kLeastPlace = 24;
    if (room >= kLeastPlace) {
        painter.setPen(colours.ink2);
        painter.drawText(QRect(nameLeft + nameWidth, 0, room, headerHeight()), Qt::AlignLeft | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(m_content.place, Qt::ElideRight, room));
    }
}

NumberRow LaneHead::numberRow() const {
    return placeNumbers(m_content.numbers, kSide, width() - 2 * kSide);
}

void LaneHead::paintNumber(QPainter& painter, const NumberRow& row, std::size_t index) {
    const Look& look = Look::instance();
    const Colours& colours = look.colours();
    const LaneNumber& number = m_content.numbers[index];
    const NumberRow::Column& column = row.columns[index];
    painter.setFont(look.font(Type::small));
    painter.setPen(colours.ink3);
    const qreal top = headerHeight();
    painter.drawText(
        QRectF(column.left, top, column.width, labelHeight()), Qt::AlignLeft | Qt::AlignVCenter,
        QFontMetricsF(painter.font()).elidedText(number.label, Qt::ElideRight, column.width - NumberRow::kLabelGap));

    qreal x = column.left;
    const qreal baseline = top + labelHeight() + (look.presentation() ? 32 : 18.5);
    painter.setFont(row.font);
    const QFontMetricsF metrics(row.font);
    const QColor ink = number.dim ? colours.ink3 : colours.ink;
    const auto draw = [&](const QString& text, const QColor& colour) {
        painter.setPen(colour);
        painter.drawText(QPointF(x, baseline), text);
        x += metrics.horizontalAdvance(text);
    };
    draw(number.value, ink);
    if (!number.second.isEmpty()) {
        draw(row.slash, colours.ink3);
        draw(number.second, number.secondDim ? colours.ink3 : ink);
    }
    painter.setFont(row.unitFont);
    painter.setPen(number.dim ? colours.ink3 : colours.ink2);
    painter.drawText(QPointF(x + NumberRow::kUnitGap, baseline), column.unit);
}

bool LaneHead::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    auto* help = static_cast<QHelpEvent*>(event);
    QString tip;
    if (help->pos().y() < headerHeight())
        tip = m_content.name + QLatin1Char('\n') + m_content.place + QLatin1Char('\n') + m_content.state.words;
    else {
        const NumberRow row = numberRow();
        for (std::size_t i = 0; i < row.columns.size(); ++i) {
            if (help->pos().x() >= row.columns[i].left)
                tip = m_content.numbers[i].tip;
        }
    }
    showPlainTip(help->globalPos(), tip, this);
    return true;
}

} // namespace decodescope
