#include "core/net/engine_program.h"

#include "core/base/utf8.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QProcess>
#include <QStandardPaths>
#include <fmt/format.h>

#include <algorithm>
#include <array>
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
    constexpr std::array<const char*, 8> kParts{"KEY",        "TOKEN", "SECRET", "PASS",
                                                "CREDENTIAL", "AUTH",  "BEARER", "COOKIE"};
    return std::any_of(kParts.begin(), kParts.end(),
                       [&](const char* part) { return name.contains(QLatin1String(part), Qt::CaseInsensitive); });
}

/// What a program needs to find its libraries, folders, processor and graphics card, and to be looked into.
bool ordinary(const QString& name) {
    constexpr std::array<const char*, 10> kWhole{"PATH", "HOME",     "USER", "LOGNAME", "SHELL",
                                                 "LANG", "LANGUAGE", "TZ",   "TMPDIR",  "GLIBC_TUNABLES"};
    constexpr std::array<const char*, 9> kBegin{"LC_",  "LD_",   "XDG_",    "CUDA_",       "NVIDIA_",
                                                "OMP_", "GOMP_", "MALLOC_", "DECODESCOPE_"};
    constexpr std::array<const char*, 4> kSanitizers{"ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"};
    const auto is = [&](const char* whole) { return name == QLatin1String(whole); };
    return std::any_of(kWhole.begin(), kWhole.end(), is) || std::any_of(kSanitizers.begin(), kSanitizers.end(), is) ||
           std::any_of(kBegin.begin(), kBegin.end(),
                       [&](const char* begin) { return name.startsWith(QLatin1String(begin)); });
}

/// How this machine reaches the network, and what pip, which fetches the sample, is told by variables. A proxy's or an
/// index's own login may be part of it: without it nothing could be fetched.
bool aboutNetwork(const QString& name) {
    constexpr std::array<const char*, 4> kWhole{"SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE",
                                                "CURL_CA_BUNDLE"};
    return name.endsWith(QLatin1String("_proxy"), Qt::CaseInsensitive) || name.startsWith(QLatin1String("PIP_")) ||
           std::any_of(kWhole.begin(), kWhole.end(), [&](const char* whole) { return name == QLatin1String(whole); });
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

QProcessEnvironment engineEnvironment(EngineTask task) {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const QString& name : environment.keys()) {
        const bool needed = ordinary(name) || (task == EngineTask::fetch && aboutNetwork(name));
        if (!needed || namesCredential(name))
            environment.remove(name);
    }
    return environment;
}

void prepareEngineProcess(QProcess& process, const QString& program, const QStringList& arguments, EngineTask task) {
    process.setProgram(program);
    process.setArguments(arguments);
    process.setProcessEnvironment(engineEnvironment(task));
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
