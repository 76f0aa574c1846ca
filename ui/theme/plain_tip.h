#pragma once

#include <QString>

class QAction;
class QPoint;
class QWidget;

/// Tool tips are read as markup where they look like it, and what they show is often not ours: names of lanes, models
/// and files, words of servers. Every tool tip of the window is set here.
namespace decodescope {

/// Text for a tool tip that is shown as it stands, its lines kept; what is longer than a screen is cut.
[[nodiscard]] QString plainTip(const QString& text);

void setPlainTip(QWidget* widget, const QString& text);
void setPlainTip(QAction* action, const QString& text);

/// Shows a tool tip beside the pointer; hides it when there is nothing to say.
void showPlainTip(const QPoint& at, const QString& text, QWidget* widget);

} // namespace decodescope
