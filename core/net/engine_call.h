#pragma once

#include "core/base/error.h"
#include "core/net/engine_program.h"

#include <QByteArray>
#include <QObject>
#include <QProcess>
#include <QStringList>
#include <QTimer>

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace decodescope {

/// One short call of the engine's program: its output once it ended. Lives on a thread with an event loop; destroying
/// it ends the child and calls nobody back.
class EngineCall final : public QObject {
public:
    struct Ended {
        int exitCode = 0;
        QByteArray output;
        std::string lastWord; ///< the last line on stderr, without the program's name before it
    };
    /// Or a sentence: the program is missing, crashed, said too much, took too long, was stopped.
    using Answer = std::function<void(Result<Ended>)>;
    using ErrorLine = std::function<void(const QByteArray& line)>;

    EngineCall(QStringList arguments, EngineTask task, QObject* parent);
    ~EngineCall() override;

    /// Told of every line on stderr.
    ErrorLine onErrorLine;
    /// Without a limit it may take as long as it likes.
    std::optional<std::chrono::milliseconds> limit;

    /// Calls `answer` exactly once, later, from the event loop.
    void start(Answer answer);
    /// Ends the child; the answer says `why`.
    void stop(std::string why);

private:
    void readOutput();
    void readErrors();
    void end(Result<Ended> result);

    QStringList m_arguments;
    EngineTask m_task;
    Answer m_answer;
    QProcess m_process;
    QTimer m_limit, m_kill;
    QByteArray m_output, m_errors; // m_errors: a line that is not whole yet
    LastLines m_lastLines;
    std::optional<Error> m_stopped;
};

} // namespace decodescope
