#include "ui/window/run_controller.h"

#include "ui/window/key_binding.h"
#include "ui/window/recordings_folder.h"

#include <QDateTime>
#include <QFileInfo>
#include <QLocale>
#include <QPointer>

#include <algorithm>
#include <utility>

namespace decodescope {

RunController::RunController(WindowServices services, QObject* parent)
    : QObject(parent)
    , m_services(std::move(services))
    , m_session(
          [this](const RunSpec& spec, SourceOutput output) -> std::unique_ptr<TokenSource> {
              if (m_shown == Shown::recording)
                  return m_replay.makeSource(spec, std::move(output));
              return m_services.sources(spec, std::move(output));
          },
          *m_services.clock)
    , m_replay(m_session, *m_services.clock)
    , m_folder(m_services.recordingsFolder) {
    m_session.setHiccups(m_services.hiccups);
    connect(&m_lanes, &LaneList::changed, this, &RunController::syncLanes);
}

RunController::~RunController() {
    finish();
}

void RunController::finish() {
    m_session.stop();
    m_session.pump();
    if (std::exchange(m_wasActive, false) && m_shown == Shown::own)
        endRecording();
    completeRecording();
}

bool RunController::canSave() const {
    return std::ranges::any_of(m_session.lanes(), [](const auto& lane) {
        return std::ranges::any_of(lane->runs(),
                                   [](const auto& run) { return run->record->outcome != Outcome::running; });
    });
}

void RunController::syncLanes() {
    if (m_shown == Shown::own) {
        m_session.setLanes(m_lanes.lanes()); // a run in flight keeps its own copy of what it asked
        if (m_services.lanesChanged)
            m_services.lanesChanged(m_lanes.lanes());
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
        emit stateChanged();
    }
    m_wasActive = active;
    if (m_finishing && m_journal->state().closed)
        completeRecording();
    return changed;
}

bool RunController::awaitKeys(const std::vector<LaneId>& only, std::function<void()> again) {
    if (m_awaitingKey)
        return true;
    for (const LaneConfig& lane : m_lanes.lanes()) {
        const KeyReference& reference = lane.spec.endpoint.key;
        const bool wanted = only.empty() || std::ranges::find(only, lane.id) != only.end();
        if (!wanted || reference.kind != KeyReference::Kind::keychain || lane.spec.key ||
            m_kept.contains(reference.name))
            continue;
        if (reference.name != originOf(lane.spec.endpoint.url).toStdString() || !m_services.keychainFetch)
            continue; // prepareStart() says what is wrong
        m_awaitingKey = true;
        const QPointer<RunController> self(this);
        const QString name = QString::fromStdString(lane.spec.laneName);
        m_services.keychainFetch(
            reference.name, [self, name, origin = reference.name, again = std::move(again)](auto key) {
                if (!self)
                    return;
                self->m_awaitingKey = false;
                if (!key) {
                    emit self->failed(
                        tr("Lane %1 was not started: %2").arg(name, QString::fromStdString(key.error().message)));
                    return;
                }
                self->m_kept[origin] = *key;
                again();
            });
        return true;
    }
    return false;
}

bool RunController::prepareStart(const std::vector<LaneId>& only) {
    std::vector<LaneConfig> lanes = m_lanes.lanes();
    const auto fetched = std::exchange(m_kept, {}); // asked for anew next time: a key may change
    for (LaneConfig& lane : lanes) {
        lane.spec = withRace(std::move(lane.spec), m_race);
        if (!only.empty() && std::ranges::find(only, lane.id) == only.end())
            continue;
        const QString name = QString::fromStdString(lane.spec.laneName);
        const KeyReference& reference = lane.spec.endpoint.key;
        if (reference.kind == KeyReference::Kind::keychain) {
            if (reference.name != originOf(lane.spec.endpoint.url).toStdString()) {
                emit failed(
                    tr("Lane %1 was not started: its key in the keychain is for %2. Type the key for this address.")
                        .arg(name, QString::fromStdString(reference.name)));
                return false;
            }
            // One typed since counts before what was kept; it goes into the keychain as well.
            if (const auto known = fetched.find(reference.name); !lane.spec.key && known != fetched.end())
                lane.spec.key = known->second;
        } else if (reference.kind != KeyReference::Kind::none && reference.kind != KeyReference::Kind::session) {
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
    if (!canRun() || awaitKeys({}, [this] { run(); }) || !prepareStart({}))
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
    if (m_shown != Shown::own || awaitKeys({lane}, [this, lane] { runLane(lane); }) || !prepareStart({lane}))
        return;
    if (!running())
        beginRecording(); // beside lanes that still run, it goes into their recording
    if (const auto started = m_session.startLane(lane); !started)
        emit failed(QString::fromStdString(started.error().message));
    m_wasActive = m_session.active();
    if (!m_wasActive)
        endRecording();
    emit stateChanged();
}

void RunController::stop() {
    if (m_shown == Shown::recording) {
        m_replay.leave();
        showAllRuns();
    } else {
        m_session.stop();
    }
    emit stateChanged();
}

void RunController::stopLane(LaneId lane) {
    m_session.stopLane(lane);
    emit stateChanged();
}

void RunController::beginRecording() {
    m_trouble.clear();
    completeRecording();
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
            m_trouble =
                tr("Only %1 are free for recordings in %2.")
                    .arg(QLocale::c().formattedDataSize(space, 0, QLocale::DataSizeTraditionalFormat), m_folder);
        }
    }
    m_session.setJournal(m_journal);
}

void RunController::endRecording() {
    m_session.setJournal(nullptr);
    if (!m_journal)
        return;
    m_journal->finish(); // a slow disk must not hold up the frames
    m_finishing = true;
}

void RunController::completeRecording() {
    if (!std::exchange(m_finishing, false))
        return;
    m_journal->close();
    if (const JournalState state = m_journal->state(); state.failure.empty())
        emit recordingSaved(QString::fromStdString(state.path));
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
    const std::string note = newerVersionNote(*read);
    showRecording(std::move(*read), path);
    emit recordingOpened(path);
    if (!note.empty())
        emit failed(QString::fromStdString(note));
    return true;
}

void RunController::showRecording(Recording opened, const QString& path) {
    m_replay.leave();
    auto recording = std::make_shared<const Recording>(std::move(opened));
    std::vector<LaneConfig> lanes;
    const std::vector<int> looks = looksOf(*recording);
    for (const RecordedLane& lane : recording->lanes) {
        LaneConfig config{.id = m_lanes.newId(), .look = looks[lanes.size()], .spec = lane.spec};
        config.spec.laneName = lane.name;
        lanes.push_back(std::move(config));
    }
    m_shown = Shown::recording;
    m_recording = recording;
    m_recordingPath = path;
    m_session.setJournal(nullptr);
    m_session.setLanes(lanes);
    m_shownRuns.clear();
    const std::vector<std::shared_ptr<LaneRun>> all = showableRuns(*recording);
    for (const RecordedLane& lane : recording->lanes) {
        std::vector<std::shared_ptr<LaneRun>> runs;
        std::ranges::copy_if(all, std::back_inserter(runs),
                             [&](const auto& run) { return run->record->lane == lane.lane; });
        m_shownRuns.push_back(std::move(runs));
    }
    showAllRuns();
    m_replay.setRecording(recording);
    emit lanesChanged();
    emit stateChanged();
}

void RunController::showAllRuns() {
    const auto& lanes = m_session.lanes();
    for (std::size_t i = 0; i < lanes.size() && i < m_shownRuns.size(); ++i)
        m_session.showRuns(lanes[i]->config().id, m_shownRuns[i]);
}

void RunController::closeRecording() {
    if (m_shown != Shown::recording)
        return;
    m_replay.leave();
    m_replay.setRecording(nullptr);
    m_shown = Shown::own;
    m_recording.reset();
    m_shownRuns.clear();
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
    completeRecording();
    // The file that exists already is the truth; only what was never recorded is written from memory.
    QString kept = m_shown == Shown::recording ? m_recordingPath : QString();
    if (const auto journal = journalState(); journal && journal->failure.empty())
        kept = QString::fromStdString(journal->path);
    const auto saved = kept.isEmpty() ? writeRuns(m_session, m_services.recordingHeader(), path) : copyTo(kept, path);
    if (!saved)
        emit failed(QString::fromStdString(saved.error().message));
    else
        emit recordingSaved(path);
}

void RunController::recordElsewhere(const QString& folder) {
    completeRecording();
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
