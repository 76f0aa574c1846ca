#include "core/net/engine_program.h"

#include "core/base/utf8.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QProcess>
#include <QStandardPaths>
#include <fmt/format.h>

#include <unistd.h>

namespace decodescope {

namespace {

constexpr auto kName = "decodescope-engine";
constexpr qsizetype kLongestLine = 500;

bool runs(const QString& path) {
    const QFileInfo file(path);
    return file.isFile() && file.isExecutable();
}

/// Whether a variable's name says that it holds a credential.
bool namesCredential(const QString& name) {
    const QString upper = name.toUpper();
    for (const char* part : {"KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL"}) {
        if (upper.contains(QLatin1String(part)))
            return true;
    }
    return false;
}

} // namespace

Result<QString> findEngineProgram() {
    if (const QString named = qEnvironmentVariable("DECODESCOPE_ENGINE"); !named.isEmpty()) {
        if (runs(named))
            return named;
        return fail(
            ErrorCode::unsupported,
            fmt::format("DECODESCOPE_ENGINE names {}, which is no program that can be run. Correct the variable "
                        "or unset it.",
                        named.toStdString()));
    }
    const QString beside = QCoreApplication::applicationDirPath() + QLatin1Char('/') + QLatin1String(kName);
    if (runs(beside))
        return beside;
    if (const QString found = QStandardPaths::findExecutable(QLatin1String(kName)); !found.isEmpty())
        return found;
    return fail(ErrorCode::unsupported,
                fmt::format("The program {} is needed to decode models on this machine, and is neither beside this "
                            "program nor on PATH. Install it, or name it in the variable DECODESCOPE_ENGINE.",
                            kName));
}

QProcessEnvironment engineEnvironment() {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const QString& name : environment.keys()) {
        if (namesCredential(name))
            environment.remove(name);
    }
    return environment;
}

void prepareEngineProcess(QProcess& process, const QString& program, const QStringList& arguments) {
    process.setProgram(program);
    process.setArguments(arguments);
    process.setProcessEnvironment(engineEnvironment());
    process.setStandardInputFile(QProcess::nullDevice());
    process.setChildProcessModifier([] { setpgid(0, 0); });
}

void LastLines::feed(const QByteArray& bytes) {
    for (const char c : bytes) {
        if (c == '\n' || c == '\r')
            keep();
        else if (m_open.size() < kLongestLine)
            m_open.append(static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c);
    }
}

void LastLines::keep() {
    const QByteArray line = m_open.trimmed();
    m_open.clear();
    if (line.isEmpty())
        return;
    if (!m_lines.isEmpty() && m_lines.last().endsWith('%'))
        m_lines.last() = line; // how far something had got tells nothing once more is said
    else
        m_lines.append(line);
    while (m_lines.size() > m_most)
        m_lines.removeFirst();
}

std::string LastLines::latest() const {
    const QByteArray open = m_open.trimmed();
    if (!open.isEmpty())
        return repairUtf8(open.toStdString()).text;
    return m_lines.isEmpty() ? std::string() : repairUtf8(m_lines.last().toStdString()).text;
}

std::string LastLines::text() const {
    QByteArray all = m_lines.join('\n');
    if (const QByteArray open = m_open.trimmed(); !open.isEmpty())
        all += (all.isEmpty() ? "" : "\n") + open;
    return repairUtf8(all.toStdString()).text;
}

} // namespace decodescope
