#include "app/machine_measure.h"

#include <QCoreApplication>
#include <QPointer>
#include <QProcess>

#include <memory>
#include <utility>

namespace decodescope {

std::function<void()> measureMachine(std::function<void(Result<std::string>)> answer) {
    const QPointer<QProcess> process(new QProcess(QCoreApplication::instance()));
    // A process that ends badly tells of both its error and its end.
    const auto once = std::make_shared<std::function<void(Result<std::string>)>>(std::move(answer));
    const auto tell = [process, once](Result<std::string> result) {
        process->deleteLater();
        if (const auto told = std::exchange(*once, nullptr))
            told(std::move(result));
    };
    QObject::connect(process, &QProcess::errorOccurred, process, [process, tell](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            tell(fail(ErrorCode::io, "The measurement could not be started: " + process->errorString().toStdString()));
    });
    QObject::connect(process, &QProcess::finished, process, [process, tell](int status, QProcess::ExitStatus how) {
        const QByteArray said = process->readAllStandardOutput();
        if (how == QProcess::NormalExit && status == 0 && !said.isEmpty())
            tell(said.toStdString());
        else
            tell(fail(ErrorCode::io, "The measurement ended without a result. Try it in a terminal: decodescope doctor",
                      process->readAllStandardError().toStdString()));
    });
    process->setStandardInputFile(QProcess::nullDevice());
    process->start(QCoreApplication::applicationFilePath(), {QStringLiteral("doctor")});
    return [process, once] {
        *once = nullptr;
        if (!process)
            return;
        process->kill(); // its own child ends with it
        process->deleteLater();
    };
}

} // namespace decodescope
