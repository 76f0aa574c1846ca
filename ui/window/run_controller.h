#pragma once

#include "ui/window/lane_list.h"
#include "ui/window/race_settings.h"
#include "ui/window/replay_controller.h"
#include "ui/window/window_services.h"

#include <QObject>

#include <functional>
#include <map>
#include <memory>
#include <optional>

namespace decodescope {

/// Owns the session, its journal and the plan: what the window's buttons do. Knows no widget.
class RunController : public QObject {
    Q_OBJECT

public:
    /// Whose lanes the session holds.
    enum class Shown {
        own,      ///< the user's lanes: they can be edited and run
        recording ///< an opened recording: it can be looked at and replayed
    };

    explicit RunController(WindowServices services, QObject* parent = nullptr);
    ~RunController() override;

    [[nodiscard]] const Session& session() const { return m_session; }
    [[nodiscard]] const WindowServices& services() const { return m_services; }
    [[nodiscard]] LaneList& lanes() { return m_lanes; }
    [[nodiscard]] ReplayController& replay() { return m_replay; }
    [[nodiscard]] const RaceSettings& race() const { return m_race; }
    void setRace(const RaceSettings& race) { m_race = race; }
    [[nodiscard]] Shown shown() const { return m_shown; }
    [[nodiscard]] const Recording* recording() const { return m_recording.get(); }
    /// The same for a recording that was read already; nothing must be running.
    void showRecording(Recording opened, const QString& path);
    [[nodiscard]] QString recordingPath() const { return m_recordingPath; }

    /// A run of the user's own lanes is in progress.
    [[nodiscard]] bool running() const { return m_shown == Shown::own && m_session.active(); }
    [[nodiscard]] bool canRun() const { return m_shown == Shown::own && !m_lanes.lanes().empty() && !running(); }
    /// There are finished runs to save.
    [[nodiscard]] bool canSave() const;

    /// Before the window closes: stops what runs, and waits until its recording is complete on the disk and told.
    void finish();

    /// Drains and moves on; called by the frame ticker. Returns whether anything changed.
    bool pump();

    /// Where the present or last run is recorded; nullopt before the first run and for opened recordings.
    [[nodiscard]] std::optional<JournalState> journalState() const;
    /// Why nothing is being recorded, or what is short; empty: all is well.
    [[nodiscard]] QString recordingTrouble() const;

    void setRecordingsFolder(const QString& folder) { m_folder = folder; }
    [[nodiscard]] QString recordingsFolder() const { return m_folder; }

public slots:
    void run();
    void stop();
    void runLane(LaneId lane);
    void stopLane(LaneId lane);
    /// Shows all runs of a recording at once, with a replay at hand. False, and failed(), when it cannot be read.
    bool openRecording(const QString& path);
    /// Back to the user's own lanes.
    void closeRecording();
    /// Takes the opened recording's lanes over as the user's own, without their keys.
    void adoptLanes();
    /// Writes the finished runs to a new file at `path`.
    void saveRecording(const QString& path);
    /// Further runs are recorded in this folder; what is in memory is written there at once.
    void recordElsewhere(const QString& folder);

signals:
    /// The session's lanes are others now.
    void lanesChanged();
    /// Running or not, opened or not, recorded or not.
    void stateChanged();
    void failed(const QString& sentence);
    void recordingOpened(const QString& path);
    /// Written by the user's wish, or by itself at the end of a run.
    void recordingSaved(const QString& path);

private:
    void syncLanes();
    /// Asks the keychain for the keys that these lanes want and that are not known yet; `again` follows when they are
    /// here. False when there is nothing to wait for.
    bool awaitKeys(const std::vector<LaneId>& only, std::function<void()> again);
    [[nodiscard]] bool prepareStart(const std::vector<LaneId>& only);
    void beginRecording();
    void endRecording();
    /// Waits until the recording of a run that is over is complete on the disk.
    void completeRecording();
    void showAllRuns();

    WindowServices m_services;
    RaceSettings m_race;
    LaneList m_lanes;
    Session m_session;
    ReplayController m_replay;
    Shown m_shown = Shown::own;
    std::shared_ptr<const Recording> m_recording;
    std::vector<std::vector<std::shared_ptr<LaneRun>>> m_shownRuns; ///< of the opened recording, by lane
    QString m_recordingPath;
    std::shared_ptr<Journal> m_journal;
    bool m_finishing = false; ///< the journal's thread writes the last of a run that is over
    QString m_folder;
    std::map<std::string, std::shared_ptr<const Secret>>
        m_kept; ///< keys from the keychain for the start that awaits them, by origin
    bool m_awaitingKey = false;
    QString m_trouble;
    bool m_wasActive = false;
};

} // namespace decodescope
