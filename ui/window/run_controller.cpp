#include "ui/window/run_controller.h"

#include "ui/window/key_binding.h"
#include "ui/window/recordings_folder.h"

#include <QDateTime>
#include <QFileInfo>
#include <QLocale>

#include <algorithm>

namespace decodescope {

RunController::RunController(WindowServices services, QObject* parent)
    : QObject(parent), m_services(std::move(services)),
      m_session(
          [this](const RunSpec& spec, SourceOutput output) -> std::unique_ptr<TokenSource> {
              if (m_shown == Shown::recording)
                  return m_replay.makeSource(spec, std::move(output));
              return m_services.sources(spec, std::move(output));
          },
          *m_services.clock),
      m_replay(m_session, *m_services.clock), m_folder(m_services.recordingsFolder) {
    connect(&m_lanes, &LaneList::changed, this, &RunController::syncLanes);
}

RunController::~RunController() {
    m_session.stop();
    m_session.pump();
    endRecording();
}

bool RunController::canSave() const {
    return std::ranges::any_of(m_session.lanes(), [](const auto& lane) {
        return std::ranges::any_of(lane->runs(),
                                   [](const auto& run) { return run->record->outcome != Outcome::running; });
    });
}

void RunController::syncLanes() {
    if (m_shown == Shown::own && m_session.active()) {
        m_lanesStale = true; // a run keeps its own copy of everything (edits wait)
        return;
    }
    if (m_shown == Shown::own) {
        m_lanesStale = false;
        m_session.setLanes(m_lanes.lanes());
        emit lanesChanged();
    }
    emit stateChanged();
}

bool RunController::pump() {
    const bool changed = m_session.pump();
    const bool active = m_session.active();
    if (m_wasActive && !active) {
        m_wasActive = false;
        if (m_shown == Shown::own)
            endRecording();
        if (m_lanesStale)
            syncLanes();
        emit stateChanged();
    }
    m_wasActive = active;
    return changed;
}

bool RunController::prepareStart(const std::vector<LaneId>& only) {
    std::vector<LaneConfig> lanes = m_lanes.lanes();
    for (LaneConfig& lane : lanes) {
        lane.spec = withRace(std::move(lane.spec), m_race);
        if (!only.empty() && std::ranges::find(only, lane.id) == only.end())
            continue;
        const QString name = QString::fromStdString(lane.spec.laneName);
        const KeyReference& reference = lane.spec.endpoint.key;
        if (reference.kind != KeyReference::Kind::none && reference.kind != KeyReference::Kind::session) {
            auto key = m_services.resolveKey(reference);
            if (!key) {
                emit failed(tr("Lane %1 was not started: %2").arg(name, QString::fromStdString(key.error().message)));
                return false;
            }
            lane.spec.key = *key;
        }
        if (lane.spec.key && !lane.spec.endpoint.allowPlainHttpWithKey && plainHttpAbroad(lane.spec.endpoint.url)) {
            emit failed(tr("Lane %1 was not started: its key would cross the network unencrypted to %2. Use https, or "
                           "allow it in the lane's settings.")
                            .arg(name, originOf(lane.spec.endpoint.url)));
            return false;
        }
    }
    m_session.setLanes(std::move(lanes));
    return true;
}

void RunController::run() {
    if (!canRun() || !prepareStart({}))
        return;
    beginRecording();
    if (const auto started = m_session.start(m_race.plan); !started)
        emit failed(QString::fromStdString(started.error().message));
    m_wasActive = m_session.active();
    if (!m_wasActive)
        endRecording();
    emit lanesChanged();
    emit stateChanged();
}

void RunController::runLane(LaneId lane) {
    if (!canRun() || !prepareStart({lane}))
        return;
    beginRecording();
    if (const auto started = m_session.startLane(lane); !started)
        emit failed(QString::fromStdString(started.error().message));
    m_wasActive = m_session.active();
    if (!m_wasActive)
        endRecording();
    emit stateChanged();
}

void RunController::stop() {
    if (m_shown == Shown::recording)
        m_replay.leave();
    else
        m_session.stop();
    emit stateChanged();
}

void RunController::stopLane(LaneId lane) {
    m_session.stopLane(lane);
    emit stateChanged();
}

void RunController::beginRecording() {
    m_trouble.clear();
    m_journal.reset();
    const QString stamp = QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss"));
    const auto path = newRecordingPath(m_folder, recordingName(m_race.prompt, stamp));
    const qint64 space = freeBytes(m_folder);
    if (!path) {
        m_trouble = QString::fromStdString(path.error().message);
    } else if (auto journal = Journal::create(path->toStdString(), m_services.recordingHeader()); !journal) {
        m_trouble = QString::fromStdString(journal.error().message);
    } else {
        m_journal = *journal;
        if (space >= 0 && space < kLowSpaceBytes) {
            m_trouble = tr("Only %1 are free for recordings in %2.")
                            .arg(QLocale::c().formattedDataSize(space, 0, QLocale::DataSizeTraditionalFormat), m_folder);
        }
    }
    m_session.setJournal(m_journal);
}

void RunController::endRecording() {
    if (m_journal)
        m_journal->close();
    m_session.setJournal(nullptr);
}

std::optional<JournalState> RunController::journalState() const {
    if (m_shown == Shown::recording || !m_journal)
        return std::nullopt;
    return m_journal->state();
}

QString RunController::recordingTrouble() const {
    if (m_shown == Shown::recording)
        return {};
    if (m_journal) {
        const JournalState state = m_journal->state();
        if (!state.failure.empty())
            return QString::fromStdString(state.failure);
    }
    return m_trouble;
}

bool RunController::openRecording(const QString& path) {
    if (running()) {
        emit failed(tr("A run is in progress. Stop it before opening a recording."));
        return false;
    }
    auto read = openRecordingFile(path);
    if (!read) {
        emit failed(QString::fromStdString(read.error().message));
        return false;
    }
    m_replay.leave();
    auto recording = std::make_shared<const Recording>(std::move(*read));
    std::vector<LaneConfig> lanes;
    for (const RecordedLane& lane : recording->lanes) {
        LaneConfig config{.id = m_lanes.newId(), .look = static_cast<int>(lanes.size()), .spec = lane.spec};
        config.spec.laneName = lane.name;
        lanes.push_back(std::move(config));
    }
    m_shown = Shown::recording;
    m_recording = recording;
    m_recordingPath = path;
    m_session.setJournal(nullptr);
    m_session.setLanes(lanes);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        std::vector<std::shared_ptr<LaneRun>> runs;
        for (const auto& run : recording->runs) {
            if (run->asked.lane == recording->lanes[i].lane)
                runs.push_back(showableRun(*run));
        }
        m_session.showRuns(lanes[i].id, std::move(runs));
    }
    m_replay.setRecording(recording);
    emit recordingOpened(path);
    emit lanesChanged();
    emit stateChanged();
    return true;
}

void RunController::closeRecording() {
    if (m_shown != Shown::recording)
        return;
    m_replay.leave();
    m_replay.setRecording(nullptr);
    m_shown = Shown::own;
    m_recording.reset();
    m_recordingPath.clear();
    syncLanes();
}

void RunController::adoptLanes() {
    if (!m_recording)
        return;
    std::vector<RunSpec> specs;
    for (const RecordedLane& lane : m_recording->lanes) {
        RunSpec spec = lane.spec;
        spec.laneName = lane.name;
        spec.key.reset();
        spec.endpoint.key = {}; // a foreign recording may not choose where the user's keys go
        spec.endpoint.allowInvalidTls = false;
        spec.endpoint.allowPlainHttpWithKey = false;
        specs.push_back(std::move(spec));
    }
    closeRecording();
    m_lanes.replaceAll(specs, tr("Use the recording's lanes"));
}

void RunController::saveRecording(const QString& path) {
    const auto written = writeRuns(m_session, m_services.recordingHeader(), path);
    if (!written)
        emit failed(QString::fromStdString(written.error().message));
    else
        emit recordingOpened(path);
}

void RunController::recordElsewhere(const QString& folder) {
    m_folder = folder;
    m_trouble.clear();
    const QString stamp = QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss"));
    const auto path = newRecordingPath(folder, recordingName(m_race.prompt, stamp));
    if (!path) {
        m_trouble = QString::fromStdString(path.error().message);
    } else if (canSave()) {
        if (const auto written = writeRuns(m_session, m_services.recordingHeader(), *path); !written)
            m_trouble = QString::fromStdString(written.error().message);
        else if (!running())
            m_journal.reset();
    }
    emit stateChanged();
}

} // namespace decodescope
