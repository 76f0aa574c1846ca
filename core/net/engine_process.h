#pragma once

#include "core/base/secret.h"
#include "core/net/engine_program.h"
#include "core/source/local_model.h"

#include <QObject>
#include <QProcess>
#include <QTimer>

#include <chrono>
#include <memory>
#include <string>

namespace decodescope {

/// How long an engine may take.
struct EnginePatience {
    std::chrono::milliseconds silence = std::chrono::minutes(3); ///< while starting, since it last said anything
    std::chrono::milliseconds stop = std::chrono::seconds(2);    ///< from SIGTERM to SIGKILL
};

/// One decodescope-engine and the model it serves. Lives on a thread with an event loop. Started once; a dead one is
/// replaced, not revived. Destroying it stops the process, waiting for it for as long as `EnginePatience::stop`.
class EngineProcess final : public QObject {
    Q_OBJECT

public:
    explicit EngineProcess(LocalModelSpec spec, EnginePatience patience = {}, QObject* parent = nullptr);
    ~EngineProcess() override;

    /// Fails at once, with the state saying why, when the program cannot be found.
    void start();
    /// SIGTERM, and SIGKILL to one that does not hear it. Returns at once.
    void stop();

    [[nodiscard]] const LocalModelSpec& spec() const { return m_spec; }
    [[nodiscard]] const EngineStatus& status() const { return m_status; }
    [[nodiscard]] bool usable() const {
        return m_status.state == EngineState::starting || m_status.state == EngineState::ready;
    }
    /// Once ready: where it listens, and the token that every request must carry.
    [[nodiscard]] const std::string& url() const { return m_url; }
    [[nodiscard]] const std::shared_ptr<const Secret>& token() const { return m_token; }
    /// What it said last on stderr, for a report.
    [[nodiscard]] std::string lastLines() const { return m_stderr.text(); }

signals:
    /// The status is another than before.
    void changed();
    /// The process has ended, for whatever reason.
    void gone();

private:
    void readOutput();
    void readErrors();
    void takeAddress(const QByteArray& line);
    void finished(int exitCode, QProcess::ExitStatus how);
    [[nodiscard]] std::string whyEnded(int exitCode, QProcess::ExitStatus how) const;
    void failWith(std::string message);

    LocalModelSpec m_spec;
    EnginePatience m_patience;
    EngineStatus m_status;
    std::string m_url;
    std::shared_ptr<const Secret> m_token;
    QProcess m_process;
    QTimer m_silence, m_kill;
    QByteArray m_output; // of the address line, until it is whole
    LastLines m_stderr;
};

} // namespace decodescope
