#pragma once

class QWidget;

namespace decodescope {

/// Makes a window that is not shown yet no larger than its screen, frame included, and moves it inside. Sizes come from
/// a larger screen, or from nobody who asked how large this one is.
void stayOnScreen(QWidget& window);

} // namespace decodescope
