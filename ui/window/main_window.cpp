#include "ui/window/main_window.h"

#include "ui/charts/arrived_chart.h"
#include "ui/charts/distribution_chart.h"
#include "ui/charts/engine_chart.h"
#include "ui/charts/first_token_chart.h"
#include "ui/charts/gap_chart.h"
#include "ui/charts/rate_chart.h"
#include "ui/lane/lane_words.h"
#include "ui/panels/banner.h"
#include "ui/panels/lab_panel.h"
#include "ui/panels/lanes_row.h"
#include "ui/panels/prompt_strip.h"
#include "ui/panels/replay_bar.h"
#include "ui/panels/start_page.h"
#include "ui/panels/status_line.h"
#include "ui/panels/tool_strip.h"
#include "ui/tables/bytes_pane.h"
#include "ui/tables/scoreboard.h"
#include "ui/tables/stall_table.h"
#include "ui/window/dock_area.h"
#include "ui/window/window_actions.h"
#include "ui/window/window_place.h"

#include <QAction>
#include <QActionGroup>
#include <QCloseEvent>
#include <QDialog>
#include <QFileInfo>
#include <QMenuBar>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace decodescope {
namespace {

constexpr int kSaveDelayMs = 1500;
constexpr QSize kUsualSize(1600, 1000);

} // namespace

MainWindow::MainWindow(WindowServices services)
    : m_settings(loadSettings(services.settingsFile))
    , m_runs(std::move(services))
    , m_ticker([this] { return m_runs.pump(); }, [this] { return m_runs.session().active(); })
    , m_actions(new WindowActions(*this, m_runs.lanes().undoStack())) {
    setWindowTitle(QStringLiteral("Decodescope"));
    setAcceptDrops(true);
    setMinimumSize(760, 520);
    Look::instance().apply(m_settings.theme);
    m_runs.setRace(m_settings.race);
    if (!m_settings.recordingsFolder.isEmpty())
        m_runs.setRecordingsFolder(m_settings.recordingsFolder);
    buildPanels();
    connectCommands();
    connectLaneCommands();
    connectViewCommands();
    connectRuns();

    m_prompt->show(m_runs.race());
    m_tools->setPlan(m_runs.race().plan.repeats, m_runs.race().plan.warmups);
    m_runs.lanes().restore(m_settings.lanes);
    tellLanes();
    fillRecent();
    fillPlanMenus();
    resize(kUsualSize);
    if (!m_settings.geometry.isEmpty())
        restoreGeometry(m_settings.geometry);
    stayOnScreen(*this);
    m_docks->restoreLayout(m_settings.layout);
    m_saveSoon.setSingleShot(true);
    m_saveSoon.setInterval(kSaveDelayMs);
    connect(&m_saveSoon, &QTimer::timeout, this, &MainWindow::remember);
    showStartPage();
    m_ticker.start();
}

MainWindow::~MainWindow() {
    m_closing = true;
    Look::instance().setPresentation(false); // it was this window's
    // Views and dialogs look at what this window owns: they go first, and nothing is told to a window half gone.
    disconnect(&m_runs, nullptr, this, nullptr);
    disconnect(&m_runs.lanes(), nullptr, this, nullptr);
    disconnect(&m_runs.replay(), nullptr, this, nullptr);
    disconnect(&m_view, nullptr, this, nullptr);
    qDeleteAll(findChildren<QDialog*>(QString(), Qt::FindDirectChildrenOnly));
    setStatusBar(nullptr);
    delete takeCentralWidget();
}

void MainWindow::buildPanels() {
    m_tools = new ToolStrip(m_actions->run, m_actions->stop, this);
    m_prompt = new PromptStrip(m_view, this);
    m_replayBar = new ReplayBar(m_runs.replay(), this);
    m_trouble = new Banner(this);
    m_banner = new Banner(this);
    m_lanes = new LanesRow(m_view, this);
    m_docks = new DockArea(m_lanes, this);
    m_start = new StartPage(m_runs.services(), this);
    m_status = new StatusLine(this);
    setStatusBar(m_status);

    using Place = DockArea::Place;
    const auto add = [this](auto* panel, const char* id, const QString& title, Place place, int stretch) {
        m_docks->addPanel(QString::fromLatin1(id), title, panel, place, stretch);
        m_ticker.addStaggered(panel, [this, panel] { panel->advance(m_runs.session()); });
    };
    const auto addChart = [&](ChartPanel* panel, const char* id, Place place, int stretch) {
        add(panel, id, panel->title(), place, stretch);
        connect(panel, &ChartPanel::maximiseRequested, this, [this, panel] { m_docks->maximise(panel); });
    };
    add(new Scoreboard(m_view, this), "scoreboard", tr("Scoreboard"), Place::side, 1);
    add(new StallTable(m_view, this), "stalls", tr("Stalls"), Place::spare, 1);
    m_bytes = new BytesPane(m_view, this);
    add(m_bytes, "bytes", tr("Bytes"), Place::spare, 1);
    if (m_runs.services().localModels.available()) {
        m_lab = new LabPanel(this);
        add(m_lab, "lab", tr("Lab"), Place::spare, 1);
    }
    addChart(new EngineChart(m_view, this), "engine", Place::spare, 1);
    addChart(new GapChart(m_view, this), "gaps", Place::upper, 62);
    addChart(new RateChart(m_view, this), "rate", Place::upper, 38);
    addChart(new ArrivedChart(m_view, this), "arrived", Place::lower, 1);
    addChart(new DistributionChart(m_view, this), "distribution", Place::lower, 1);
    addChart(new FirstTokenChart(m_view, this), "first-token", Place::lower, 1);

    m_race = new QWidget(this);
    auto* column = new QVBoxLayout(m_race);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    for (QWidget* part : std::initializer_list<QWidget*>{m_tools, m_prompt, m_replayBar})
        column->addWidget(part);
    column->addWidget(m_docks, 1);

    m_pages = new QStackedWidget(this);
    m_pages->addWidget(m_start);
    m_pages->addWidget(m_race);
    auto* centre = new QWidget(this);
    auto* whole = new QVBoxLayout(centre);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->setSpacing(0);
    whole->addWidget(m_trouble);
    whole->addWidget(m_banner);
    whole->addWidget(m_pages, 1);
    setCentralWidget(centre);

    m_ticker.addEveryTick(m_lanes, [this] {
        m_lanes->advance(m_runs.session(),
                         m_runs.shown() == RunController::Shown::recording ? &m_runs.replay() : nullptr);
    });
    m_ticker.addStaggered(m_status, [this] {
        if (onStartPage())
            return;
        m_status->advance(m_runs, m_ticker.droppedFrames());
        refreshTrouble(); // the journal's own thread finds out that a disk is full
    });
    m_ticker.addEveryTick(m_replayBar, [this] { m_replayBar->advance(); });
    for (QAction* action : m_docks->panelActions())
        m_actions->panels->addAction(action);
}

void MainWindow::connectRuns() {
    connect(&m_runs, &RunController::lanesChanged, this, [this] {
        m_lanes->setLanes(m_runs.session());
        m_view.clear();
        m_ticker.invalidate();
    });
    connect(&m_runs, &RunController::stateChanged, this, &MainWindow::refreshActions);
    connect(&m_runs, &RunController::failed, this, &MainWindow::say);
    const auto keep = [this](const QString& path) {
        if (path.startsWith(QStringLiteral(":/")))
            return; // shipped ones are on the start page anyway
        m_settings.addRecent(path);
        fillRecent();
        m_saveSoon.start();
    };
    connect(&m_runs, &RunController::recordingOpened, this, keep);
    connect(&m_runs, &RunController::recordingSaved, this, keep);
    connect(&m_runs.lanes(), &LaneList::changed, this, [this] {
        m_settings.lanes = m_runs.lanes().lanes();
        tellLanes();
        m_saveSoon.start();
    });
    connect(&m_runs.replay(), &ReplayController::changed, this, [this] {
        m_ticker.invalidate();
        refreshActions();
    });
    // What is chosen when nothing runs is shown as well.
    connect(&m_view, &ViewState::selectedChanged, this, [this] { m_ticker.invalidate(); });
    connect(m_bytes, &BytesPane::wanted, this, [this] { m_ticker.invalidate(); });
    connect(&m_view, &ViewState::stallChanged, this, [this] {
        m_ticker.invalidate();
        if (!m_view.stall())
            return;
        m_docks->showPanel(QStringLiteral("stalls")); // as a tab beside what is raised
        m_docks->showPanel(QStringLiteral("bytes"));
    });
}

void MainWindow::tellLanes() {
    QStringList names;
    std::optional<RunSpec> local;
    for (const LaneConfig& lane : m_runs.lanes().lanes()) {
        names.append(laneName(lane));
        if (lane.spec.local && !local)
            local = lane.spec;
    }
    m_start->setLanes(names);
    if (m_lab)
        m_lab->setBase(local);
}

void MainWindow::showAsPicture() {
    m_picture = true;
    menuBar()->hide();
    refreshActions();
}

bool MainWindow::onStartPage() const {
    return m_pages->currentWidget() == m_start;
}

void MainWindow::showStartPage() {
    m_pages->setCurrentWidget(m_start);
    m_status->showStart();
    refreshActions();
}

void MainWindow::showRace() {
    m_pages->setCurrentWidget(m_race);
    m_ticker.invalidate();
    refreshActions();
    m_lanes->focusLane(0, Qt::ActiveWindowFocusReason); // so that the keys of the race work at once
}

void MainWindow::refreshActions() {
    const bool recording = m_runs.shown() == RunController::Shown::recording;
    const bool running = m_runs.running();
    const bool replaying = recording && m_runs.replay().begun();
    const bool race = !onStartPage();
    const bool own = !recording;
    const LaneId lane = m_lanes->current();
    const bool hasLane = own && m_runs.lanes().indexOf(lane) >= 0 && race;

    m_actions->run->setEnabled(race && m_runs.canRun());
    m_actions->stop->setEnabled(running || replaying);
    m_actions->save->setEnabled(race && m_runs.canSave());
    m_actions->closeRecording->setEnabled(recording);
    m_actions->exportPicture->setEnabled(race);
    m_actions->replay->setEnabled(race && m_runs.replay().available());
    m_actions->step->setEnabled(race && m_runs.replay().available());
    m_actions->adoptLanes->setEnabled(recording);
    m_actions->addLane->setEnabled(!m_runs.lanes().full());
    m_actions->editLane->setEnabled(hasLane);
    m_actions->duplicateLane->setEnabled(hasLane && !m_runs.lanes().full());
    m_actions->removeLane->setEnabled(hasLane);
    m_actions->moveLeft->setEnabled(hasLane && m_runs.lanes().indexOf(lane) > 0);
    m_actions->moveRight->setEnabled(hasLane && m_runs.lanes().indexOf(lane) + 1 <
                                                    static_cast<int>(m_runs.lanes().lanes().size()));
    const Lane* shown = m_runs.session().lane(lane);
    m_actions->runLane->setEnabled(hasLane && shown && !shown->inFlight());
    m_actions->stopLane->setEnabled(own && shown && shown->inFlight());
    m_actions->repeats->setEnabled(own);
    m_actions->warmups->setEnabled(own);
    m_actions->measureMachine->setEnabled(m_runs.services().measureMachine &&
                                          !running); // they would disturb each other
    m_tools->setPlanEnabled(own && !running);
    if (m_lab)
        m_lab->setRunning(running || recording);
    m_prompt->setEditable(own);
    // A recording is looked at: what starts runs is away, and comes back with the search.
    m_tools->setVisible(own && !m_actions->fullScreen->isChecked());
    m_replayBar->setVisible(recording && !m_picture);
    m_lanes->setEditable(own);

    if (recording) {
        const Recording* opened = m_runs.recording();
        m_replayBar->setTitle(
            QFileInfo(m_runs.recordingPath()).completeBaseName(),
            QString::fromStdString(opened->header.note.empty() ? opened->header.startedUtc : opened->header.note));
        RaceSettings asked = m_runs.race();
        if (!opened->runs.empty()) {
            const RunSpec& spec = opened->runs.front()->asked.spec;
            asked.prompt = questionOf(*opened, *opened->runs.front());
            asked.system = spec.system;
            asked.sampling = spec.sampling;
            asked.uniquePrefix = spec.uniquePrefix;
        }
        m_prompt->show(asked);
    } else {
        m_prompt->show(m_runs.race());
    }
    refreshTrouble();
    if (race)
        m_status->advance(m_runs, m_ticker.droppedFrames());
}

void MainWindow::remember() {
    m_settings.race = m_runs.race();
    m_settings.theme = Look::instance().choice();
    m_settings.lanes = m_runs.lanes().lanes();
    m_settings.geometry = saveGeometry();
    m_settings.layout = m_docks->layoutState();
    if (m_runs.recordingsFolder() != m_runs.services().recordingsFolder)
        m_settings.recordingsFolder = m_runs.recordingsFolder();
    if (m_runs.services().settingsFile.isEmpty())
        return; // a window that only draws a picture remembers nothing
    if (const auto saved = saveSettings(m_settings, m_runs.services().settingsFile); !saved && !m_closing)
        say(QString::fromStdString(saved.error().message));
}

void MainWindow::closeEvent(QCloseEvent* event) {
    m_closing = true;
    m_runs.finish();
    remember();
    event->accept();
}

} // namespace decodescope
