// Runs over loopback against every fault that a server can commit.
#include "tests/core/net/source_probe.h"
#include "tests/core/net/transport_rows.h"
#include "tests/support/openai_script.h"

#include <QtTest>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

using namespace decodescope;
using namespace std::chrono_literals;

using fault::FaultServer;
using fault::Script;

class TestRemoteSource : public QObject {
    Q_OBJECT

    NetworkThread m_network;
    SourceFactory m_factory; // over the transport of the row

    /// A run against one script.
    static Script answering(const Script& script) { return Script{fault::readRequest()} + script; }
    static Script scenarioScript(const std::string& name) {
        return {fault::readRequest(),
                fault::choose([name](const fault::Request& request) { return fault::scenario(name, request); })};
    }

private slots:
    void initTestCase_data() { addTransportRows(); }
    void init() { m_factory = makeRemoteSourceFactory(m_network, transportOfRow()); }

    void measuresAWellBehavedRun_data() {
        QTest::addColumn<bool>("chunked");
        QTest::newRow("chunked") << true;
        QTest::newRow("ended by the connection") << false;
    }
    void measuresAWellBehavedRun() {
        QFETCH(bool, chunked);
        fault::PaceOptions pace;
        pace.tokens = 10;
        pace.interval = 5ms;
        pace.chunked = chunked;
        FaultServer server(fault::pacedRun(pace));
        SourceProbe probe(m_factory, SourceProbe::specFor(server.url()));
        QVERIFY(probe.run());
        QCOMPARE(probe.outcome(), std::string("complete/none"));
        QCOMPARE(probe.text(), std::string("w0 w1 w2 w3 w4 w5 w6 w7 w8 w9 "));
        QVERIFY(probe.source().clockSource() == clockSourceOf(transportOfRow()));

        const auto t0 = probe.at(Milestone::Kind::started);
        const auto tc = probe.at(Milestone::Kind::connected);
        const auto ts = probe.at(Milestone::Kind::sent);
        const auto tb = probe.at(Milestone::Kind::firstByte);
        QVERIFY(t0 && tc && ts && tb);
        QVERIFY(*t0 == *tc); // connected before the release: opening is not part of the run
        QVERIFY(probe.milestone(Milestone::Kind::connected)->second.openingTook > 0ns);
        QVERIFY(!probe.milestone(Milestone::Kind::connected)->second.warm);
        QVERIFY(*tc <= *ts && *ts <= *tb && *tb <= probe.endedAt());
        // Every token's stamp is that of a read: after the server's send of it.
        const auto stamps = server.sendStamps();
        std::size_t token = 0;
        for (const StreamEvent& event : probe.events()) {
            if (const auto* delta = std::get_if<TokenDelta>(&event.what); delta != nullptr && !delta->fragments.empty())
                QVERIFY(event.at >= stamps.at(++token).at);
        }
        QCOMPARE(token, std::size_t(10));
        // The end is the read that brought [DONE], not the moment the connection went.
        QVERIFY(probe.endedAt() == probe.sink().chunks().back().at);
    }

    void saysHowWellItStamped() {
        FaultServer server(fault::pacedRun({.tokens = 30, .interval = 5ms}));
        SourceProbe probe(m_factory, SourceProbe::specFor(server.url()));
        QVERIFY(probe.run());
        const auto& events = probe.events();
        const StampReport* stamps = nullptr;
        for (const StreamEvent& event : events) {
            if (const auto* report = std::get_if<StampReport>(&event.what)) {
                QVERIFY(stamps == nullptr); // once a run
                stamps = report;
            }
        }
        QVERIFY(stamps != nullptr);
        QVERIFY(stamps->largestLag > 0ns); // 150 ms of timers: none of them is on time to the nanosecond
        QVERIFY(stamps->errorBound.has_value());
        if (stamps->source == ClockSource::user) // how late we were is all that is known of such a stamp
            QVERIFY(stamps->errorBound == stamps->largestLag);
        else
            QVERIFY(stamps->source == probe.source().clockSource() && stamps->kernelStamps > 0);
        QVERIFY((probe.sink().stamps() == std::vector{*stamps}));
    }

    void nothingWasStampedWhereNothingWasAsked() {
        SourceProbe probe(m_factory, SourceProbe::specFor("http://127.0.0.1:1"));
        probe.prepare();
        QVERIFY(probe.waitEnd());
        QVERIFY(probe.sink().stamps().empty());
    }

    void sendsTheRequestAsItShould() {
        FaultServer server(fault::pacedRun({.tokens = 1}));
        RunSpec spec = SourceProbe::specFor(server.url() + "/v1");
        spec.key = std::make_shared<Secret>(std::string("sk-CANARY-123456"));
        spec.sampling.maxTokens = 5;
        SourceProbe probe(m_factory, spec);
        QVERIFY(probe.run());
        const auto requests = server.requests();
        QCOMPARE(requests.size(), std::size_t(1));
        const fault::Request& request = requests.front();
        QCOMPARE(request.method, std::string("POST"));
        QCOMPARE(request.target, std::string("/v1/chat/completions"));
        auto headers = request.headers;
        QCOMPARE(headers["host"], "127.0.0.1:" + std::to_string(server.port()));
        QCOMPARE(headers["authorization"], std::string("Bearer sk-CANARY-123456"));
        QCOMPARE(headers["accept-encoding"], std::string("identity"));
        QCOMPARE(headers["content-type"], std::string("application/json"));
        QVERIFY(headers["accept"].find("text/event-stream") != std::string::npos);
        QVERIFY(headers["user-agent"].rfind("Decodescope/", 0) == 0);
        // Nothing that tells of the machine or its user goes along.
        for (const char* unwanted : {"accept-language", "cookie", "referer", "origin"})
            QVERIFY2(headers.count(unwanted) == 0, unwanted);
        QVERIFY(request.body.find(R"("include_usage":true)") != std::string::npos);
        QVERIFY(request.body.find(R"("max_tokens":5)") != std::string::npos);
        QVERIFY(request.body.find("CANARY") == std::string::npos);
    }

    void keepsMilestonesAndBytesForTheJournal() {
        FaultServer server(fault::pacedRun({.tokens = 3}));
        SourceProbe probe(m_factory, SourceProbe::specFor(server.url()));
        QVERIFY(probe.run());
        const std::vector<Milestone::Kind> expected{Milestone::Kind::started, Milestone::Kind::connected,
                                                    Milestone::Kind::sent, Milestone::Kind::firstByte};
        QVERIFY(probe.sink().milestones() == expected);
        QCOMPARE(probe.sink().ends().size(), std::size_t(1));
        QVERIFY(probe.sink().bytes().rfind("HTTP/1.1 200 OK\r\n", 0) == 0);
        QVERIFY(probe.sink().bytes().find("[DONE]") != std::string::npos);
        const auto chunks = probe.sink().chunks();
        for (std::size_t i = 0; i < chunks.size(); ++i)
            QCOMPARE(std::size_t(chunks[i].read), i);
    }

    void survivesFaults_data() {
        QTest::addColumn<QString>("scenario");
        QTest::addColumn<QString>("outcome");
        QTest::addColumn<QString>("words"); // in the message
        QTest::addColumn<QString>("text");
        const QString five = "w0 w1 w2 w3 w4 ";
        QTest::newRow("wrong key") << "wrong-key"
                                   << "error/auth"
                                   << "Incorrect API key"
                                   << "";
        QTest::newRow("HTML under 200") << "html"
                                        << "error/bad_content_type"
                                        << ""
                                        << "";
        QTest::newRow("HTML under 502") << "bad-gateway"
                                        << "error/http_status"
                                        << ""
                                        << "";
        QTest::newRow("429") << "429"
                             << "error/rate_limited"
                             << "Rate limit"
                             << "";
        QTest::newRow("loading") << "loading"
                                 << "error/loading"
                                 << "Loading"
                                 << "";
        QTest::newRow("empty 404") << "empty-404"
                                   << "error/http_status"
                                   << ""
                                   << "";
        QTest::newRow("truncated") << "truncated"
                                   << "incomplete/truncated"
                                   << "" << five;
        QTest::newRow("cut in the framing") << "cut"
                                            << "error/connection_closed"
                                            << "" << five;
        QTest::newRow("reset") << "reset"
                               << "error/connection_closed"
                               << "reset by the other side" << five;
        QTest::newRow("error in the stream") << "error-in-stream"
                                             << "error/in_stream"
                                             << "CUDA out of memory" << five;
        QTest::newRow("redirect") << "redirect"
                                  << "error/redirect"
                                  << ""
                                  << "";
    }
    void survivesFaults() {
        QFETCH(QString, scenario);
        QFETCH(QString, outcome);
        QFETCH(QString, words);
        QFETCH(QString, text);
        FaultServer server(scenarioScript(scenario.toStdString()));
        RunSpec spec = SourceProbe::specFor(server.url() + "/v1?first_ms=1&interval_ms=1");
        SourceProbe probe(m_factory, spec);
        QVERIFY(probe.run());
        QCOMPARE(QString::fromStdString(probe.outcome()), outcome);
        QVERIFY2(QString::fromStdString(probe.message()).contains(words), probe.message().c_str());
        QCOMPARE(QString::fromStdString(probe.text()), text);
        QCOMPARE(probe.ends(), 1);
        if (scenario == "429")
            QCOMPARE(probe.end()->retryAfterMs.value_or(0), std::int64_t(7000));
        if (scenario == "redirect")
            QCOMPARE(probe.end()->redirectTo, std::string("http://localhost:9/v1/chat/completions"));
    }

    void f02_aResetOfABodyWithoutLengthIsNoOrderlyEnd() {
        FaultServer server(answering(
            {fault::send(fault::sseHead(false) + fault::textEvent("half")), fault::pause(50ms), fault::reset()}));
        SourceProbe probe(m_factory, SourceProbe::specFor(server.url()));
        QVERIFY(probe.run());
        QCOMPARE(probe.outcome(), std::string("error/connection_closed"));
        QCOMPARE(probe.text(), std::string("half"));
    }

    void f01_f02_namesWhatCannotBeReached() {
        const std::uint16_t port = fault::closedPort();
        SourceProbe dead(m_factory, SourceProbe::specFor("http://127.0.0.1:" + std::to_string(port)));
        dead.prepare();
        QVERIFY(dead.waitEnd());
        QVERIFY(dead.waitReady()); // a barrier must not wait for it for ever
        QCOMPARE(dead.outcome(), std::string("error/unreachable"));
        QCOMPARE(dead.message(), "Nothing is listening at 127.0.0.1:" + std::to_string(port) +
                                     " (connection refused). Check the port, or start the server.");
        SourceProbe unknown(m_factory, SourceProbe::specFor("http://no-such-host.invalid"));
        unknown.prepare();
        QVERIFY(unknown.waitEnd());
        QCOMPARE(unknown.outcome(), std::string("error/unreachable"));
        SourceProbe nonsense(m_factory, SourceProbe::specFor("nonsense"));
        nonsense.prepare();
        QVERIFY(nonsense.waitEnd());
        QCOMPARE(nonsense.outcome(), std::string("error/unreachable"));
    }

    void f02_aServerThatHangsUpIsNamed() {
        fault::Options options;
        options.closeAfterAccept = true;
        FaultServer rude(Script{fault::close()}, options);
        SourceProbe reset(m_factory, SourceProbe::specFor(rude.url()));
        QVERIFY(reset.run());
        QVERIFY2(reset.outcome() == "error/connection_closed", (reset.outcome() + ": " + reset.message()).c_str());
        FaultServer silent(answering({fault::close()}));
        SourceProbe closed(m_factory, SourceProbe::specFor(silent.url()));
        QVERIFY(closed.run());
        QCOMPARE(closed.outcome(), std::string("error/connection_closed"));
        QVERIFY2(closed.message().find("without an answer") != std::string::npos, closed.message().c_str());
    }

    void f6_oneByteInEachPacketChangesNothing() {
        fault::PaceOptions pace;
        pace.tokens = 4;
        std::string whole;
        for (const fault::Step& step : fault::pacedResponse(pace))
            whole += step.bytes;
        FaultServer atOnce(answering({fault::send(whole)}));
        FaultServer byteByByte(answering(fault::trickle(whole, 20us)));
        SourceProbe a(m_factory, SourceProbe::specFor(atOnce.url()));
        SourceProbe b(m_factory, SourceProbe::specFor(byteByByte.url()));
        QVERIFY(a.run());
        QVERIFY(b.run());
        QCOMPARE(a.outcome(), std::string("complete/none"));
        QCOMPARE(b.outcome(), a.outcome());
        QCOMPARE(b.text(), a.text());
        // After [DONE] nobody waits for the last chunk.
        QVERIFY(a.sink().bytes().rfind(b.sink().bytes(), 0) == 0);
        QVERIFY(b.sink().chunks().size() > 100);
    }

    void f08_endsAtTheTerminatorThoughTheSocketStaysOpen() {
        fault::PaceOptions pace;
        pace.tokens = 3;
        pace.chunked = false;
        FaultServer server(fault::pacedRun(pace) + Script{fault::awaitClose()});
        SourceProbe probe(m_factory, SourceProbe::specFor(server.url()));
        QVERIFY(probe.run());
        QCOMPARE(probe.outcome(), std::string("complete/none"));
        QVERIFY(FaultServer::waitFor([&] { return server.peerCloses() == 1; })); // and closes its side at once
    }

    void aMissingTerminatorCostsAGraceOnly() {
        FaultServer server(
            answering({fault::send(fault::sseHead(false) + fault::textEvent("all") + fault::finishEvent("stop")),
                       fault::awaitClose()}));
        SourceProbe probe(m_factory, SourceProbe::specFor(server.url()));
        QVERIFY(probe.run());
        QCOMPARE(probe.outcome(), std::string("complete/none"));
        QCOMPARE(probe.text(), std::string("all"));
        // The grace is ours, not the run's: te is the last read.
        QVERIFY(probe.endedAt() == probe.sink().chunks().back().at);
    }

    void f22_informationalResponsesAndTrailersAreNoTrouble() {
        FaultServer server(answering({fault::send("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"),
                                      fault::send("HTTP/1.1 100 Continue\r\n\r\n"),
                                      fault::send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                                                  "Transfer-Encoding: chunked\r\n\r\n"),
                                      fault::send(fault::chunk(fault::textEvent("ok"))),
                                      fault::send(fault::chunk(fault::finishEvent("stop") + fault::doneEvent())),
                                      fault::send("0\r\nX-Trailer: yes\r\n\r\n")}));
        SourceProbe probe(m_factory, SourceProbe::specFor(server.url()));
        QVERIFY(probe.run());
        QCOMPARE(probe.outcome(), std::string("complete/none"));
        QCOMPARE(probe.text(), std::string("ok"));
    }

    void f18_f19_badFramingEndsTheRun_data() {
        QTest::addColumn<QByteArray>("answer");
        QTest::newRow("no HTTP") << QByteArray("SSH-2.0-OpenSSH_9.2\r\n");
        QTest::newRow("bad chunk size") << QByteArray("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                                                      "Transfer-Encoding: chunked\r\n\r\nzzzz\r\n");
        QTest::newRow("huge header") << QByteArray("HTTP/1.1 200 OK\r\nX: ") + QByteArray(200'000, 'h');
        QTest::newRow("endless headers") << QByteArray("HTTP/1.1 200 OK\r\n") + QByteArray("A: b\r\n").repeated(20'000);
    }
    void f18_f19_badFramingEndsTheRun() {
        QFETCH(QByteArray, answer);
        FaultServer server(answering({fault::send(answer.toStdString()), fault::awaitClose()}));
        SourceProbe probe(m_factory, SourceProbe::specFor(server.url()));
        QVERIFY(probe.run());
        QVERIFY2(probe.outcome() == "error/malformed" || probe.outcome() == "error/too_large", probe.outcome().c_str());
        QVERIFY(FaultServer::waitFor([&] { return server.peerCloses() == 1; }));
    }

    void aWholeAnswerIsTakenWhenAskedFor() {
        FaultServer server(scenarioScript("not-streamed"));
        RunSpec spec = SourceProbe::specFor(server.url());
        spec.sampling.stream = false;
        SourceProbe probe(m_factory, spec);
        QVERIFY(probe.run());
        QVERIFY2(probe.end()->notStreamed, probe.outcome().c_str());
        QVERIFY(server.requests().front().body.find("stream_options") == std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestRemoteSource)
#include "tst_remote_source.moc"
