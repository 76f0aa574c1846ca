#include "ui/window/window_place.h"

#include <QScreen>
#include <QStyle>
#include <QWidget>

#include <algorithm>

namespace decodescope {

void stayOnScreen(QWidget& window) {
    if (window.isMaximized() || window.isFullScreen() || window.screen() == nullptr)
        return;
    // The frame comes with the window manager, after this: the style's measure of one stands for it.
    constexpr int kBorder = 4;
    const int title = window.style()->pixelMetric(QStyle::PM_TitleBarHeight, nullptr, &window);
    const QRect room = window.screen()->availableGeometry().adjusted(kBorder, title, -kBorder, -kBorder);
    window.resize(window.size().boundedTo(room.size()).expandedTo(window.minimumSize()));
    if (!window.testAttribute(Qt::WA_Moved))
        return; // where it goes is up to the window manager
    const QPoint place = window.geometry().topLeft();
    const auto within = [](int at, int low, int high) { return std::max(low, std::min(at, high)); };
    window.setGeometry(QRect(QPoint(within(place.x(), room.left(), room.right() + 1 - window.width()),
                                    within(place.y(), room.top(), room.bottom() + 1 - window.height())),
                             window.size()));
}

} // namespace decodescope
