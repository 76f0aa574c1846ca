#pragma once

#include "ui/lane/lane_words.h"

#include <QWidget>

#include <array>

namespace decodescope {

/// The upper part of a lane's card: swatch, name, place and state, and the four numbers under them. Painted whole;
/// value boxes have fixed left edges, so that nothing moves when a number grows a digit.
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
    void paintNumber(QPainter& painter, const LaneNumber& number, const QRectF& rect);
    [[nodiscard]] QRectF numberRect(std::size_t index) const;

    Content m_content;
    bool m_focusShown = false;
};

} // namespace decodescope
