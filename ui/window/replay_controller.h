#pragma once

#include "core/record/recording.h"
#include "core/record/replay_source.h"
#include "core/session/session.h"

#include <QObject>

#include <memory>
#include <vector>

namespace decodescope {

/// Plays an opened recording in the window's session: the hand of the clock, speed, pause, step and seek. The
/// lanes' sources come from `factory()`.
class ReplayController : public QObject {
    Q_OBJECT

public:
    /// `clock` and `session` outlive the controller.
    ReplayController(Session& session, const Clock& clock, QObject* parent = nullptr);

    /// Takes the recording whose lanes the session shows; null: none.
    void setRecording(std::shared_ptr<const Recording> recording);
    [[nodiscard]] bool available() const { return m_recording != nullptr && !m_stamps.empty(); }
    [[nodiscard]] bool playing() const { return m_clock && !m_clock->paused() && !atEnd(); }
    /// A replay was begun (and maybe paused); otherwise all runs are shown at once.
    [[nodiscard]] bool begun() const { return m_clock != nullptr; }
    [[nodiscard]] bool atEnd() const;
    [[nodiscard]] double positionS() const;
    [[nodiscard]] double durationS() const;
    [[nodiscard]] double speed() const { return m_speed; }

    /// Source of the next run of the lane with this name, as recorded. For the session's factory.
    [[nodiscard]] std::unique_ptr<TokenSource> makeSource(const RunSpec& spec, SourceOutput output);

public slots:
    /// From the beginning.
    void restart();
    void togglePause();
    void setSpeed(double factor);
    /// To the next recorded read of any lane, and stays there.
    void step();
    /// Jumps; backwards means playing again up to there.
    void seek(double seconds);
    /// Ends the replay: the clock goes, nothing is shown of what was to come.
    void leave();

signals:
    void changed();

private:
    void begin();

    Session& m_session;
    const Clock& m_real;
    std::shared_ptr<const Recording> m_recording;
    std::vector<std::vector<std::shared_ptr<const RecordedRun>>> m_perLane; ///< by position of the lane
    std::vector<std::size_t> m_next;                                        ///< runs handed out, by lane
    std::vector<Instant> m_stamps;                                          ///< of all reads, in order
    Instant m_first{}, m_last{};
    std::shared_ptr<ReplayClock> m_clock;
    double m_speed = 1.0;
};

} // namespace decodescope
