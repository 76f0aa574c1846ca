// One exchange against a transport that does as the test says.
#include "core/net/exchange.h"
#include "tests/core/net/source_probe.h"

#include <QtTest>

#include <functional>
#include <memory>
#include <string>
#include <vector>

using namespace decodescope;
using namespace std::chrono_literals;

namespace {

/// Hands the listener out and remembers whether it was closed.
class ToldTransport final : public Transport {
public:
    /// What the test says of the connection.
    struct Told {
        TransportListener* listener = nullptr;
        ConnectionFacts facts;
        bool idle = true;
        int opened = 0;
        int sent = 0;
    };
    explicit ToldTransport(Told& told)
        : m_told(told) {}
    void open(const TransportTarget&, TransportListener& listener) override {
        m_told.listener = &listener;
        ++m_told.opened;
    }
    void send(std::string_view) override { ++m_told.sent; }
    [[nodiscard]] bool idle() const override { return m_told.idle; }
    [[nodiscard]] ConnectionFacts facts() const override { return m_told.facts; }
    void close() override {}
    void beginAnew() override { m_opening = false; }
    [[nodiscard]] ClockSource clockSource() const override { return ClockSource::kernel; }
    /// An hour late while it opened, and a second since.
    [[nodiscard]] StampReport stampReport() const override {
        return {ClockSource::kernel, Duration(10), 7, 0, m_opening ? Duration(1h) : Duration(1s)};
    }

private:
    Told& m_told;
    bool m_opening = true;
};

} // namespace

class TestExchange : public QObject {
    Q_OBJECT

    ToldTransport::Told m_told;
    Duration m_slept{};
    std::shared_ptr<EventMailbox> m_mailbox;
    LagProbe m_lag;
    std::unique_ptr<Exchange> m_exchange;

    static Instant now() { return std::chrono::steady_clock::now(); }

    void prepare(Duration sleptBefore = {}) {
        m_slept = sleptBefore;
        m_mailbox = std::make_shared<EventMailbox>();
        ExchangePlan plan;
        plan.place = "there:1";
        plan.requestBytes = "POST";
        plan.timeouts.connect = 20ms;
        plan.sleep = SleepWatch([this] { return m_slept; });
        m_exchange = std::make_unique<Exchange>(
            std::move(plan), [this] { return std::make_unique<ToldTransport>(m_told); }, m_lag,
            std::make_shared<Outlet>(SourceOutput{m_mailbox, nullptr}));
        m_exchange->prepare();
    }
    /// An exchange whose request has just been sent.
    void begin(Duration sleptBefore = {}) {
        prepare(sleptBefore);
        m_told.listener->onConnected(now());
        m_exchange->release(now());
        m_exchange->tellRelease();
        m_told.listener->onSent(now());
    }
    void receive(const std::string& bytes) { m_told.listener->onBytes(now(), bytes); }
    /// The first of its kind that was told.
    template <class T> std::optional<T> told(const std::function<bool(const T&)>& wanted = {}) {
        std::vector<StreamEvent> events;
        m_mailbox->drain(events);
        for (const StreamEvent& event : events) {
            if (const auto* found = std::get_if<T>(&event.what); found != nullptr && (!wanted || wanted(*found)))
                return *found;
        }
        return std::nullopt;
    }
    std::optional<Milestone> connected() {
        return told<Milestone>([](const Milestone& m) { return m.kind == Milestone::Kind::connected; });
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
    void cleanup() {
        m_exchange.reset();
        m_told = {};
    }

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
        const auto report = told<StampReport>();
        QVERIFY(report && report->largestLag >= 1s && report->largestLag < 1h);
    }
    void whatWeDidBeforeTheOpeningIsNoPartOfIt() {
        prepare();
        m_told.facts.begun = now() + 1h; // trust was read and a proxy chosen until then
        m_told.listener->onConnected(m_told.facts.begun + 7ms);
        m_exchange->release(m_told.facts.begun + 8ms);
        m_exchange->tellRelease();
        const auto milestone = connected();
        QVERIFY(milestone && milestone->openingTook == 7ms);
    }
    void whatWasWaitedForInVainIsNamed_data() {
        QTest::addColumn<QString>("lookingUp");
        QTest::addColumn<QString>("proxy");
        QTest::addColumn<QString>("says");
        QTest::newRow("the name") << "api.test"
                                  << ""
                                  << "\"api.test\" could not be looked up within 0.02 s";
        QTest::newRow("the proxy's name") << "p.test"
                                          << "p.test:1"
                                          << "\"p.test\" could not be looked up";
        QTest::newRow("the proxy") << ""
                                   << "p:1"
                                   << "there:1 (through the proxy p:1)";
        QTest::newRow("the host") << ""
                                  << ""
                                  << "No connection to there:1 came about within 0.02 s";
    }
    void whatWasWaitedForInVainIsNamed() {
        QFETCH(QString, lookingUp);
        QFETCH(QString, proxy);
        QFETCH(QString, says);
        prepare();
        m_told.facts.lookingUp = lookingUp.toStdString();
        m_told.facts.proxy = proxy.toStdString();
        StreamEnd last = end();
        const auto ended = [&] {
            if (last.message == "no end")
                last = end();
            return last.message != "no end";
        };
        QTRY_VERIFY(ended());
        QVERIFY(last.kind == ErrorKind::timeoutConnect);
        QVERIFY2(last.message.find(says.toStdString()) != std::string::npos, last.message.c_str());
    }
    void aWarmConnectionThatEndedIsNotWrittenTo() {
        prepare();
        m_told.facts.warm = true;
        m_told.listener->onConnected(now());
        m_told.idle = false;
        m_exchange->release(now());
        m_exchange->tellRelease();
        QCOMPARE(m_told.sent, 0);
        QCOMPARE(m_told.opened, 2);
        m_told.facts.warm = false;
        m_told.listener->onConnected(now());
        QCOMPARE(m_told.sent, 1);
        const auto milestone = connected();
        QVERIFY(milestone && !milestone->warm && milestone->openingTook > 0ns);
    }
    void aRequestThatAWarmConnectionTookGoesOutOnce() {
        prepare();
        m_told.facts.warm = true;
        m_told.listener->onConnected(now());
        m_exchange->release(now());
        m_exchange->tellRelease();
        m_told.listener->onSent(now());
        m_told.listener->onClosed(now());
        QCOMPARE(m_told.sent, 1);
        QCOMPARE(m_told.opened, 1);
        const StreamEnd last = end();
        QVERIFY(last.kind == ErrorKind::connectionClosed);
        QVERIFY2(last.message.find("not sent again") != std::string::npos, last.message.c_str());
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
