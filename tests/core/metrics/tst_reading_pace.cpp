#include "core/metrics/metrics.h"
#include "tests/support/run_builder.h"

#include <QtTest>

#include <cmath>

using namespace decodescope;
using test::RunBuilder;

namespace {

bool near(double a, double b) {
    return std::abs(a - b) < 1e-6;
}

/// One word every `gapS`, from `fromS` on.
RunRecord words(int n, double fromS, double gapS) {
    RunBuilder run;
    for (int i = 0; i < n; ++i)
        run.event(fromS + gapS * i, 1);
    return run.build();
}

ReadingState stateAt(const RunRecord& run, double wpm, double atS) {
    ReadingPace pace(wpm);
    pace.update(run);
    return pace.at(run, summarize(run), RunBuilder::at(atS));
}

} // namespace

class TestReadingPace : public QObject {
    Q_OBJECT

private slots:
    void fastStreamGivesALead() {
        // 10 words/s arrive, 2 words/s are read.
        const RunRecord run = words(40, 1.0, 0.1);
        const ReadingState s = stateAt(run, 120, 2.05);
        QVERIFY(near(s.wordsArrived, 11) && near(s.wordsRead, 2.1) && near(s.leadWords, 8.9));
        QVERIFY(near(s.starvedS, 0));
        QCOMPARE(run.transcript.substr(s.wordBegin, s.wordEnd - s.wordBegin), std::string("word"));
        QCOMPARE(s.wordBegin, 10U); // the third word
        QCOMPARE(s.readOffset, 10U);
        QVERIFY(s.perceivedTps && near(*s.perceivedTps, 2));
    }

    void slowStreamStarves() {
        // One word a second, read in half a second each: half of the time the reader waits.
        const RunRecord run = words(5, 1.0, 1.0);
        QVERIFY(near(stateAt(run, 120, 3.25).starvedS, 1.0));
        QVERIFY(near(stateAt(run, 120, 3.75).starvedS, 1.25));
        QVERIFY(near(stateAt(run, 120, 3.75).wordsRead, 3));
        // The run is over at 5 s: what is waited after that is no starving.
        QVERIFY(near(stateAt(run, 120, 60).starvedS, 2.0));
        QVERIFY(near(stateAt(run, 120, 60).wordsRead, 5));
        QVERIFY(near(*stateAt(run, 120, 60).perceivedTps, 1));
    }

    void beforeTheAnswerNothingIsRead() {
        const ReadingState s = stateAt(words(5, 1.0, 1.0), 120, 0.5);
        QVERIFY(near(s.wordsArrived, 0) && near(s.wordsRead, 0) && near(s.starvedS, 0));
    }

    void reasoningIsNotRead() {
        RunBuilder run;
        run.event(0.2, 3, "Let me think. ", Channel::reasoning).event(1.0, 1, "Yes").event(1.1, 1, " no");
        const RunRecord record = run.build();
        const ReadingState s = stateAt(record, 120, 1.25);
        QVERIFY(near(s.wordsArrived, 2) && near(s.wordsRead, 0.5));
        QCOMPARE(record.transcript.substr(s.wordBegin, s.wordEnd - s.wordBegin), std::string("Yes"));
    }

    void wordInPiecesIsOneWord() {
        RunBuilder run;
        run.event(1.0, 1, "un").event(1.2, 1, "believ").event(1.4, 1, "able ").event(1.6, 1, "news");
        const RunRecord record = run.build();
        const ReadingState s = stateAt(record, 238, 1.65);
        QVERIFY(near(s.wordsArrived, 2));
        ReadingPace pace;
        pace.update(record);
        QVERIFY(near(*pace.at(record, summarize(record), RunBuilder::at(2)).perceivedTps,
                     std::min(3 / 0.6, 238.0 / 60 * 4 / 2)));
    }

    void grownInPartsEqualsWhole() {
        const RunRecord whole = words(50, 1.0, 0.17);
        ReadingPace parts(200);
        RunRecord part = whole;
        for (std::size_t n = 1; n <= whole.events.size(); n += 7) {
            part.events.assign(whole.events.begin(), whole.events.begin() + static_cast<std::ptrdiff_t>(n));
            parts.update(part);
        }
        parts.update(whole);
        const RunSummary s = summarize(whole);
        for (double at = 0.9; at < 20; at += 0.37) {
            const ReadingState a = parts.at(whole, s, RunBuilder::at(at));
            const ReadingState b = stateAt(whole, 200, at);
            QVERIFY(a.wordsRead == b.wordsRead && a.starvedS == b.starvedS && a.readOffset == b.readOffset);
        }
    }

    void paceIsKeptInRange() {
        ReadingPace pace(20);
        QCOMPARE(pace.wordsPerMinute(), 80.0);
        pace.setWordsPerMinute(5000);
        QCOMPARE(pace.wordsPerMinute(), 1000.0);
    }
};

QTEST_APPLESS_MAIN(TestReadingPace)
#include "tst_reading_pace.moc"
