// One exchange against a transport that does as the test says.
#include "core/net/exchange.h"
#include "tests/core/net/source_probe.h"

#include <QtTest>

#include <memory>
#include <string>
#include <vector>

using namespace decodescope;
using namespace std::chrono_literals;

namespace {

/// Hands the listener out and remembers whether it was closed.
class ToldTransport final : public Transport {
public:
    explicit ToldTransport(TransportListener*& listener)
        : m_listener(listener) {}
    void open(const TransportTarget&, TransportListener& listener) override { m_listener = &listener; }
    void send(std::string_view) override {}
    void close() override {}
    void beginAnew() override { m_opening = false; }
    [[nodiscard]] ClockSource clockSource() const override { return ClockSource::kernel; }
    /// An hour late while it opened, and a second since.
    [[nodiscard]] StampReport stampReport() const override {
        return {ClockSource::kernel, Duration(10), 7, 0, m_opening ? Duration(1h) : Duration(1s)};
    }

private:
    TransportListener*& m_listener;
    bool m_opening = true;
};

} // namespace

class TestExchange : public QObject {
    Q_OBJECT

    TransportListener* m_listener = nullptr;
    Duration m_slept{};
    std::shared_ptr<EventMailbox> m_mailbox;
    LagProbe m_lag;
    std::unique_ptr<Exchange> m_exchange;

    static Instant now() { return std::chrono::steady_clock::now(); }

    /// An exchange whose request has just been sent.
    void begin(Duration sleptBefore = {}) {
        m_slept = sleptBefore;
        m_mailbox = std::make_shared<EventMailbox>();
        ExchangePlan plan;
        plan.place = "there:1";
        plan.requestBytes = "POST";
        plan.sleep = SleepWatch([this] { return m_slept; });
        m_exchange = std::make_unique<Exchange>(
            std::move(plan), [this] { return std::make_unique<ToldTransport>(m_listener); }, m_lag,
            std::make_shared<Outlet>(SourceOutput{m_mailbox, nullptr}));
        m_exchange->prepare();
        m_listener->onConnected(now());
        m_exchange->release(now());
        m_exchange->tellRelease();
        m_listener->onSent(now());
    }
    void receive(const std::string& bytes) { m_listener->onBytes(now(), bytes); }
    /// What was said of the stamps, by the end.
    std::optional<StampReport> stamps() {
        std::vector<StreamEvent> events;
        m_mailbox->drain(events);
        for (const StreamEvent& event : events) {
            if (const auto* report = std::get_if<StampReport>(&event.what))
                return *report;
        }
        return std::nullopt;
    }
    StreamEnd end() {
        std::vector<StreamEvent> events;
        m_mailbox->drain(events);
        const auto* last = events.empty() ? nullptr : std::get_if<StreamEnd>(&events.back().what);
        return last == nullptr ? errorEnd(ErrorKind::none, "no end") : *last;
    }
    static std::string head() { return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"; }
    static std::string text() { return "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n"; }

private slots:
    void cleanup() { m_exchange.reset(); }

    void f11_aRunInWhichTheMachineSleptIsNoMeasurement() {
        begin(1h); // slept before: nothing to this run
        receive(head() + text());
        m_slept += 50ms; // two clocks cannot be read at once
        receive(text());
        QCOMPARE(end().message, std::string("no end"));
        m_slept += 90s;
        receive(text() + "data: [DONE]\n\n");
        const StreamEnd last = end();
        QVERIFY(last.kind == ErrorKind::suspended);
        QVERIFY2(last.message.find("slept for 90.") != std::string::npos, last.message.c_str());
    }
    void f11_aRunThatDidNotSleepEndsAsItShould() {
        begin();
        receive(head() + text() + "data: [DONE]\n\n");
        QVERIFY(end().kind == ErrorKind::none);
    }
    void howTheOpeningWasStampedIsNoPartOfTheRun() {
        begin();
        receive(head() + text() + "data: [DONE]\n\n");
        const auto report = stamps();
        QVERIFY(report && report->largestLag >= 1s && report->largestLag < 1h);
    }
    void theEndReachesAllWhoWaitForItUnlessTheDoorIsShut_data() {
        QTest::addColumn<bool>("seen");
        QTest::addColumn<bool>("shut");
        QTest::newRow("after events") << true << false;
        QTest::newRow("unseen") << false << false;
        QTest::newRow("after events, shut") << true << true;
        QTest::newRow("unseen, shut") << false << true;
    }
    void theEndReachesAllWhoWaitForItUnlessTheDoorIsShut() {
        QFETCH(bool, seen);
        QFETCH(bool, shut);
        const auto mailbox = std::make_shared<EventMailbox>();
        const auto sink = std::make_shared<KeepingSink>();
        Outlet outlet({mailbox, sink});
        QVERIFY(!outlet.ready());
        if (shut)
            outlet.shut();
        std::vector<StreamEvent> last{{now(), 0, 0, FinishReported{0, "stop"}},
                                      {now(), 0, 0, errorEnd(ErrorKind::cancelled, "why")}};
        if (seen)
            outlet.end(now(), ErrorKind::cancelled, "why", last);
        else
            outlet.endUnseen(now(), ErrorKind::cancelled, "why");
        QVERIFY(outlet.ready());
        QCOMPARE(last.empty(), seen);
        std::vector<StreamEvent> events;
        mailbox->drain(events);
        if (shut) {
            QVERIFY(events.empty() && sink->ends().empty());
            return;
        }
        QCOMPARE(events.size(), seen ? 2U : 1U);
        QVERIFY(std::get<StreamEnd>(events.back().what).kind == ErrorKind::cancelled);
        QCOMPARE(std::get<StreamEnd>(events.back().what).message, std::string("why"));
        QCOMPARE(sink->ends().size(), 1U);
        QVERIFY(sink->ends().front().first == ErrorKind::cancelled);
    }
    void f11_theSystemTellsHowLongItSlept() {
        QVERIFY(sleptSinceBoot() > -1ms);
        SleepWatch watch;
        watch.begin();
        QVERIFY(watch.slept() == Duration{});
    }
};

QTEST_GUILESS_MAIN(TestExchange)
#include "tst_exchange.moc"
