#pragma once

#include "core/base/error.h"

#include <QProcessEnvironment>
#include <QString>
#include <QStringList>

class QProcess;

/// Where our engine's program is and how it is called. Qt Core only; any thread.
namespace decodescope {

/// The path of decodescope-engine: DECODESCOPE_ENGINE, else beside this executable, else on PATH. Fails with
/// ErrorCode::unsupported and a sentence that says what to do.
[[nodiscard]] Result<QString> findEngineProgram();

/// What the engine is started for.
enum class EngineTask {
    decode, ///< answering us over loopback, reading a file
    fetch   ///< fetching the sample model, for which it needs the way to the network
};

/// The environment that the engine gets: of ours only what is known to be needed. A key may stand in a variable of any
/// name, so that what is not known is left out.
[[nodiscard]] QProcessEnvironment engineEnvironment(EngineTask task);

/// Readies a process for the engine: that environment, and a process group of its own, so that Ctrl-C in a terminal
/// reaches us alone and we end the engine in order.
void prepareEngineProcess(QProcess& process, const QString& program, const QStringList& arguments, EngineTask task);

/// The last lines of what a program said on stderr, at most `lines` of them and each of bounded length, without control
/// characters; a line that ends with a per cent sign gives way to the next.
class LastLines {
public:
    explicit LastLines(int lines = 12)
        : m_most(lines) {}
    void feed(const QByteArray& bytes);
    /// The latest line that holds anything.
    [[nodiscard]] std::string latest() const;
    /// All kept lines, a line feed between them, valid UTF-8.
    [[nodiscard]] std::string text() const;

private:
    void keep();
    int m_most;
    QByteArray m_open; // the line that has no end yet
    QList<QByteArray> m_lines;
};

} // namespace decodescope
