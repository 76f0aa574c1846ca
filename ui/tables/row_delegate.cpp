#include "ui/tables/row_delegate.h"

#include "ui/theme/look.h"

#include <QPainter>

#include <cmath>

namespace decodescope {
namespace {

constexpr qreal kChip = 14;
constexpr qreal kAfterChip = 6;

QFont fontOf(const RowCell& cell) {
    QFont font = Look::instance().font(Type::body);
    if (cell.strong)
        font.setWeight(QFont::DemiBold);
    return font;
}

} // namespace

void RowDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const Look& look = Look::instance();
    const Colours& colours = look.colours();
    const RowCell cell = cellOf(index);
    painter->save();
    const bool selected = option.state & QStyle::State_Selected;
    if (selected)
        painter->fillRect(option.rect, colours.selection);
    else if (option.state & QStyle::State_MouseOver)
        painter->fillRect(option.rect, colours.hover);
    painter->setPen(QPen(colours.grid, 0));
    painter->drawLine(option.rect.bottomLeft(), option.rect.bottomRight());

    QRectF rect = QRectF(option.rect).adjusted(m_padding, 0, -m_padding, 0);
    if (cell.chip >= 0) {
        look.drawChip(*painter, QPointF(rect.left(), rect.top() + (rect.height() - kChip) / 2), cell.chip);
        rect.setLeft(rect.left() + kChip + kAfterChip);
    }
    const QFont font = fontOf(cell);
    painter->setFont(font);
    const auto ink = index.data(Qt::ForegroundRole).value<QColor>();
    painter->setPen(selected && ink != colours.ink2 ? colours.ink : ink);
    const auto align = static_cast<Qt::Alignment>(index.data(Qt::TextAlignmentRole).toInt());
    painter->drawText(rect, static_cast<int>(align | Qt::TextSingleLine),
                      QFontMetricsF(font).elidedText(cell.text, m_elide, rect.width()));
    painter->restore();
}

QSize RowDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const RowCell cell = cellOf(index);
    const qreal chip = cell.chip >= 0 ? kChip + kAfterChip : 0;
    const qreal text = QFontMetricsF(fontOf(cell)).horizontalAdvance(cell.text);
    return {static_cast<int>(std::ceil(text + chip)) + 2 * m_padding,
            QStyledItemDelegate::sizeHint(option, index).height()};
}

} // namespace decodescope
