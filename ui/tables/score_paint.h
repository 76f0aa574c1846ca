#pragma once

#include "ui/tables/score_data.h"

#include <QHeaderView>
#include <QStyledItemDelegate>
#include <QWidget>

namespace decodescope {

/// Paints a score: the value right-aligned, its ratio to the best small at its left; in the first column the name
/// and its unit.
class ScoreDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

/// The scoreboard's head: a lane is its chip, with the glyph of its state before it.
class ScoreHeader : public QHeaderView {
    Q_OBJECT

public:
    explicit ScoreHeader(QWidget* parent = nullptr);

protected:
    void paintSection(QPainter* painter, const QRect& rect, int section) const override;
    [[nodiscard]] QSize sizeHint() const override;
};

/// The sentences under the table, with chips in the running text.
class ScoreNotes : public QWidget {
    Q_OBJECT

public:
    explicit ScoreNotes(QWidget* parent = nullptr);

    void setNotes(std::vector<ScoreNote> notes);
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    /// Lays the words out; paints them when a painter is given. Returns the height.
    int flow(int width, QPainter* painter) const;
    std::vector<ScoreNote> m_notes;
};

/// The notes as plain text, chips as letters.
[[nodiscard]] QString plainNotes(const std::vector<ScoreNote>& notes);

} // namespace decodescope
