#include "core/metrics/metrics.h"
#include "tests/support/run_builder.h"

#include <QtTest>

#include <algorithm>

using namespace decodescope;
using test::RunBuilder;

namespace {

/// A stream whose bytes are counted, as a decoder counts them.
class Stream {
public:
    /// One arrival of `events` events that came with `bytes` bytes, `gapS` after the last.
    Stream& arrival(double gapS, int events, std::uint32_t bytes) {
        m_at += gapS;
        m_end += bytes;
        for (int i = 0; i < events; ++i) {
            i == 0 ? m_run.event(m_at, 1) : m_run.sameRead(m_at, 1);
            m_run.last().streamEnd = m_end;
        }
        return *this;
    }
    Stream& header(const std::string& name, const std::string& value) {
        m_run.record().head->headers.emplace_back(name, value);
        return *this;
    }
    RunBuilder& run() { return m_run; }
    [[nodiscard]] RunSummary summary() { return summarize(m_run.build()); }

private:
    RunBuilder m_run;
    double m_at = 0.3;
    std::uint32_t m_end = 400;
};

/// Names of the signs, in their order.
std::string names(const RunSummary& s) {
    std::string text;
    for (const BufferingSign& sign : s.buffering.signs)
        text += (text.empty() ? "" : " ") + std::string(toString(sign.kind));
    return text;
}

bool flagged(const RunSummary& s, const char* name) {
    return std::find(s.flags.begin(), s.flags.end(), name) != s.flags.end();
}

const BufferingSign& sign(const RunSummary& s, BufferingKind kind) {
    return *std::find_if(s.buffering.signs.begin(), s.buffering.signs.end(),
                         [&](const BufferingSign& each) { return each.kind == kind; });
}

} // namespace

class TestBuffering : public QObject {
    Q_OBJECT

private slots:
    void aSteadyStreamHasNoSign() {
        for (const double gapS : {0.001, 0.005, 0.02, 0.04, 0.041, 0.2}) {
            Stream stream;
            for (int i = 0; i < 200; ++i)
                stream.arrival(gapS, 1, 200);
            QCOMPARE(names(stream.summary()), std::string());
        }
    }

    void mergedEventsAreCountedAndNoGapIsInvented() {
        Stream stream;
        for (int i = 0; i < 100; ++i)
            stream.arrival(0.02, i % 10 == 0 ? 3 : 1, 200);
        const RunSummary s = stream.summary();
        QCOMPARE(names(s), std::string("merged"));
        QVERIFY(flagged(s, "merged"));
        QCOMPARE(s.buffering.mergedArrivals, std::uint64_t{10});
        QCOMPARE(s.buffering.mergedEvents, std::uint64_t{30});
        QCOMPARE(s.buffering.largestMerge, std::uint64_t{3});
        QCOMPARE(s.itl->n, std::uint64_t{99});
        QVERIFY(s.itl->min > 0.019);
    }

    void aBufferThatIsSentOnWhenFull_data() {
        QTest::addColumn<int>("capacity");
        QTest::addColumn<int>("extra");
        for (const int capacity : {4096, 8192, 16384, 32768, 65536}) {
            QTest::addRow("%d", capacity) << capacity << 0;
            QTest::addRow("%d and framing", capacity) << capacity << 8;
        }
    }
    void aBufferThatIsSentOnWhenFull() {
        QFETCH(int, capacity);
        QFETCH(int, extra);
        // The model slows down, so that the buffer fills ever more slowly: its size tells, its period does not.
        Stream stream;
        const int events = capacity / 210;
        for (int i = 0; i < 7; ++i)
            stream.arrival(0.4 + 0.2 * i, events + i % 2, static_cast<std::uint32_t>(capacity + extra));
        stream.arrival(0.3, 5, 900);
        const RunSummary s = stream.summary();
        QCOMPARE(names(s), std::string("proxy_buffer bursts merged"));
        QVERIFY(flagged(s, "proxy_buffer") && flagged(s, "bursts"));
        QVERIFY(s.buffering.flushedBy == FlushedBy::size);
        QCOMPARE(s.buffering.bufferBytes.value(), static_cast<std::uint32_t>(capacity));
        QCOMPARE(s.buffering.burstShare, 1.0);
        const BufferingSign& found = sign(s, BufferingKind::proxyBuffer);
        QVERIFY(found.evidence.find(std::to_string(capacity / 1024) + " KiB") != std::string::npos);
        QVERIFY(found.advice.find("X-Accel-Buffering: no") != std::string::npos);
        QVERIFY(found.advice.find("proxy_buffering off") != std::string::npos);
    }

    void aBufferFlushCutIntoReads() {
        // 16 KiB come as three reads at once, the last of which completes no event of its own.
        Stream stream;
        for (int i = 0; i < 6; ++i)
            stream.arrival(0.5 + 0.1 * i, 30, 6000).arrival(0.0004, 30, 6000).arrival(0.0003, 18, 4384);
        const RunSummary s = stream.summary();
        QVERIFY2(s.buffering.bufferBytes == 16384U, names(s).c_str());
        QCOMPARE(*s.buffering.burstEvents, 78.0);
        QCOMPARE(s.buffering.bursts, std::uint64_t{6});
    }

    void aBufferThatIsSentOnByTheClock() {
        Stream stream;
        for (int i = 0; i < 12; ++i)
            stream.arrival(i == 5 ? 0.204 : 0.2, 10 + i % 4, static_cast<std::uint32_t>(900 + 700 * (i % 4)));
        const RunSummary s = stream.summary();
        QCOMPARE(names(s), std::string("proxy_buffer bursts merged"));
        QVERIFY(s.buffering.flushedBy == FlushedBy::time);
        QVERIFY(std::abs(*s.buffering.burstPeriodS - 0.2) < 0.001);
        QVERIFY(sign(s, BufferingKind::proxyBuffer).evidence.find("200 ms") != std::string::npos);
    }

    void blocksWithoutRegularityAreOnlyBursts() {
        Stream stream;
        for (int i = 0; i < 12; ++i)
            stream.arrival(0.1 + 0.09 * (i * i % 5), 4 + i % 5, static_cast<std::uint32_t>(900 + 400 * (i % 5)));
        const RunSummary s = stream.summary();
        QCOMPARE(names(s), std::string("bursts merged"));
        QVERIFY(s.buffering.flushedBy == FlushedBy::unknown);
    }

    void severalTokensAStepAreNoProxy() {
        // Three events of each step, as speculative decoding sends them: bursts, yet nothing is held back for long.
        Stream stream;
        for (int i = 0; i < 60; ++i)
            stream.arrival(0.03, 3, 600);
        QCOMPARE(names(stream.summary()), std::string("bursts merged"));
    }

    void whatOurOwnHiccupMergedIsNoBurst() {
        Stream stream;
        for (int i = 0; i < 8; ++i) {
            for (int j = 0; j < 3; ++j)
                stream.arrival(0.02, 1, 200);
            stream.arrival(0.4, 20, 4000);
        }
        QVERIFY(flagged(stream.summary(), "bursts"));
        for (int i = 0; i < 8; ++i) {
            const double end = 0.3 + 0.46 * (i + 1);
            stream.run().hiccup(end - 0.38, end - 0.0001);
        }
        QCOMPARE(names(stream.summary()), std::string("merged"));
    }

    void aHiccupThatOnlyFellIntoASilenceHidesNoBurst() {
        Stream stream;
        for (int i = 0; i < 8; ++i)
            stream.arrival(0.5, 20, 4096);
        for (int i = 0; i < 8; ++i)
            stream.run().hiccup(0.5 + 0.5 * i, 0.53 + 0.5 * i);
        const RunSummary s = stream.summary();
        QCOMPARE(s.buffering.bursts, std::uint64_t{8});
        QVERIFY(flagged(s, "bursts"));
    }

    void delayedAcknowledgementsPair_data() {
        QTest::addColumn<double>("first");
        QTest::addColumn<double>("second");
        QTest::addColumn<int>("events");
        QTest::addColumn<bool>("found");
        QTest::newRow("0 and 40 ms") << 0.0403 << 0.0004 << 1 << true;
        QTest::newRow("0 and 44 ms") << 0.044 << 0.003 << 1 << true;
        QTest::newRow("what waited comes as one read") << 0.0405 << 0.0405 << 2 << true;
        QTest::newRow("0 and 60 ms") << 0.06 << 0.0004 << 1 << false;
        QTest::newRow("20 and 40 ms") << 0.04 << 0.02 << 1 << false;
        QTest::newRow("always 40 ms") << 0.04 << 0.04 << 1 << false;
    }
    void delayedAcknowledgementsPair() {
        QFETCH(double, first);
        QFETCH(double, second);
        QFETCH(int, events);
        QFETCH(bool, found);
        Stream stream;
        for (int i = 0; i < 30; ++i)
            stream.arrival(first, events, 200).arrival(second, events, 200);
        const RunSummary s = stream.summary();
        QCOMPARE(flagged(s, "nagle"), found);
        if (found) {
            QVERIFY(sign(s, BufferingKind::nagle).advice.find("TCP_NODELAY") != std::string::npos);
            QVERIFY(s.buffering.pairShare > 0.9);
        }
    }

    void headersHint_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("flag");
        QTest::newRow("gzip") << "content-encoding"
                              << "gzip"
                              << "compressed";
        QTest::newRow("identity") << "content-encoding"
                                  << "identity"
                                  << "";
        QTest::newRow("hit") << "x-cache"
                             << "Hit from cloudfront"
                             << "cache_hit";
        QTest::newRow("miss") << "x-cache"
                              << "MISS"
                              << "";
        QTest::newRow("cloudflare") << "cf-cache-status"
                                    << "HIT"
                                    << "cache_hit";
        QTest::newRow("dynamic") << "cf-cache-status"
                                 << "DYNAMIC"
                                 << "";
        QTest::newRow("age") << "age"
                             << "17"
                             << "cache_hit";
        QTest::newRow("age 0") << "age"
                               << "0"
                               << "";
        QTest::newRow("no age") << "age"
                                << "old"
                                << "";
        QTest::newRow("litellm") << "x-litellm-cache-hit"
                                 << "True"
                                 << "cache_hit";
    }
    void headersHint() {
        QFETCH(QString, name);
        QFETCH(QString, value);
        QFETCH(QString, flag);
        Stream stream;
        for (int i = 0; i < 40; ++i)
            stream.arrival(0.02, 1, 200);
        stream.header(name.toStdString(), value.toStdString());
        QCOMPARE(QString::fromStdString(names(stream.summary())), flag);
    }

    void theServerThatIsNginxIsNamed() {
        Stream stream;
        for (int i = 0; i < 7; ++i)
            stream.arrival(0.4 + 0.2 * i, 78, 16384);
        const RunSummary s = stream.header("server", "nginx/1.27.0").summary();
        QVERIFY(sign(s, BufferingKind::proxyBuffer).advice.find("nginx answered") == 0);
    }

    void allAtOnceIsNotReallyStreamed() {
        Stream stream;
        stream.arrival(3, 100, 20000);
        const RunSummary s = stream.summary();
        QCOMPARE(names(s), std::string("not_really_streamed merged"));
        QCOMPARE(std::count(s.flags.begin(), s.flags.end(), "not_really_streamed"), std::ptrdiff_t{1});
        QVERIFY(sign(s, BufferingKind::notReallyStreamed).evidence.find("100 token events came in 1 read") == 0);
    }

    void aRunThatGoesOnHasNoVerdict() {
        Stream stream;
        for (int i = 0; i < 7; ++i)
            stream.arrival(0.4, 78, 16384);
        stream.run().outcome(Outcome::running);
        QVERIFY(stream.summary().buffering == Buffering());
    }
};

QTEST_APPLESS_MAIN(TestBuffering)
#include "tst_buffering.moc"
