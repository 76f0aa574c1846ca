#include "core/net/engine_process.h"

#include "core/net/told_json.h"
#include "core/source/request.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <cstring>
#include <utility>

namespace decodescope {

namespace {

using nlohmann::json;

constexpr qsizetype kLongestAddress = 64 << 10;
/// Exit statuses of the engine that have a meaning of their own.
constexpr int kModelRefused = 5;
constexpr int kOutOfMemory = 9;

QStringList argumentsFor(const LocalModelSpec& spec) {
    QStringList arguments{
        QStringLiteral("serve"), QString::fromStdString(spec.path),   QStringLiteral("--port"),
        QStringLiteral("0"),     QStringLiteral("--device"),          QString::fromStdString(spec.device),
        QStringLiteral("--kv"),  QString::fromStdString(spec.kvType), QStringLiteral("--die-with-parent")};
    const auto add = [&](const char* flag, int value) {
        if (value > 0)
            arguments << QLatin1String(flag) << QString::number(value);
    };
    add("--threads", spec.threads);
    add("--ctx", spec.contextLength);
    add("--parallel", spec.parallel);
    arguments << QStringLiteral("--speculative")
              << (spec.speculative ? QStringLiteral("lookup") : QStringLiteral("off"));
    return arguments;
}

/// 0 where there is no such number, or one that cannot be meant.
int numberIn(const json& object, const char* name) {
    constexpr std::uint64_t kMost = 1 << 30;
    const std::uint64_t value = countIn(object, name).value_or(0);
    return value < kMost ? static_cast<int>(value) : 0;
}

/// Whether the engine may be asked there: http to this machine, and nothing else.
bool ours(const std::string& url) {
    const auto parsed = parseUrl(url);
    return parsed && !parsed->tls() && parsed->loopback();
}

} // namespace

EngineProcess::EngineProcess(LocalModelSpec spec, EnginePatience patience, QObject* parent)
    : QObject(parent)
    , m_spec(std::move(spec))
    , m_patience(patience) {
    m_silence.setSingleShot(true);
    m_kill.setSingleShot(true);
    m_silence.callOnTimeout(this, [this] {
        failWith(
            fmt::format("The engine was not ready within {:.0f} s of its last word. Is the model too large for this "
                        "machine's memory or disk?",
                        std::chrono::duration<double>(m_patience.silence).count()));
    });
    m_kill.callOnTimeout(this, [this] { m_process.kill(); });
    connect(&m_process, &QProcess::readyReadStandardOutput, this, [this] { readOutput(); });
    connect(&m_process, &QProcess::readyReadStandardError, this, [this] { readErrors(); });
    connect(&m_process, &QProcess::finished, this,
            [this](int exitCode, QProcess::ExitStatus how) { finished(exitCode, how); });
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            failWith(fmt::format("The engine {} could not be started: {}.", m_process.program().toStdString(),
                                 m_process.errorString().toStdString()));
    });
}

EngineProcess::~EngineProcess() {
    m_process.disconnect(this);
    if (m_process.state() == QProcess::NotRunning)
        return;
    m_process.terminate();
    if (!m_process.waitForFinished(static_cast<int>(m_patience.stop.count()))) {
        m_process.kill();
        m_process.waitForFinished();
    }
}

void EngineProcess::start() {
    if (m_status.state != EngineState::none)
        return;
    const auto program = findEngineProgram();
    if (!program) {
        failWith(program.error().message);
        return;
    }
    m_status.state = EngineState::starting;
    prepareEngineProcess(m_process, *program, argumentsFor(m_spec), EngineTask::decode);
    m_silence.start(m_patience.silence);
    m_process.start(QIODevice::ReadOnly);
    emit changed();
}

void EngineProcess::stop() {
    if (!usable())
        return;
    m_silence.stop();
    m_status.state = EngineState::stopped;
    m_process.terminate();
    m_kill.start(m_patience.stop);
    emit changed();
}

void EngineProcess::readOutput() {
    const QByteArray bytes = m_process.readAllStandardOutput();
    if (m_status.state != EngineState::starting)
        return; // the address was all that it had to say there
    m_output += bytes;
    const qsizetype end = m_output.indexOf('\n');
    if (end >= 0)
        takeAddress(m_output.left(end));
    else if (m_output.size() > kLongestAddress)
        failWith("The engine said something else than its address. Is it of the same version as this program?");
}

void EngineProcess::takeAddress(const QByteArray& line) {
    const json said = json::parse(line.begin(), line.end(), nullptr, false);
    const std::string url = said.is_object() ? textIn(said, "url") : std::string();
    const std::string token = said.is_object() ? textIn(said, "token") : std::string();
    m_output.clear();
    if (url.empty() || !ours(url)) {
        failWith("The engine said something else than its address. Is it of the same version as this program?");
        return;
    }
    m_silence.stop();
    m_url = url;
    if (!token.empty())
        m_token = std::make_shared<const Secret>(token);
    m_status.state = EngineState::ready;
    m_status.device = textIn(said, "device");
    m_status.threads = numberIn(said, "threads");
    m_status.contextLength = numberIn(said, "ctx");
    m_status.pid = m_process.processId();
    emit changed();
}

void EngineProcess::readErrors() {
    m_stderr.feed(m_process.readAllStandardError());
    if (m_status.state != EngineState::starting)
        return;
    m_silence.start(m_patience.silence);
    m_status.progress = m_stderr.latest();
    emit changed();
}

void EngineProcess::finished(int exitCode, QProcess::ExitStatus how) {
    m_kill.stop();
    m_silence.stop();
    m_stderr.feed(m_process.readAllStandardError());
    if (usable()) // else stopped by us, or known to have failed
        failWith(whyEnded(exitCode, how));
    emit gone();
}

std::string EngineProcess::whyEnded(int exitCode, QProcess::ExitStatus how) const {
    const bool wasReady = m_status.state == EngineState::ready;
    if (how == QProcess::CrashExit)
        return fmt::format("The engine was killed or crashed {}.", wasReady ? "while it ran" : "while it started");
    if (wasReady)
        return fmt::format("The engine ended by itself, with exit status {}.", exitCode);
    if (exitCode == kModelRefused)
        return fmt::format("The engine does not take the model {}.", m_spec.path);
    if (exitCode == kOutOfMemory)
        return fmt::format("There is not enough memory, or no such device, for the model {}.", m_spec.path);
    return fmt::format("The engine could not start; it ended with exit status {}.", exitCode);
}

void EngineProcess::failWith(std::string message) {
    m_silence.stop();
    if (m_process.state() != QProcess::NotRunning) {
        m_process.terminate();
        m_kill.start(m_patience.stop);
    }
    m_status.state = EngineState::failed;
    m_status.failure = std::move(message);
    if (m_process.isReadable())
        m_stderr.feed(m_process.readAllStandardError()); // what it said is with us before the cause is told
    if (const std::string lines = m_stderr.text(); !lines.empty())
        m_status.failure += fmt::format(" It said last:\n{}", lines);
    emit changed();
}

} // namespace decodescope
