#include "app/composition.h"
#include "tests/support/test_paths.h"
#include "ui/panels/lanes_row.h"
#include "ui/text/token_text_view.h"
#include "ui/window/main_window.h"
#include "ui/window/window_actions.h"

#include <QAction>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <cstdio>

using namespace decodescope;

namespace {

constexpr int kSkipped = 77;
constexpr int kTokens = 48;
QString s_python; // of the environment that holds the server

/// The number the server itself told in its last bytes, found without our own parser.
double toldByServer(const RawLog& raw) {
    QByteArray all;
    for (std::uint32_t i = 0; i < raw.chunkCount(); ++i) {
        if (const auto chunk = raw.chunk(i))
            all.append(chunk->bytes.data(), static_cast<qsizetype>(chunk->bytes.size()));
    }
    static const QRegularExpression kUsage(QStringLiteral("\"completion_tokens\":\\s*(\\d+)"));
    double told = -1;
    for (auto found = kUsage.globalMatch(QString::fromUtf8(all)); found.hasNext();)
        told = found.next().captured(1).toDouble();
    return told;
}

} // namespace

/// llama.cpp's own server with a real model, measured through the window: two lanes at once.
class WindowLlamaTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        m_server.setProcessChannelMode(QProcess::SeparateChannels);
        m_server.setStandardErrorFile(QProcess::nullDevice());
        m_server.start(s_python,
                       {QString::fromStdString(test::supportFile("llama_server.py")), QStringLiteral("--threads"),
                        QStringLiteral("1"), QStringLiteral("--parallel"), QStringLiteral("4"), QStringLiteral("--ctx"),
                        QStringLiteral("2048"), QStringLiteral("--alias"), QStringLiteral("smollm2"),
                        QStringLiteral("--no-cache-prompt"), QStringLiteral("--seconds"), QStringLiteral("600")});
        QTRY_VERIFY_WITH_TIMEOUT(m_server.canReadLine(), 120'000);
        m_url = QJsonDocument::fromJson(m_server.readLine()).object().value(QStringLiteral("url")).toString();
        QVERIFY(!m_url.isEmpty());
    }

    void cleanupTestCase() {
        m_server.terminate();
        QVERIFY(m_server.waitForFinished(20'000));
    }

    void twoLanesLiveAndTheirTokensAreTheServers() {
        QTemporaryDir folder;
        WindowServices services;
        services.clock = std::make_shared<SteadyClock>();
        const Composition composition = compose();
        services.sources = composition.run.sources;
        services.resolveKey = [](const KeyReference&) { return std::shared_ptr<const Secret>(); };
        services.recordingHeader = [] { return RecordingHeader{}; };
        services.settingsFile = folder.filePath(QStringLiteral("settings.json"));
        services.recordingsFolder = folder.filePath(QStringLiteral("recordings"));
        MainWindow window(std::move(services));
        window.resize(1600, 1000);
        window.show();
        RaceSettings race = window.runs().race();
        race.sampling.maxTokens = kTokens;
        race.sampling.temperature = 0;
        race.plan.warmups = 0;
        window.runs().setRace(race);
        for (const char* name : {"first", "second"}) {
            RunSpec spec;
            spec.laneName = name;
            spec.endpoint.url = m_url.toStdString();
            spec.endpoint.model = "smollm2";
            window.runs().lanes().add(spec);
        }
        window.showRace();
        window.runs().run();
        QVERIFY(window.runs().running());

        // Live: each lane's text stands in the window while its own run is still going on.
        const auto& lanes = window.runs().session().lanes();
        QCOMPARE(lanes.size(), std::size_t(2));
        std::array<bool, 2> live{};
        const auto look = [&] {
            for (std::size_t i = 0; i < lanes.size(); ++i) {
                const auto shown = window.lanesRow().cards()[i]->text().buffer().tokenCount();
                live[i] = live[i] || (lanes[i]->state() == LaneState::running && shown > 2 && shown < kTokens - 2);
            }
            return !window.runs().running();
        };
        QTRY_VERIFY_WITH_TIMEOUT(look(), 180'000);
        QVERIFY2(live[0] && live[1], "a lane's text did not appear before its end");

        for (std::size_t i = 0; i < lanes.size(); ++i) {
            QCOMPARE(lanes[i]->state(), LaneState::done);
            const LaneRun& run = *lanes[i]->current();
            QVERIFY(run.summary && run.summary->tokens.output);
            const double told = toldByServer(*run.raw);
            QVERIFY(told > 0);
            QCOMPARE(static_cast<double>(*run.summary->tokens.output), told);
            QTRY_COMPARE(std::size_t(window.lanesRow().cards()[i]->text().buffer().tokenCount()),
                         run.record->events.size());
        }
    }

private:
    QProcess m_server;
    QString m_url;
};

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    QProcess setup;
    setup.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    setup.start(QString::fromStdString(test::supportFile("setup_llama")), QStringList());
    if (!setup.waitForFinished(600'000) || setup.exitCode() != 0) {
        std::puts("skipped: the llama.cpp server or its model cannot be had; the reason stands above");
        return setup.exitCode() == 0 ? 1 : kSkipped;
    }
    s_python = QString::fromUtf8(setup.readAllStandardOutput()).trimmed();
    WindowLlamaTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_window_llama.moc"
