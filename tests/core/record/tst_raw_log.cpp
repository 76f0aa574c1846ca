#include "core/record/raw_log.h"

#include <QtTest>

using namespace decodescope;

namespace {

struct Counter final : RawSink {
    void onChunk(Instant, std::uint32_t, std::string_view bytes) override { chunkBytes += bytes.size(); }
    void onMilestone(Instant, const Milestone&) override { ++milestones; }
    void onEnd(Instant, ErrorKind kind, std::string_view message) override {
        end = kind;
        sentence = message;
    }
    std::size_t chunkBytes = 0;
    int milestones = 0;
    ErrorKind end = ErrorKind::none;
    std::string sentence;
};

} // namespace

class TestRawLog : public QObject {
    Q_OBJECT

private slots:
    void keepsReadsByNumber();
    void stopsAtItsCapAndStillPassesOn();
};

void TestRawLog::keepsReadsByNumber() {
    RawLog log;
    log.onChunk(instantFromNs(1), 0, "HTTP/1.1 200 OK");
    log.onChunk(instantFromNs(2), 1, "data: x");
    QCOMPARE(log.chunkCount(), 2U);
    QVERIFY(log.whole());
    QCOMPARE(log.chunk(1)->bytes, std::string("data: x"));
    QCOMPARE(toNs(log.chunk(1)->at), 2);
    QVERIFY(!log.chunk(2));
}

void TestRawLog::stopsAtItsCapAndStillPassesOn() {
    auto next = std::make_shared<Counter>();
    RawLog log(next, 10);
    log.onMilestone({}, {});
    log.onChunk({}, 0, "12345678");
    log.onChunk({}, 1, "123"); // over the cap
    log.onChunk({}, 2, "1");   // would fit again, but what is kept has no holes
    log.onEnd({}, ErrorKind::connectionClosed, "gone");
    QCOMPARE(log.chunkCount(), 1U);
    QVERIFY(!log.whole());
    QVERIFY(!log.chunk(1));
    QVERIFY(!log.chunk(2));
    QCOMPARE(next->chunkBytes, 12U);
    QCOMPARE(next->milestones, 1);
    QVERIFY(next->end == ErrorKind::connectionClosed);
    QCOMPARE(next->sentence, std::string("gone"));
}

QTEST_APPLESS_MAIN(TestRawLog)
#include "tst_raw_log.moc"
