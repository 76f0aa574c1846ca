#pragma once

#include <QScrollBar>

namespace decodescope {

/// The scroll bar of a text view: as wide as the padding that would stand there, so that nothing moves when there is
/// more than fits, and seen only when there is something to tell.
class ThinBar final : public QScrollBar {
public:
    explicit ThinBar(QWidget* parent);
    /// The pointer came into the text, or left it.
    void setPointedAt(bool pointedAt);

protected:
    void paintEvent(QPaintEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    bool m_pointedAt = false;
};

} // namespace decodescope
