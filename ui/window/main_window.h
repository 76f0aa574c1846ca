#pragma once

#include "ui/panels/lab_plan.h"
#include "ui/view_state.h"
#include "ui/window/frame_ticker.h"
#include "ui/window/run_controller.h"
#include "ui/window/settings.h"

#include <QMainWindow>
#include <QTimer>

class QStackedWidget;

namespace decodescope {

class Banner;
class BytesPane;
class DockArea;
class LabPanel;
class LaneEditor;
class LanesRow;
class PromptStrip;
class ReplayBar;
class StartPage;
class StatusLine;
class ToolStrip;
class WindowActions;

/// The window: lays out the panels, hands commands to the run controller and frames to the views. Holds no logic of
/// its own beyond who is told what.
class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    explicit MainWindow(WindowServices services);
    ~MainWindow() override;

    /// Opens what was given on the command line or dropped: the first recording that can be read, or a model file.
    void openFiles(const QStringList& paths);
    /// Shows a recording that was read already.
    void showRecording(const Recording& recording);
    [[nodiscard]] RunController& runs() { return m_runs; }
    [[nodiscard]] ViewState& view() { return m_view; }
    [[nodiscard]] FrameTicker& ticker() { return m_ticker; }
    [[nodiscard]] WindowActions& actions() { return *m_actions; }
    [[nodiscard]] LanesRow& lanesRow() { return *m_lanes; }
    [[nodiscard]] DockArea& docks() { return *m_docks; }
    [[nodiscard]] QString bannerText() const;
    [[nodiscard]] bool onStartPage() const;
    /// Without menus and buttons, for a picture that nobody can press.
    void showAsPicture();
    /// The window as a picture, in device pixels.
    [[nodiscard]] QPixmap picture();

public slots:
    void showStartPage();
    void showRace();
    void addLane();
    void editLane(LaneId lane);
    void editKey(LaneId lane);

protected:
    void closeEvent(QCloseEvent* event) override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void buildPanels();
    void connectCommands();
    void connectLaneCommands();
    void connectViewCommands();
    void connectRuns();
    void connectLocal();
    void fillRecent();
    void fillPlanMenus();
    void refreshActions();
    void refreshTrouble();
    void tellLanes();
    void readRace();
    void runLab(Lever lever, const std::vector<RunSpec>& lanes);
    /// The local model and, beside it, the lanes of the shipped race; starts at once.
    void raceLocally(const RunSpec& local);
    LaneEditor* editSpec(const RunSpec& spec, LaneId lane);
    bool openRecording(const QString& path);
    void watch(const QString& path);
    void askOpen();
    void askSave();
    void askFolder();
    void exportPicture();
    void stepToken(int by);
    void setFullScreen(bool on);
    void showShortcuts();
    void remember();
    void say(const QString& sentence);

    WindowSettings m_settings;
    RunController m_runs;
    ViewState m_view;
    FrameTicker m_ticker;
    WindowActions* m_actions;
    ToolStrip* m_tools = nullptr;
    PromptStrip* m_prompt = nullptr;
    ReplayBar* m_replayBar = nullptr;
    Banner* m_banner = nullptr;
    Banner* m_trouble = nullptr;
    QStackedWidget* m_pages = nullptr;
    QWidget* m_race = nullptr;
    StartPage* m_start = nullptr;
    LanesRow* m_lanes = nullptr;
    DockArea* m_docks = nullptr;
    BytesPane* m_bytes = nullptr;
    LabPanel* m_lab = nullptr; ///< null: nothing local is offered
    StatusLine* m_status = nullptr;
    QTimer m_saveSoon;
    bool m_closing = false;
    bool m_picture = false; ///< shown as a picture alone
};

} // namespace decodescope
