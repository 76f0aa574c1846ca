#pragma once

#include <QWidget>

class QHBoxLayout;
class QToolButton;

namespace decodescope {

class RoleLabel;

/// The 28 px head of a table's panel: a title, a note at the right, and buttons after it.
class PanelHeader : public QWidget {
    Q_OBJECT

public:
    explicit PanelHeader(const QString& title, QWidget* parent = nullptr);

    void setNote(const QString& note);
    /// A flat button with an icon of Look (`text` is its accessible name and tool tip), or with the text itself
    /// when `iconName` is empty.
    QToolButton* addButton(const QString& iconName, const QString& text);

private:
    QHBoxLayout* m_layout;
    RoleLabel* m_note;
};

/// The surface that a panel with such a head lies on; for its paintEvent.
void paintPanel(QWidget& panel);

} // namespace decodescope
