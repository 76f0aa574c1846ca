#include "app/run_options.h"

#include <QTemporaryDir>
#include <QtTest>

using namespace decodescope;
using namespace std::chrono_literals;

class RunOptionsTest : public QObject {
    Q_OBJECT

    static RunFlags good() {
        RunFlags flags;
        flags.endpoint = "http://127.0.0.1:1";
        flags.model = "M";
        flags.prompt = "Hello";
        return flags;
    }

private slots:
    void oneLaneIsCalledA() {
        RunFlags flags = good();
        flags.system = "Be brief.";
        flags.sampling.maxTokens = 9;
        flags.noStream = true;
        flags.uniquePrefix = true;
        flags.connectTimeoutS = 2.5;
        flags.firstTokenTimeoutS = 0;
        const Result<RunRequest> request = understand(flags);
        QVERIFY(request);
        QCOMPARE(request->lanes.size(), 1U);
        const RunSpec& spec = request->lanes[0].spec;
        QCOMPARE(spec.laneName, std::string("A"));
        QCOMPARE(spec.endpoint.protocol, std::string("openai-chat"));
        QCOMPARE(spec.prompt, std::string("Hello"));
        QCOMPARE(spec.system, std::string("Be brief."));
        QCOMPARE(spec.sampling.maxTokens, std::optional<int>(9));
        QVERIFY(!spec.sampling.stream);
        QVERIFY(spec.uniquePrefix);
        QCOMPARE(spec.timeouts.connect, std::optional<Duration>(2500ms));
        QVERIFY(!spec.timeouts.firstToken);
        QCOMPARE(spec.timeouts.idle, std::optional<Duration>(120s));
        QVERIFY(!request->recordPath);
        QCOMPARE(request->plan.repeats, 1);
        QCOMPARE(request->plan.warmups, 0);
    }

    void thereAreAtMost256Lanes() {
        RunFlags flags;
        flags.prompt = "hi";
        for (int lanes : {255, 256, 257}) {
            flags.lanes.assign(static_cast<std::size_t>(lanes), "endpoint=http://h");
            const auto request = understand(flags);
            QCOMPARE(request.has_value(), lanes <= 256);
            if (!request)
                QVERIFY(request.error().code == ErrorCode::usage);
        }
    }

    void lanesGetIdsAndLooks() {
        RunFlags flags;
        flags.prompt = "Hello";
        flags.lanes = {"endpoint=http://h:1", "endpoint=http://h:2,name=second", "endpoint=http://h:3"};
        const Result<RunRequest> request = understand(flags);
        QVERIFY(request);
        QCOMPARE(request->lanes.size(), 3U);
        QCOMPARE(request->lanes[1].spec.laneName, std::string("second"));
        QCOMPARE(request->lanes[2].spec.laneName, std::string("C"));
        QVERIFY(request->lanes[0].id != request->lanes[2].id);
        QCOMPARE(request->lanes[2].look, 2);
    }

    void promptsComeFromFilesToo() {
        const QTemporaryDir folder;
        QFile file(folder.filePath("p.txt"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("line 1\nline 2");
        file.close();
        RunFlags flags = good();
        flags.prompt.reset();
        flags.promptFile = file.fileName().toStdString();
        const Result<RunRequest> request = understand(flags);
        QVERIFY(request);
        QCOMPARE(request->lanes[0].spec.prompt, std::string("line 1\nline 2"));
        flags.promptFile = folder.filePath("missing").toStdString();
        const Result<RunRequest> missing = understand(flags);
        QVERIFY(!missing);
        QVERIFY(missing.error().code == ErrorCode::io);
    }

    void contradictionsAreUsageErrors_data() {
        QTest::addColumn<int>("fault");
        for (int i = 0; i < 10; ++i)
            QTest::addRow("fault %d", i) << i;
    }
    void contradictionsAreUsageErrors() {
        QFETCH(int, fault);
        RunFlags flags = good();
        const std::function<void()> faults[] = {
            [&] { flags.endpoint.clear(); },
            [&] { flags.prompt.reset(); },
            [&] { flags.promptFile = "x"; },
            [&] { flags.json = flags.jsonLines = true; },
            [&] { flags.lanes = {"endpoint=http://h"}; },
            [&] { flags.keyEnv = flags.keyFile = "x"; },
            [&] { flags.idleTimeoutS = -1; },
            [&] { flags.totalTimeoutS = 1e300; },
            [&] { flags.failIf = {"nonsense"}; },
            [&] {
                flags.endpoint.clear();
                flags.model.clear();
                flags.lanes = {"endpoint=http://h,name=X", "endpoint=http://h,name=X"};
            },
        };
        faults[fault]();
        const Result<RunRequest> request = understand(flags);
        QVERIFY(!request);
        QVERIFY(request.error().code == ErrorCode::usage);
    }

    void keysAreFetchedByReference() {
        RunFlags flags = good();
        flags.keyEnv = "SOME_VARIABLE";
        Result<RunRequest> request = understand(flags);
        QVERIFY(request);
        std::vector<std::string> asked;
        const KeyLoader load = [&](const KeyReference& reference) -> Result<std::shared_ptr<const Secret>> {
            asked.push_back(reference.name);
            return std::make_shared<const Secret>("DSCANARY-1");
        };
        QVERIFY(fetchKeys(request->lanes, load));
        QCOMPARE(asked, std::vector<std::string>{"SOME_VARIABLE"});
        QCOMPARE(request->lanes[0].spec.key->size(), 10U);
        const KeyLoader none = [](const KeyReference&) -> Result<std::shared_ptr<const Secret>> {
            return std::make_shared<const Secret>();
        };
        const Result<void> empty = fetchKeys(request->lanes, none);
        QVERIFY(!empty);
        QVERIFY(QString::fromStdString(empty.error().message).contains("SOME_VARIABLE"));
    }
};

QTEST_GUILESS_MAIN(RunOptionsTest)
#include "tst_run_options.moc"
