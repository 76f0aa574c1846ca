#include "core/net/local_source.h"
#include "tests/core/net/source_probe.h"
#include "tests/support/test_paths.h"

#include <QtTest>

#include <memory>

using namespace decodescope;

namespace {

/// The whole road: a pool, the real network, one run, and what it left.
class LocalRun {
public:
    explicit LocalRun(RunSpec spec = localSpec())
        : m_source(m_factory(spec, {m_mailbox, m_sink})) {}

    static RunSpec localSpec() {
        RunSpec spec = SourceProbe::specFor("");
        spec.endpoint.model.clear();
        spec.local.emplace().path = "/models/fake.gguf";
        return spec;
    }

    /// Turns the crank until `done` or for 20 s.
    template <class Done> bool turn(const Done& done) {
        return QTest::qWaitFor(
            [&] {
                m_source->pump();
                std::vector<StreamEvent> batch;
                m_mailbox->drain(batch);
                m_events.insert(m_events.end(), batch.begin(), batch.end());
                return done();
            },
            20000);
    }
    bool untilReady() {
        m_source->prepare();
        return turn([&] { return m_source->ready(); });
    }
    bool untilEnd() {
        return turn([&] { return end() != nullptr; });
    }
    bool run() {
        if (!untilReady())
            return false;
        m_source->release({});
        return untilEnd();
    }
    [[nodiscard]] const StreamEnd* end() const {
        return m_events.empty() ? nullptr : std::get_if<StreamEnd>(&m_events.back().what);
    }
    template <class T> [[nodiscard]] std::vector<T> all() const {
        std::vector<T> found;
        for (const StreamEvent& event : m_events) {
            if (const auto* what = std::get_if<T>(&event.what))
                found.push_back(*what);
        }
        return found;
    }
    [[nodiscard]] const KeepingSink& sink() const { return *m_sink; }
    [[nodiscard]] TokenSource& source() { return *m_source; }
    [[nodiscard]] EnginePool& pool() { return m_pool; }

private:
    NetworkThread m_network;
    EnginePool m_pool;
    SourceFactory m_factory = makeLocalSourceFactory(m_pool, makeRemoteSourceFactory(m_network));
    std::shared_ptr<EventMailbox> m_mailbox = std::make_shared<EventMailbox>();
    std::shared_ptr<KeepingSink> m_sink = std::make_shared<KeepingSink>();
    std::unique_ptr<TokenSource> m_source;
    std::vector<StreamEvent> m_events;
};

bool contains(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

} // namespace

class LocalSourceTest : public QObject {
    Q_OBJECT

private slots:
    void init() {
        qputenv("DECODESCOPE_ENGINE", QByteArray::fromStdString(test::supportFile("fake_engine")));
        qunsetenv("DECODESCOPE_FAKE_ENGINE");
    }
    void cleanupTestCase() { qunsetenv("DECODESCOPE_ENGINE"); }

    void aRunTellsTheEnginesOwnAccount() {
        qputenv("DECODESCOPE_FAKE_ENGINE", "slow"); // loading is over before t0
        LocalRun run;
        QVERIFY(run.run());
        QVERIFY2(run.end()->verdict == StreamEnd::Verdict::complete, run.end()->message.c_str());
        const auto steps = run.all<EngineStep>();
        QCOMPARE(steps.size(), 8U); // seven words and the end token
        QCOMPARE(steps[3].stepId, 103U);
        QCOMPARE(steps[3].kvBytes, 14000U);
        const auto engines = run.all<EngineIntroduced>();
        QCOMPARE(engines.size(), 1U);
        QCOMPARE(engines[0].facts->device, std::string("cpu: fake"));
        QCOMPARE(run.all<EnginePrompt>().at(0).tokens, 10U);
        std::uint32_t counted = 0;
        for (const TokenDelta& delta : run.all<TokenDelta>())
            counted += delta.hints.engine.value_or(0);
        QCOMPARE(counted, 8U);
        QCOMPARE(run.sink().ends().size(), 1U);
        QVERIFY(!contains(run.sink().bytes(), "fake-token")); // what a recording holds
    }

    void theEngineIsAskedForWhatOnlyItKnows() {
        RunSpec spec = LocalRun::localSpec();
        spec.local->speculative = true;
        spec.local->prefixCache = false;
        LocalRun run(spec);
        QVERIFY(run.run());
        const std::string said = run.pool().acquire(*spec.local)->lastLines();
        QVERIFY2(contains(said, "\"speculative\": \"lookup\""), said.c_str());
        QVERIFY(contains(said, "\"cache_prompt\": false"));
    }

    void batchMatesAskBesideAndAreNotHeard() {
        RunSpec spec = LocalRun::localSpec();
        spec.batchMates = 2;
        LocalRun run(spec);
        QVERIFY(run.run());
        QCOMPARE(run.all<EngineStep>().size(), 8U);
        QCOMPARE(run.sink().ends().size(), 1U);
        const auto engine = run.pool().acquire(*spec.local);
        const auto asked = [&] {
            const std::string said = engine->lastLines();
            int count = 0;
            for (std::size_t at = said.find("asked: "); at != std::string::npos; at = said.find("asked: ", at + 1))
                ++count;
            return count;
        };
        QTRY_COMPARE_WITH_TIMEOUT(asked(), 3, 20000);
    }

    void anEngineThatDoesNotStartEndsTheRun() {
        qputenv("DECODESCOPE_FAKE_ENGINE", "refuse");
        LocalRun run;
        QVERIFY(run.untilReady());
        QVERIFY(run.untilEnd());
        QVERIFY(run.end()->kind == ErrorKind::unreachable);
        QVERIFY(contains(run.end()->message, "broken at byte 24"));
        QCOMPARE(run.sink().ends().size(), 1U);
        QCOMPARE(run.sink().ends()[0].second, run.end()->message);
    }

    void aDeathInTheMiddleIsToldInTheEnginesWords() {
        qputenv("DECODESCOPE_FAKE_ENGINE", "dies-streaming");
        LocalRun run;
        QVERIFY(run.run());
        QVERIFY(run.end()->kind == ErrorKind::connectionClosed);
        QVERIFY2(contains(run.end()->message, "out of luck"), run.end()->message.c_str());
        QCOMPARE(run.all<EngineStep>().size(), 3U); // what had come is kept
        // The recording says the same, so that its replay does.
        QCOMPARE(run.sink().ends().size(), 1U);
        QVERIFY(run.sink().ends()[0].first == ErrorKind::connectionClosed);
        QCOMPARE(run.sink().ends()[0].second, run.end()->message);
    }

    void stoppingWhileItLoadsEndsAtOnce() {
        qputenv("DECODESCOPE_FAKE_ENGINE", "hang");
        LocalRun run;
        run.source().prepare();
        QVERIFY(!run.source().ready());
        run.source().cancel(ErrorKind::cancelled);
        QVERIFY(run.source().ready());
        QVERIFY(run.untilEnd());
        QVERIFY(run.end()->kind == ErrorKind::cancelled);
    }

    void stoppingAStreamIsNoDeath() {
        LocalRun run;
        QVERIFY(run.untilReady());
        run.source().release({});
        QVERIFY(run.turn([&] { return !run.all<EngineStep>().empty(); }));
        run.source().cancel(ErrorKind::cancelled);
        QVERIFY(run.untilEnd());
        QVERIFY(run.end()->kind == ErrorKind::cancelled || run.end()->verdict == StreamEnd::Verdict::complete);
        QVERIFY(run.pool().status(*LocalRun::localSpec().local).state == EngineState::ready);
    }
};

QTEST_GUILESS_MAIN(LocalSourceTest)
#include "tst_local_source.moc"
