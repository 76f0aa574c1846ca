#pragma once

#include <QStyledItemDelegate>

namespace decodescope {

/// A cell as the panels' tables show it.
struct RowCell {
    QString text;
    int chip = -1; ///< look of the lane whose chip stands before the text; -1: none
    bool strong = false;
};

/// Paints the rows of a panel's table in the look of the scoreboard. What a cell holds is the table's own.
class RowDelegate : public QStyledItemDelegate {
public:
    RowDelegate(int padding, Qt::TextElideMode elide, QObject* parent)
        : QStyledItemDelegate(parent)
        , m_padding(padding)
        , m_elide(elide) {}

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const final;
    /// As wide as the cell, as high as the table's rows.
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const final;

protected:
    [[nodiscard]] virtual RowCell cellOf(const QModelIndex& index) const = 0;

private:
    int m_padding;
    Qt::TextElideMode m_elide;
};

} // namespace decodescope
