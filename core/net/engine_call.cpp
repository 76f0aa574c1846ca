#include "core/net/engine_call.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace decodescope {

namespace {

constexpr qsizetype kMostOutput = 4 << 20;
constexpr qsizetype kLongestLine = 64 << 10;
constexpr std::chrono::seconds kUntilKill{2};

/// Who says it is no part of the sentence.
std::string withoutSpeaker(std::string word) {
    constexpr std::string_view kSpeaker = "decodescope-engine: ";
    if (word.starts_with(kSpeaker))
        word.erase(0, kSpeaker.size());
    return word;
}

} // namespace

EngineCall::EngineCall(QStringList arguments, EngineTask task, QObject* parent)
    : QObject(parent)
    , m_arguments(std::move(arguments))
    , m_task(task) {
    m_limit.setSingleShot(true);
    m_limit.callOnTimeout(this, [this] { stop("The engine did not answer in time."); });
    m_kill.setSingleShot(true);
    m_kill.callOnTimeout(this, [this] { m_process.kill(); });
    connect(&m_process, &QProcess::readyReadStandardOutput, this, [this] { readOutput(); });
    connect(&m_process, &QProcess::readyReadStandardError, this, [this] { readErrors(); });
    connect(&m_process, &QProcess::finished, this, [this](int exitCode, QProcess::ExitStatus how) {
        readOutput();
        readErrors();
        if (m_stopped)
            end(tl::unexpected(*m_stopped));
        else if (how == QProcess::CrashExit)
            end(fail(ErrorCode::internal, "The engine crashed.", m_lastLines.text()));
        else
            end(Ended{exitCode, m_output, withoutSpeaker(m_lastLines.latest())});
    });
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            end(fail(ErrorCode::unsupported,
                     fmt::format("The engine {} could not be started: {}.", m_process.program().toStdString(),
                                 m_process.errorString().toStdString())));
    });
}

EngineCall::~EngineCall() {
    m_process.disconnect(this);
    if (m_process.state() == QProcess::NotRunning)
        return;
    m_process.kill(); // nothing that it holds is lost: what it fetches it puts into place whole
    m_process.waitForFinished();
}

void EngineCall::start(Answer answer) {
    m_answer = std::move(answer);
    const auto program = findEngineProgram();
    if (!program) {
        end(tl::unexpected(program.error()));
        return;
    }
    prepareEngineProcess(m_process, *program, m_arguments, m_task);
    if (limit)
        m_limit.start(*limit);
    m_process.start(QIODevice::ReadOnly);
}

void EngineCall::stop(std::string why) {
    if (m_stopped || m_process.state() == QProcess::NotRunning)
        return;
    m_stopped = Error{ErrorCode::unsupported, std::move(why), {}};
    m_process.terminate();
    m_kill.start(kUntilKill);
}

void EngineCall::readOutput() {
    m_output += m_process.readAllStandardOutput();
    if (m_output.size() > kMostOutput) {
        m_output.truncate(kMostOutput);
        stop("The engine said far more than it was asked for.");
    }
}

void EngineCall::readErrors() {
    const QByteArray bytes = m_process.readAllStandardError();
    m_lastLines.feed(bytes);
    if (!onErrorLine)
        return;
    m_errors += bytes;
    for (qsizetype end = m_errors.indexOf('\n'); end >= 0; end = m_errors.indexOf('\n')) {
        onErrorLine(m_errors.left(end));
        m_errors.remove(0, end + 1);
    }
    if (m_errors.size() > kLongestLine)
        m_errors.clear();
}

void EngineCall::end(Result<Ended> result) {
    m_limit.stop();
    m_kill.stop();
    // From the event loop in every case, so that nobody hears back inside start().
    QTimer::singleShot(0, this, [answer = std::exchange(m_answer, nullptr), result = std::move(result)] {
        if (answer)
            answer(result);
    });
}

} // namespace decodescope
