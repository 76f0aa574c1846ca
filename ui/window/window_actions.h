#pragma once

#include <QList>
#include <QObject>

class QAction;
class QActionGroup;
class QMainWindow;
class QMenu;
class QUndoStack;

namespace decodescope {

/// Every command of the window as an action, and the menus that hold them. What a command does is connected by the
/// window.
class WindowActions : public QObject {
    Q_OBJECT

public:
    /// Makes the menus in the window's menu bar.
    WindowActions(QMainWindow& window, QUndoStack& undo);

    // File
    QAction *open, *save, *exportPicture, *closeRecording, *startPage, *recordElsewhere, *quit;
    QMenu* recent;
    // Edit
    QAction *copy, *find, *findNext, *findPrevious;
    // Run
    QAction *run, *stop, *replay, *step, *together, *oneByOne, *uniquePrefix;
    QMenu *repeats, *warmups;
    // View
    QActionGroup *theme, *unit, *origin;
    QMenu* panels;
    QAction *resetLayout, *fullScreen, *clearSelection;
    // Lanes
    QAction *addLane, *editLane, *duplicateLane, *removeLane, *moveLeft, *moveRight, *runLane, *stopLane, *adoptLanes;
    // Help
    QAction *shortcuts, *measureMachine, *about;

    /// All actions with a shortcut, for the list of shortcuts.
    [[nodiscard]] QList<QAction*> withShortcuts() const;

private:
    QAction* make(QMenu* menu, const QString& text, const QKeySequence& key, const QString& tip = {});
    QAction* pick(QMenu* menu, QActionGroup* group, const QString& text, int value);
    QMainWindow& m_window;
    QList<QAction*> m_all;
};

} // namespace decodescope
