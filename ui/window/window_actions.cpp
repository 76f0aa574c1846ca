#include "ui/window/window_actions.h"

#include "ui/theme/plain_tip.h"

#include <QAction>
#include <QActionGroup>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QUndoStack>

namespace decodescope {

QAction* WindowActions::make(QMenu* menu, const QString& text, const QKeySequence& key, const QString& tip) {
    auto* action = new QAction(text, this);
    action->setShortcut(key);
    if (!tip.isEmpty())
        setPlainTip(action, tip);
    menu->addAction(action);
    m_window.addAction(action); // so that its key works while the menu bar is hidden
    m_all.append(action);
    return action;
}

QAction* WindowActions::pick(QMenu* menu, QActionGroup* group, const QString& text, int value) {
    auto* action = new QAction(text, this);
    action->setCheckable(true);
    action->setData(value);
    group->addAction(action);
    menu->addAction(action);
    return action;
}

WindowActions::WindowActions(QMainWindow& window, QUndoStack& undo)
    : QObject(&window)
    , m_window(window) {
    QMenuBar* bar = window.menuBar();
    QMenu* file = bar->addMenu(tr("&File"));
    open = make(file, tr("&Open recording..."), QKeySequence::Open);
    recent = file->addMenu(tr("Open &recent"));
    save = make(file, tr("&Save recording as..."), QKeySequence::Save);
    recordElsewhere =
        make(file, tr("Record &elsewhere..."), {}, tr("Choose the folder for this and further recordings"));
    exportPicture = make(file, tr("Export &picture..."), QKeySequence(tr("Ctrl+E")), tr("The window as a PNG file"));
    file->addSeparator();
    closeRecording = make(file, tr("&Close recording"), QKeySequence::Close);
    startPage = make(file, tr("S&tart page"), {});
    file->addSeparator();
    quit = make(file, tr("&Quit"), QKeySequence::Quit);

    QMenu* edit = bar->addMenu(tr("&Edit"));
    QAction* undoAction = undo.createUndoAction(this, tr("&Undo"));
    undoAction->setShortcut(QKeySequence::Undo);
    QAction* redoAction = undo.createRedoAction(this, tr("&Redo"));
    redoAction->setShortcuts({QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), QKeySequence(Qt::CTRL | Qt::Key_Y)});
    for (QAction* action : {undoAction, redoAction}) {
        edit->addAction(action);
        window.addAction(action);
        m_all.append(action);
    }
    edit->addSeparator();
    copy = make(edit, tr("&Copy"), QKeySequence::Copy);
    edit->addSeparator();
    find = make(edit, tr("&Find in the lanes"), QKeySequence::Find);
    findNext = make(edit, tr("Find &next"), QKeySequence::FindNext);
    findPrevious = make(edit, tr("Find &previous"), QKeySequence::FindPrevious);

    QMenu* runMenu = bar->addMenu(tr("&Run"));
    run = make(runMenu, tr("&Run"), QKeySequence(Qt::Key_F5), tr("Asks every lane (also Ctrl+Return)"));
    stop = make(runMenu, tr("&Stop"), QKeySequence(Qt::Key_Escape), tr("Stops what is running; what arrived is kept"));
    runMenu->addSeparator();
    repeats = runMenu->addMenu(tr("R&epeat"));
    warmups = runMenu->addMenu(tr("&Warm-up"));
    auto* start = new QActionGroup(this);
    together = pick(runMenu, start, tr("Start &together"), 0);
    oneByOne = pick(runMenu, start, tr("Start &one by one"), 1);
    uniquePrefix = make(runMenu, tr("&Unique prefix"), {}, tr("Defeats a server's cache of earlier prompts"));
    uniquePrefix->setCheckable(true);
    runMenu->addSeparator();
    replay = make(runMenu, tr("Re&play or pause"), {}, tr("Space does the same"));
    step = make(runMenu, tr("Replay one s&tep"), QKeySequence(tr("Ctrl+.")));

    QMenu* view = bar->addMenu(tr("&View"));
    QMenu* themes = view->addMenu(tr("&Theme"));
    theme = new QActionGroup(this);
    pick(themes, theme, tr("&Dark"), 0);
    pick(themes, theme, tr("&Light"), 1);
    pick(themes, theme, tr("As the &system"), 2);
    QMenu* units = view->addMenu(tr("&Rate in"));
    unit = new QActionGroup(this);
    pick(units, unit, tr("&Tokens per second"), 0);
    pick(units, unit, tr("&Characters per second"), 1);
    pick(units, unit, tr("&Words per second"), 2);
    QMenu* origins = view->addMenu(tr("Time &zero"));
    origin = new QActionGroup(this);
    pick(origins, origin, tr("&Request start"), 0);
    pick(origins, origin, tr("&First token"), 1);
    view->addSeparator();
    panels = view->addMenu(tr("&Panels"));
    resetLayout = make(view, tr("Reset &layout"), {});
    clearSelection = make(view, tr("&Clear cursor and selection"), {});
    view->addSeparator();
    fullScreen = make(view, tr("&Full screen"), QKeySequence(Qt::Key_F11));
    fullScreen->setCheckable(true);

    QMenu* lanes = bar->addMenu(tr("&Lanes"));
    addLane = make(lanes, tr("&Add lane..."), QKeySequence::New);
    lanes->addSeparator();
    editLane = make(lanes, tr("&Edit lane..."), QKeySequence(Qt::Key_F2));
    duplicateLane = make(lanes, tr("&Duplicate lane"), QKeySequence(tr("Ctrl+D")));
    removeLane = make(lanes, tr("Re&move lane"), QKeySequence(tr("Ctrl+Shift+Delete")));
    moveLeft = make(lanes, tr("Move &left"), QKeySequence(tr("Ctrl+Shift+Left")));
    moveRight = make(lanes, tr("Move &right"), QKeySequence(tr("Ctrl+Shift+Right")));
    lanes->addSeparator();
    runLane = make(lanes, tr("R&un this lane again"), QKeySequence(tr("Shift+F5")));
    stopLane = make(lanes, tr("&Stop this lane"), {});
    lanes->addSeparator();
    adoptLanes = make(lanes, tr("Use the recording's lanes"), {});

    QMenu* help = bar->addMenu(tr("&Help"));
    shortcuts = make(help, tr("&Shortcuts"), QKeySequence(Qt::Key_F1));
    measureMachine = make(help, tr("&Measure this machine..."), {},
                          tr("How far stamps and gaps lie from the truth here, and what commonly goes wrong"));
    about = make(help, tr("&About Decodescope"), {});
}

QList<QAction*> WindowActions::withShortcuts() const {
    QList<QAction*> found;
    for (QAction* action : m_all) {
        if (!action->shortcut().isEmpty())
            found.append(action);
    }
    return found;
}

} // namespace decodescope
