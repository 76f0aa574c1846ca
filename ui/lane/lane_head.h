#pragma once

#include "ui/lane/number_row.h"

#include <QWidget>

#include <array>

namespace decodescope {

/// The upper part of a lane's card: swatch, name, place and state, and the four numbers under them. Painted whole.
class LaneHead : public QWidget {
    Q_OBJECT

public:
    explicit LaneHead(QWidget* parent = nullptr);

    struct Content {
        QString name, place;
        int look = 0;
        bool faded = false; ///< a failed lane's swatch
        StateWords state;
        std::array<LaneNumber, 4> numbers;
    };
    /// Repaints only what differs.
    void show(const Content& content);
    [[nodiscard]] const Content& content() const { return m_content; }
    void setFocusShown(bool shown);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    void paintHeader(QPainter& painter);
    void paintNumber(QPainter& painter, const NumberRow& row, std::size_t index);
    [[nodiscard]] NumberRow numberRow() const;

    Content m_content;
    bool m_focusShown = false;
};

} // namespace decodescope
