#include "ui/panels/banner.h"
#include "ui/panels/help_dialogs.h"
#include "ui/panels/lane_editor.h"
#include "ui/panels/lanes_row.h"
#include "ui/panels/local_model_door.h"
#include "ui/panels/machine_dialog.h"
#include "ui/panels/prompt_strip.h"
#include "ui/panels/replay_bar.h"
#include "ui/panels/start_page.h"
#include "ui/panels/status_line.h"
#include "ui/panels/tool_strip.h"
#include "ui/tables/bytes_pane.h"
#include "ui/theme/plain_tip.h"
#include "ui/window/dock_area.h"
#include "ui/window/main_window.h"
#include "ui/window/picture_file.h"
#include "ui/window/window_actions.h"

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QDialog>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QPixmap>
#include <QPlainTextEdit>

#include <algorithm>
#include <iterator>

namespace decodescope {
namespace {

constexpr int kNarrow = 1200;

} // namespace

void MainWindow::connectCommands() {
    connect(m_actions->open, &QAction::triggered, this, &MainWindow::askOpen);
    connect(m_actions->save, &QAction::triggered, this, &MainWindow::askSave);
    connect(m_actions->recordElsewhere, &QAction::triggered, this, &MainWindow::askFolder);
    connect(m_actions->exportPicture, &QAction::triggered, this, &MainWindow::exportPicture);
    connect(m_actions->closeRecording, &QAction::triggered, this, [this] {
        m_runs.closeRecording();
        if (m_runs.lanes().lanes().empty())
            showStartPage();
    });
    connect(m_actions->startPage, &QAction::triggered, this, &MainWindow::showStartPage);
    connect(m_actions->quit, &QAction::triggered, this, &QWidget::close);

    connect(m_actions->run, &QAction::triggered, this, [this] {
        readRace();
        m_ticker.resetDropped();
        m_runs.run();
    });
    connect(m_actions->stop, &QAction::triggered, &m_runs, &RunController::stop);
    connect(m_actions->replay, &QAction::triggered, &m_runs.replay(), &ReplayController::togglePause);
    connect(m_actions->step, &QAction::triggered, &m_runs.replay(), &ReplayController::step);
    connect(m_prompt, &PromptStrip::edited, this, &MainWindow::readRace);
    connect(m_prompt, &PromptStrip::runAsked, m_actions->run, &QAction::trigger);
    connect(m_tools, &ToolStrip::planEdited, this, &MainWindow::readRace);
    const auto setStart = [this](bool oneByOne) {
        RaceSettings race = m_runs.race();
        race.plan.sequential = oneByOne;
        m_runs.setRace(race);
        m_prompt->show(race);
        m_saveSoon.start();
    };
    connect(m_actions->together, &QAction::triggered, this, [setStart] { setStart(false); });
    connect(m_actions->oneByOne, &QAction::triggered, this, [setStart] { setStart(true); });
    connect(m_actions->uniquePrefix, &QAction::toggled, this, [this](bool on) {
        RaceSettings race = m_runs.race();
        race.uniquePrefix = on;
        m_runs.setRace(race);
        m_prompt->show(race);
        m_saveSoon.start();
    });

    connect(m_replayBar, &ReplayBar::showAllAsked, &m_runs, &RunController::stop);
    connect(m_replayBar, &ReplayBar::adoptAsked, &m_runs, &RunController::adoptLanes);
    connect(m_replayBar, &ReplayBar::closeAsked, m_actions->closeRecording, &QAction::trigger);
    connect(m_trouble, &Banner::acted, this, &MainWindow::askFolder);

    connect(m_start, &StartPage::watchAsked, this, &MainWindow::watch);
    connect(m_start, &StartPage::openAsked, this, &MainWindow::askOpen);
    connect(m_start, &StartPage::lanesAsked, this, [this] {
        m_runs.closeRecording();
        showRace();
    });
    connect(m_start, &StartPage::recentAsked, this, &MainWindow::openRecording);
    connect(m_start, &StartPage::shortcutsAsked, this, &MainWindow::showShortcuts);
    connect(m_start, &StartPage::editAsked, this, [this](const RunSpec& spec) { editSpec(spec, 0); });
    connect(m_start, &StartPage::laneAsked, this, [this](const RunSpec& spec) {
        m_runs.closeRecording();
        m_runs.lanes().add(spec);
        showRace();
    });
    connectLocal();
    connect(m_actions->shortcuts, &QAction::triggered, this, &MainWindow::showShortcuts);
    connect(m_actions->measureMachine, &QAction::triggered, this,
            [this] { (new MachineDialog(m_runs.services().measureMachine, this))->show(); });
    connect(m_actions->about, &QAction::triggered, this,
            [this] { aboutDialog(m_runs.services().version, this)->show(); });
}

void MainWindow::connectLaneCommands() {
    LaneList& lanes = m_runs.lanes();
    const auto current = [this] { return m_lanes->current(); };
    connect(m_actions->addLane, &QAction::triggered, this, &MainWindow::addLane);
    connect(m_actions->editLane, &QAction::triggered, this, [this, current] { editLane(current()); });
    connect(m_actions->duplicateLane, &QAction::triggered, this, [&lanes, current] { lanes.duplicate(current()); });
    connect(m_actions->removeLane, &QAction::triggered, this, [&lanes, current] { lanes.remove(current()); });
    connect(m_actions->moveLeft, &QAction::triggered, this,
            [&lanes, current] { lanes.move(current(), lanes.indexOf(current()) - 1); });
    connect(m_actions->moveRight, &QAction::triggered, this,
            [&lanes, current] { lanes.move(current(), lanes.indexOf(current()) + 1); });
    connect(m_actions->runLane, &QAction::triggered, this, [this, current] {
        readRace();
        m_runs.runLane(current());
    });
    connect(m_actions->stopLane, &QAction::triggered, this, [this, current] { m_runs.stopLane(current()); });
    connect(m_actions->adoptLanes, &QAction::triggered, &m_runs, &RunController::adoptLanes);

    connect(m_lanes, &LanesRow::currentChanged, this, &MainWindow::refreshActions);
    connect(m_lanes, &LanesRow::editAsked, this, &MainWindow::editLane);
    connect(m_lanes, &LanesRow::runAsked, this, [this](LaneId lane) {
        readRace();
        m_runs.runLane(lane);
    });
    connect(m_lanes, &LanesRow::addAsked, this, &MainWindow::addLane);
    connect(m_lanes, &LanesRow::keyAsked, this, &MainWindow::editKey);
    connect(m_lanes, &LanesRow::trustAsked, &lanes, [&lanes](LaneId lane, const QString& fingerprint) {
        const LaneConfig* config = lanes.find(lane);
        if (config == nullptr)
            return;
        RunSpec spec = config->spec;
        spec.endpoint.pinnedCertificate = fingerprint.toStdString();
        lanes.edit(lane, spec);
    });
    connect(m_lanes, &LanesRow::duplicateAsked, &lanes, [&lanes](LaneId lane) { lanes.duplicate(lane); });
    connect(m_lanes, &LanesRow::removeAsked, &lanes, &LaneList::remove);
    connect(m_lanes, &LanesRow::moveAsked, this,
            [&lanes](LaneId lane, int by) { lanes.move(lane, lanes.indexOf(lane) + by); });
    connect(m_lanes, &LanesRow::bytesAsked, this, [this](LaneId lane) {
        m_view.setSelected(std::nullopt);
        m_bytes->showReply(lane);
        m_docks->showPanel(QStringLiteral("bytes"));
        m_ticker.invalidate();
    });
    connect(m_lanes, &LanesRow::stopAsked, &m_runs, &RunController::stopLane);
    connect(m_lanes, &LanesRow::hitsChanged, m_tools, &ToolStrip::setHits);
}

void MainWindow::connectViewCommands() {
    for (QAction* action : m_actions->theme->actions())
        action->setChecked(action->data().toInt() == static_cast<int>(m_settings.theme));
    connect(m_actions->theme, &QActionGroup::triggered, this, [this](const QAction* action) {
        Look::instance().apply(static_cast<ThemeChoice>(action->data().toInt()));
        m_ticker.invalidate();
        m_saveSoon.start();
    });
    const auto mirror = [this](QActionGroup* group, auto value, auto signal, auto set) {
        const auto check = [group, value] {
            for (QAction* action : group->actions())
                action->setChecked(action->data().toInt() == value());
        };
        check();
        connect(&m_view, signal, group, check);
        connect(group, &QActionGroup::triggered, this, [set](const QAction* action) { set(action->data().toInt()); });
    };
    mirror(
        m_actions->unit, [this] { return static_cast<int>(m_view.unit()); }, &ViewState::unitChanged,
        [this](int unit) { m_view.setUnit(static_cast<RateUnit>(unit)); });
    mirror(
        m_actions->origin, [this] { return static_cast<int>(m_view.origin()); }, &ViewState::originChanged,
        [this](int origin) { m_view.setOrigin(static_cast<TimeOrigin>(origin)); });
    connect(&m_view, &ViewState::unitChanged, this, [this] { m_ticker.invalidate(); });
    connect(&m_view, &ViewState::originChanged, this, [this] { m_ticker.invalidate(); });
    connect(m_actions->resetLayout, &QAction::triggered, m_docks, &DockArea::resetLayout);
    connect(m_actions->clearSelection, &QAction::triggered, &m_view, &ViewState::clear);
    connect(m_actions->fullScreen, &QAction::toggled, this, &MainWindow::setFullScreen);

    connect(m_actions->copy, &QAction::triggered, this, [this] {
        if (auto* line = qobject_cast<QLineEdit*>(QApplication::focusWidget()))
            line->copy();
        else if (auto* text = qobject_cast<QPlainTextEdit*>(QApplication::focusWidget()))
            text->copy();
        else
            m_lanes->copy();
    });
    connect(m_actions->find, &QAction::triggered, this, [this] {
        m_tools->show();
        m_tools->focusSearch();
    });
    connect(m_actions->findNext, &QAction::triggered, this, [this] { m_lanes->findNext(false); });
    connect(m_actions->findPrevious, &QAction::triggered, this, [this] { m_lanes->findNext(true); });
    connect(m_tools, &ToolStrip::searchChanged, m_lanes, &LanesRow::find);
    connect(m_tools, &ToolStrip::searchNext, m_lanes, &LanesRow::findNext);
}

void MainWindow::readRace() {
    if (m_runs.shown() == RunController::Shown::recording)
        return;
    RaceSettings race = m_runs.race();
    m_prompt->read(race);
    race.plan.repeats = m_tools->repeats();
    race.plan.warmups = m_tools->warmups();
    m_runs.setRace(race);
    const QSignalBlocker quiet(m_actions->uniquePrefix);
    m_actions->uniquePrefix->setChecked(race.uniquePrefix);
    (race.plan.sequential ? m_actions->oneByOne : m_actions->together)->setChecked(true);
    m_saveSoon.start();
}

void MainWindow::fillPlanMenus() {
    const auto fill = [this](QMenu* menu, const QList<int>& counts, bool isRepeat) {
        for (const int count : counts) {
            menu->addAction(QString::number(count), this, [this, count, isRepeat] {
                const RunPlan plan = m_runs.race().plan;
                m_tools->setPlan(isRepeat ? count : plan.repeats, isRepeat ? plan.warmups : count);
                readRace();
            });
        }
    };
    fill(m_actions->repeats, {1, 3, 5, 10, 20, 100}, true);
    fill(m_actions->warmups, {0, 1, 2, 3}, false);
    readRace();
}

void MainWindow::fillRecent() {
    m_actions->recent->clear();
    for (const QString& path : m_settings.recent) {
        QAction* action = m_actions->recent->addAction(QFileInfo(path).completeBaseName(), this,
                                                       [this, path] { openRecording(path); });
        action->setEnabled(QFileInfo::exists(path));
        setPlainTip(action, path);
    }
    m_actions->recent->setEnabled(!m_settings.recent.isEmpty());
    m_start->setRecent(m_settings.recent);
}

void MainWindow::addLane() {
    RunSpec spec;
    // A recorded lane's server is seldom there any more, and a local lane has none.
    for (const LaneConfig& lane : m_runs.lanes().lanes())
        if (!lane.spec.recorded && !lane.spec.local)
            spec.endpoint.url = lane.spec.endpoint.url;
    editSpec(spec, 0);
}

void MainWindow::editLane(LaneId lane) {
    if (const LaneConfig* config = m_runs.lanes().find(lane))
        editSpec(config->spec, lane);
}

void MainWindow::editKey(LaneId lane) {
    if (const LaneConfig* config = m_runs.lanes().find(lane))
        editSpec(config->spec, lane)->focusKey();
}

LaneEditor* MainWindow::editSpec(const RunSpec& spec, LaneId lane) {
    auto* editor = new LaneEditor(m_runs.services(), spec, lane ? tr("Edit lane") : tr("Add lane"), this);
    connect(editor, &LaneEditor::saved, this, [this, lane](const RunSpec& saved) {
        m_runs.closeRecording();
        if (lane)
            m_runs.lanes().edit(lane, saved);
        else
            m_runs.lanes().add(saved);
        showRace();
    });
    editor->show();
    return editor;
}

void MainWindow::openFiles(const QStringList& paths) {
    for (const QString& path : paths) {
        if (path.endsWith(QLatin1String(".gguf"), Qt::CaseInsensitive) && m_runs.services().localModels.available()) {
            editSpec(localLane(path), 0);
            return;
        }
        if (openRecording(path))
            return;
    }
}

bool MainWindow::openRecording(const QString& path) {
    m_banner->hide();
    const bool opened = m_runs.openRecording(path);
    if (opened)
        showRace();
    return opened;
}

void MainWindow::showRecording(const Recording& recording) {
    m_runs.showRecording(recording, QString::fromStdString(recording.path));
    showRace();
}

void MainWindow::watch(const QString& path) {
    openRecording(path);
    if (!onStartPage())
        m_runs.replay().restart();
}

void MainWindow::askOpen() {
    const QString path = QFileDialog::getOpenFileName(this, tr("Open recording"), m_runs.recordingsFolder(),
                                                      tr("Recordings (*.decodescope);;All files (*)"));
    if (!path.isEmpty())
        openRecording(path);
}

void MainWindow::askSave() {
    QString path =
        QFileDialog::getSaveFileName(this, tr("Save recording as"), QString(), tr("Recordings (*.decodescope)"));
    if (path.isEmpty())
        return;
    if (QFileInfo(path).suffix().isEmpty())
        path += QStringLiteral(".decodescope");
    m_runs.saveRecording(path);
}

void MainWindow::askFolder() {
    const QString folder = QFileDialog::getExistingDirectory(this, tr("Record elsewhere"), m_runs.recordingsFolder());
    if (!folder.isEmpty())
        m_runs.recordElsewhere(folder);
    m_saveSoon.start();
}

QPixmap MainWindow::picture() {
    return grab();
}

void MainWindow::exportPicture() {
    const QPixmap shot = picture(); // before the dialog lies over it
    QString path = QFileDialog::getSaveFileName(this, tr("Export picture"), QString(), tr("PNG pictures (*.png)"));
    if (path.isEmpty())
        return;
    if (QFileInfo(path).suffix().isEmpty())
        path += QStringLiteral(".png");
    if (const auto saved = savePicture(shot, path.toStdString()); !saved)
        say(QString::fromStdString(saved.error().message));
}

void MainWindow::stepToken(int by) {
    LaneId lane = m_lanes->current();
    qint64 event = by > 0 ? -1 : 0;
    if (const auto selected = m_view.selected()) {
        lane = selected->lane;
        event = selected->event;
    }
    const Lane* shown = m_runs.session().lane(lane);
    if (!shown || !shown->current() || shown->current()->record->events.empty())
        return;
    const auto count = static_cast<qint64>(shown->current()->record->events.size());
    m_view.setSelected(TokenRef{lane, static_cast<std::uint32_t>(std::clamp<qint64>(event + by, 0, count - 1))});
}

void MainWindow::keyPressEvent(QKeyEvent* event) {
    const bool ctrl = event->modifiers().testFlag(Qt::ControlModifier);
    const int key = event->key();
    if (onStartPage()) {
        QMainWindow::keyPressEvent(event);
    } else if (key == Qt::Key_Space) {
        if (m_runs.shown() == RunController::Shown::recording)
            m_runs.replay().togglePause();
        else
            m_view.setCursorFrozen(!m_view.cursorFrozen());
    } else if (ctrl && (key == Qt::Key_Return || key == Qt::Key_Enter)) {
        m_actions->run->trigger();
    } else if (ctrl && key >= Qt::Key_1 && key <= Qt::Key_9) {
        m_lanes->focusLane(key - Qt::Key_1);
    } else if (key == Qt::Key_Escape) {
        if (m_docks->maximised())
            m_docks->maximise(nullptr);
        else if (m_actions->fullScreen->isChecked())
            m_actions->fullScreen->setChecked(false);
        else
            m_view.clear();
    } else if (key == Qt::Key_Period || key == Qt::Key_Comma) {
        stepToken(key == Qt::Key_Period ? 1 : -1);
    } else if (key == Qt::Key_F && event->modifiers() == Qt::NoModifier) {
        m_view.setTimeRange(std::nullopt);
    } else {
        QMainWindow::keyPressEvent(event);
    }
}

void MainWindow::setFullScreen(bool on) {
    menuBar()->setVisible(!on);
    m_tools->setVisible(!on && m_runs.shown() == RunController::Shown::own);
    m_prompt->setVisible(!on);
    m_status->setVisible(!on);
    Look::instance().setPresentation(on);
    m_docks->setPresentation(on);
    setWindowState(on ? windowState() | Qt::WindowFullScreen : windowState() & ~Qt::WindowFullScreen);
    m_ticker.invalidate();
}

void MainWindow::showShortcuts() {
    std::vector<std::pair<QString, QString>> keys;
    for (QAction* action : m_actions->withShortcuts())
        keys.emplace_back(action->shortcut().toString(QKeySequence::NativeText),
                          action->text().remove(QLatin1Char('&')));
    const std::pair<QString, QString> more[] = {
        {tr("Ctrl+Return"), tr("Run")},
        {tr("Space"), tr("Replay or pause; freeze the cursor")},
        {tr(".  ,"), tr("Next and previous token")},
        {tr("F"), tr("All of the time axis")},
        {tr("W S A D"), tr("Zoom and pan a chart")},
        {tr("Ctrl+1 ... 9"), tr("Go to a lane")},
    };
    keys.insert(keys.end(), std::begin(more), std::end(more));
    shortcutsDialog(keys, this)->show();
}

void MainWindow::changeEvent(QEvent* event) {
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::WindowStateChange)
        m_ticker.setSeen(!isMinimized());
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    m_tools->setNarrow(width() < kNarrow);
    m_prompt->setNarrow(width() < kNarrow);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls() && event->mimeData()->urls().constFirst().isLocalFile())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    QStringList paths;
    for (const QUrl& url : event->mimeData()->urls()) {
        if (url.isLocalFile())
            paths.append(url.toLocalFile());
    }
    event->acceptProposedAction();
    openFiles(paths);
}

QString MainWindow::bannerText() const {
    return m_trouble->isVisible() ? m_trouble->sentence() : m_banner->isVisible() ? m_banner->sentence() : QString();
}

void MainWindow::say(const QString& sentence) {
    m_banner->tell(Banner::Kind::failure, sentence);
}

void MainWindow::refreshTrouble() {
    const QString trouble = m_runs.recordingTrouble();
    if (trouble.isEmpty()) {
        m_trouble->hide();
        return;
    }
    const auto journal = m_runs.journalState();
    const bool recorded = journal && journal->failure.empty();
    if (recorded)
        m_trouble->tell(Banner::Kind::note, trouble, tr("Record elsewhere..."));
    else
        m_trouble->tell(Banner::Kind::failure,
                        tr("This run is not being recorded: %1 The run itself goes on.").arg(trouble),
                        tr("Record elsewhere..."));
}

} // namespace decodescope
