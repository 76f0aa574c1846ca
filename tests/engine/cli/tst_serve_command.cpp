#include "tests/engine/server/raw_client.h"
#include "tests/engine/support/tiny_model.h"
#include "tests/support/test_paths.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <nlohmann/json.hpp>

#include <csignal>
#include <string>

using namespace decodescope::engine::test;
using nlohmann::json;

namespace {

QString engineProgram() {
    return QString::fromStdString(decodescope::test::builtFile("bin/decodescope-engine"));
}

/// decodescope-engine serving, until it is told otherwise.
struct Engine {
    explicit Engine(const QStringList& arguments) {
        process.start(engineProgram(), QStringList{"serve"} + arguments);
        while (process.state() != QProcess::NotRunning && !process.canReadLine() && process.waitForReadyRead(60'000)) {
        }
        line = process.readLine().toStdString();
        ready = json::parse(line, nullptr, false);
    }
    ~Engine() {
        if (process.state() != QProcess::NotRunning) {
            process.kill();
            process.waitForFinished();
        }
    }
    [[nodiscard]] bool isReady() const { return ready.is_object(); }
    [[nodiscard]] std::uint16_t port() const {
        const QString url = QString::fromStdString(ready["url"].get<std::string>());
        return static_cast<std::uint16_t>(url.section(':', 2).toInt());
    }
    [[nodiscard]] std::string token() const { return ready["token"].get<std::string>(); }

    QProcess process;
    std::string line;
    json ready;
};

std::string post(const std::string& token, const std::string& body) {
    return "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token +
           "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

QByteArray fileOfProcess(qint64 pid, const char* name) {
    QFile file(QStringLiteral("/proc/%1/%2").arg(pid).arg(QLatin1String(name)));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

const std::string kEndless = R"({"prompt":"SECRETPROMPT","stream":true,"ignore_eos":true,"temperature":0})";

} // namespace

class TestServeCommand : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QVERIFY(m_folder.isValid());
        m_model = m_folder.filePath("tiny.gguf");
        TinyModel model = TinyModel::of("qwen2");
        model.contextLength = 100'000;
        QVERIFY(model.write(m_model.toStdString()));
        m_arguments = QStringList{m_model, "--device", "cpu", "--threads", "1", "--ctx", "50000", "--parallel", "2"};
    }
    void oneLineTellsHowToAsk() {
        Engine engine(m_arguments);
        QVERIFY2(engine.isReady(), engine.process.readAllStandardError().constData());
        for (const char* key : {"url", "token", "pid", "model", "architecture", "device", "threads", "ctx", "parallel"})
            QVERIFY2(engine.ready.contains(key), key);
        QVERIFY(engine.ready["pid"] == engine.process.processId());
        QVERIFY(engine.ready["ctx"] == 50'000);
        QVERIFY(engine.ready["parallel"] == 2);
        QVERIFY(engine.ready["threads"] == 1);
        QCOMPARE(engine.token().size(), std::size_t{32});
    }
    void theEndIsToldToStreams_data() {
        QTest::addColumn<int>("signal");
        QTest::newRow("SIGTERM") << SIGTERM;
        QTest::newRow("SIGINT") << SIGINT;
    }
    void theEndIsToldToStreams() {
        QFETCH(int, signal);
        Engine engine(m_arguments);
        QVERIFY(engine.isReady());
        RawClient client(engine.port());
        client.send(post(engine.token(), kEndless));
        QVERIFY(client.readUntil("\n\n").starts_with("HTTP/1.1 200 "));
        client.readUntil("\n\n");
        QCOMPARE(::kill(static_cast<pid_t>(engine.process.processId()), signal), 0);
        QVERIFY(engine.process.waitForFinished(20'000));
        QVERIFY(engine.process.exitStatus() == QProcess::NormalExit);
        QCOMPARE(engine.process.exitCode(), 0);
        const std::string rest = client.readUntil("0\r\n\r\n");
        QVERIFY(rest.find("The engine is stopping.") != std::string::npos);
        QVERIFY(rest.find("[DONE]") == std::string::npos);
        QVERIFY(engine.process.readAllStandardOutput().isEmpty());
    }
    void theTokenAndPromptsStayInside() {
        Engine engine(m_arguments);
        QVERIFY(engine.isReady());
        RawClient client(engine.port());
        client.send(post(engine.token(), kEndless));
        client.readUntil("\n\n");
        const qint64 pid = engine.process.processId();
        const QByteArray token = QByteArray::fromStdString(engine.token());
        for (const char* name : {"cmdline", "environ"})
            QVERIFY(!fileOfProcess(pid, name).contains(token));
        const QString limits = QString::fromLatin1(fileOfProcess(pid, "limits"));
        QVERIFY(QRegularExpression("Max core file size +0 +0 ").match(limits).hasMatch());
        QVERIFY(fileOfProcess(pid, "status").contains("NoNewPrivs:\t1\n"));
        engine.process.terminate();
        QVERIFY(engine.process.waitForFinished(20'000));
        const QByteArray said = engine.process.readAllStandardError();
        QVERIFY(!said.isEmpty() && !said.contains(token) && !said.contains("SECRETPROMPT"));
    }
    void withoutATokenAllMayAsk() {
        Engine engine(m_arguments + QStringList{"--no-token"});
        QVERIFY(engine.isReady());
        QVERIFY(engine.ready["token"].is_null());
        RawClient client(engine.port());
        client.send("GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
        QVERIFY(client.readAnswer().starts_with("HTTP/1.1 200 "));
    }
    void itEndsWithItsParent() {
        // The shell is the parent; its end must be the engine's.
        QProcess shell;
        shell.start("sh", {"-c", QStringLiteral("'%1' serve '%2' --device cpu --threads 1 --die-with-parent & wait")
                                     .arg(engineProgram(), m_model)});
        while (!shell.canReadLine())
            QVERIFY(shell.waitForReadyRead(60'000));
        const json ready = json::parse(shell.readLine().toStdString(), nullptr, false);
        QVERIFY(ready.is_object());
        const auto pid = ready["pid"].get<qint64>();
        QVERIFY(!fileOfProcess(pid, "cmdline").isEmpty());
        shell.kill();
        QVERIFY(shell.waitForFinished());
        QTRY_VERIFY_WITH_TIMEOUT(fileOfProcess(pid, "cmdline").isEmpty(), 20'000);
    }
    void whatCannotBeServedIsRefused_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("status");
        QTest::newRow("no file") << QStringList{"/nowhere/model.gguf"} << 8;
        QTest::newRow("no model") << QStringList{engineProgram()} << 5;
        QTest::newRow("no GPU library") << QStringList{"MODEL", "--device", "cuda:0"} << 9;
        QTest::newRow("no such device") << QStringList{"MODEL", "--device", "abacus"} << 2;
        QTest::newRow("parallel") << QStringList{"MODEL", "--parallel", "17"} << 2;
        QTest::newRow("port") << QStringList{"MODEL", "--port", "65536"} << 2;
        QTest::newRow("kv") << QStringList{"MODEL", "--kv", "q4"} << 2;
        QTest::newRow("context") << QStringList{"MODEL", "--ctx", "3"} << 2;
        QTest::newRow("unknown flag") << QStringList{"MODEL", "--host", "0.0.0.0"} << 2;
    }
    void whatCannotBeServedIsRefused() {
        QFETCH(QStringList, arguments);
        QFETCH(int, status);
        arguments.replaceInStrings("MODEL", m_model);
        Engine engine(arguments);
        QVERIFY(engine.process.state() == QProcess::NotRunning || engine.process.waitForFinished(20'000));
        QCOMPARE(engine.process.exitCode(), status);
        QVERIFY(engine.line.empty());
        QVERIFY(!engine.process.readAllStandardError().isEmpty());
    }
    void aTakenPortIsRefused() {
        Engine first(m_arguments);
        QVERIFY(first.isReady());
        Engine second(m_arguments + QStringList{"--port", QString::number(first.port())});
        QVERIFY(second.process.state() == QProcess::NotRunning || second.process.waitForFinished(20'000));
        QCOMPARE(second.process.exitCode(), 2);
    }

private:
    QTemporaryDir m_folder;
    QString m_model;
    QStringList m_arguments;
};

QTEST_GUILESS_MAIN(TestServeCommand)
#include "tst_serve_command.moc"
