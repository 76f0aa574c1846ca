#include "core/net/engine_pool.h"
#include "core/net/engine_process.h"
#include "core/net/engine_program.h"
#include "tests/support/test_paths.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

#include <csignal>
#include <map>
#include <memory>

using namespace decodescope;
using namespace std::chrono_literals;

namespace {

LocalModelSpec fakeModel(const std::string& path = "/models/fake.gguf") {
    LocalModelSpec spec;
    spec.path = path;
    return spec;
}

/// Whether a process is there and no zombie.
bool alive(std::int64_t pid) {
    QFile file(QStringLiteral("/proc/%1/stat").arg(pid));
    if (!file.open(QIODevice::ReadOnly))
        return false;
    const QByteArray stat = file.readAll();
    return stat.mid(stat.lastIndexOf(')') + 2, 1) != "Z";
}

bool contains(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

} // namespace

class EngineProcessTest : public QObject {
    Q_OBJECT

private slots:
    void init() {
        qputenv("DECODESCOPE_ENGINE", QByteArray::fromStdString(test::supportFile("fake_engine")));
        qunsetenv("DECODESCOPE_FAKE_ENGINE");
    }
    void cleanupTestCase() { qunsetenv("DECODESCOPE_ENGINE"); }

    void aGoodStartGivesTheAddress() {
        LocalModelSpec spec = fakeModel();
        spec.threads = 2;
        spec.contextLength = 512;
        spec.kvType = "q8";
        spec.speculative = true;
        EngineProcess engine(spec);
        engine.start();
        QVERIFY(engine.status().state == EngineState::starting);
        QTRY_VERIFY_WITH_TIMEOUT(engine.status().state == EngineState::ready, 20000);
        QVERIFY(contains(engine.url(), "http://127.0.0.1:"));
        QVERIFY(engine.token() && !engine.token()->empty());
        QCOMPARE(engine.status().device, std::string("cpu: fake"));
        QCOMPARE(engine.status().contextLength, 2048);
        const std::string said = engine.lastLines();
        QVERIFY2(contains(said, "serve /models/fake.gguf --port 0 --device auto --kv q8 --die-with-parent --threads 2 "
                                "--ctx 512 --parallel 4 --speculative lookup"),
                 said.c_str());
    }

    void aSlowStartShowsItsProgress() {
        qputenv("DECODESCOPE_FAKE_ENGINE", "slow");
        EngineProcess engine(fakeModel());
        std::vector<std::string> progress;
        connect(&engine, &EngineProcess::changed, this, [&] { progress.push_back(engine.status().progress); });
        engine.start();
        QTRY_VERIFY_WITH_TIMEOUT(engine.status().state == EngineState::ready, 20000);
        QVERIFY(std::find(progress.begin(), progress.end(), "loading part 2 of 3") != progress.end());
    }

    void f50_badStartsFailWithASentence_data() {
        QTest::addColumn<QByteArray>("mode");
        QTest::addColumn<QByteArray>("sentence");
        QTest::newRow("refused") << QByteArray("refuse") << QByteArray("does not take the model /models/fake.gguf");
        QTest::newRow("its own words") << QByteArray("refuse") << QByteArray("broken at byte 24");
        QTest::newRow("garbage") << QByteArray("garbage") << QByteArray("something else than its address");
        QTest::newRow("endless") << QByteArray("endless") << QByteArray("something else than its address");
        QTest::newRow("elsewhere") << QByteArray("foreign") << QByteArray("something else than its address");
        QTest::newRow("silence") << QByteArray("hang") << QByteArray("was not ready within");
    }
    void f50_badStartsFailWithASentence() {
        QFETCH(QByteArray, mode);
        QFETCH(QByteArray, sentence);
        qputenv("DECODESCOPE_FAKE_ENGINE", mode);
        EnginePatience patience;
        patience.silence = mode == "hang" ? std::chrono::milliseconds(3s) : std::chrono::milliseconds(60s);
        EngineProcess engine(fakeModel(), patience);
        const QSignalSpy gone(&engine, &EngineProcess::gone);
        engine.start();
        QTRY_VERIFY_WITH_TIMEOUT(engine.status().state == EngineState::failed, 20000);
        QVERIFY2(contains(engine.status().failure, sentence.constData()), engine.status().failure.c_str());
        QTRY_COMPARE_WITH_TIMEOUT(gone.count(), 1, 20000); // and nothing is left running
    }

    void aMissingProgramSaysWhatToDo() {
        qputenv("DECODESCOPE_ENGINE", "/nowhere/decodescope-engine");
        QTest::failOnWarning(QRegularExpression(".")); // a process that never began is not read
        EngineProcess engine(fakeModel());
        engine.start();
        QVERIFY(engine.status().state == EngineState::failed);
        QVERIFY(contains(engine.status().failure, "DECODESCOPE_ENGINE"));
    }

    void aDeathIsToldWithTheLastWords() {
        qputenv("DECODESCOPE_FAKE_ENGINE", "dies-ready");
        EngineProcess engine(fakeModel());
        engine.start();
        QTRY_VERIFY_WITH_TIMEOUT(engine.status().state == EngineState::failed, 20000);
        QVERIFY(contains(engine.status().failure, "exit status 9"));
        QVERIFY(contains(engine.status().failure, "no more memory"));
    }

    void lastLinesHoldWhatMatters() {
        LastLines lines(2);
        lines.feed("the first\nloading: 10 %\nloading: 100 %\nserving\n\n");
        QCOMPARE(lines.text(), std::string("the first\nserving")); // how far the loading had got is over
        lines.feed("a \x1b[31mred\x1b[0m word\x07");
        QCOMPARE(lines.latest(), std::string("a  [31mred [0m word")); // nothing that a terminal obeys
        lines.feed(QByteArray(100'000, 'x') + "\n");
        QVERIFY(lines.text().size() < 1000);
    }

    void stoppingEndsEvenOneThatDoesNotHear() {
        qputenv("DECODESCOPE_FAKE_ENGINE", "stubborn");
        EnginePatience patience;
        patience.stop = 200ms;
        EngineProcess engine(fakeModel(), patience);
        const QSignalSpy gone(&engine, &EngineProcess::gone);
        engine.start();
        QTRY_VERIFY_WITH_TIMEOUT(engine.status().state == EngineState::ready, 20000);
        const std::int64_t pid = engine.status().pid;
        QVERIFY(alive(pid));
        engine.stop();
        QVERIFY(engine.status().state == EngineState::stopped);
        QTRY_COMPARE_WITH_TIMEOUT(gone.count(), 1, 20000);
        QVERIFY(!alive(pid));
        QVERIFY(engine.status().failure.empty());
    }

    void theEngineGetsNoCredentials() {
        QTemporaryDir folder;
        const QString given = folder.filePath("given");
        const std::map<QByteArray, QByteArray> secrets{
            {"SOME_API_KEY", "DSCANARY-1"}, {"CORP_LLM", "DSCANARY-2"}, {"DECODESCOPE_TOKEN", "DSCANARY-3"},
            {"XDG_PASS", "DSCANARY-4"},     {"my_auth", "DSCANARY-5"},  {"https_proxy", "http://me:DSCANARY-6@h:1"}};
        for (const auto& [name, value] : secrets)
            qputenv(name.constData(), value);
        qputenv("DECODESCOPE_FAKE_GIVEN", given.toLocal8Bit());
        EngineProcess engine(fakeModel());
        engine.start();
        QTRY_VERIFY_WITH_TIMEOUT(engine.status().state == EngineState::ready, 20000);
        const QProcessEnvironment fetching = engineEnvironment(EngineTask::fetch);
        qunsetenv("DECODESCOPE_FAKE_GIVEN");
        for (const auto& [name, value] : secrets)
            qunsetenv(name.constData());
        QFile file(given); // the child's own account of its command line and environment
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray told = file.readAll();
        QVERIFY(told.contains("serve") && told.contains("PATH="));
        QVERIFY2(!told.contains("DSCANARY"), told.constData());
        // The sample comes through the proxy, whose own login is no key of a lane.
        QCOMPARE(fetching.value("https_proxy"), QString("http://me:DSCANARY-6@h:1"));
        QVERIFY(!fetching.contains("CORP_LLM") && !fetching.contains("SOME_API_KEY"));
    }

    void equalSpecsShareAnEngine() {
        EnginePool pool;
        const auto a = pool.acquire(fakeModel());
        LocalModelSpec uncached = fakeModel();
        uncached.prefixCache = false; // each request's own affair
        QCOMPARE(pool.acquire(uncached).get(), a.get());
        LocalModelSpec other = fakeModel();
        other.threads = 1;
        const auto b = pool.acquire(other);
        QVERIFY(b.get() != a.get());
        QTRY_VERIFY_WITH_TIMEOUT(a->status().state == EngineState::ready, 20000);
        QTRY_VERIFY_WITH_TIMEOUT(b->status().state == EngineState::ready, 20000);
    }

    void enginesThatNoLaneUsesAreStopped() {
        EnginePool pool;
        auto used = pool.acquire(fakeModel());
        auto idle = pool.acquire(fakeModel("/models/other.gguf"));
        QTRY_VERIFY_WITH_TIMEOUT(used->status().state == EngineState::ready, 20000);
        QTRY_VERIFY_WITH_TIMEOUT(idle->status().state == EngineState::ready, 20000);
        const std::int64_t pid = idle->status().pid;
        pool.retain({fakeModel()}); // a run still holds the other one
        QVERIFY(idle->status().state == EngineState::ready);
        idle.reset();
        used.reset();
        pool.retain({fakeModel()});
        QTRY_VERIFY_WITH_TIMEOUT(!alive(pid), 20000);
        QVERIFY(pool.status(fakeModel()).state == EngineState::ready);
        QVERIFY(pool.status(fakeModel("/models/other.gguf")).state == EngineState::none);
    }

    void f50_aDeadEngineIsReplaced() {
        qputenv("DECODESCOPE_FAKE_ENGINE", "dies-ready");
        EnginePool pool;
        const auto first = pool.acquire(fakeModel());
        QTRY_VERIFY_WITH_TIMEOUT(first->status().state == EngineState::failed, 20000);
        QVERIFY(pool.status(fakeModel()).state == EngineState::failed);
        qunsetenv("DECODESCOPE_FAKE_ENGINE");
        const auto second = pool.acquire(fakeModel());
        QVERIFY(second.get() != first.get());
        QTRY_VERIFY_WITH_TIMEOUT(second->status().state == EngineState::ready, 20000);
    }

    void thePoolLeavesNothingBehind() {
        std::int64_t pid = 0;
        {
            EnginePool pool;
            const auto engine = pool.acquire(fakeModel());
            QTRY_VERIFY_WITH_TIMEOUT(engine->status().state == EngineState::ready, 20000);
            pid = engine->status().pid;
        }
        QVERIFY(!alive(pid));
    }
};

QTEST_GUILESS_MAIN(EngineProcessTest)
#include "tst_engine_process.moc"
