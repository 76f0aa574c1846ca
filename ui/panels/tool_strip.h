#pragma once

#include <QWidget>

class QAction;
class QLineEdit;
class QSpinBox;

namespace decodescope {

class ActionButton;

/// The tool bar: Run, Stop, how often, and the search box.
class ToolStrip : public QWidget {
    Q_OBJECT

public:
    ToolStrip(QAction* run, QAction* stop, QWidget* parent = nullptr);

    [[nodiscard]] int repeats() const;
    [[nodiscard]] int warmups() const;
    void setPlan(int repeats, int warmups); ///< emits nothing
    void focusSearch();
    /// The number of places that the search found, for its own label; -1: nothing is searched for.
    void setHits(int current, int count);
    /// Repeat and warm-up are in the Run menu alone when there is little room.
    void setNarrow(bool narrow);
    /// Runs of a recording cannot be repeated.
    void setPlanEnabled(bool enabled);

signals:
    void planEdited();
    void searchChanged(const QString& text);
    void searchNext(bool backwards);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    ActionButton* m_run;
    QSpinBox* m_repeats;
    QSpinBox* m_warmups;
    QLineEdit* m_search;
    QWidget* m_plan;
    class RoleLabel* m_hits;
};

} // namespace decodescope
