#include "app/probe_command.h"
#include "app/probe_output.h"
#include "core/source/failed_source.h"

#include <QtTest>
#include <nlohmann/json.hpp>

#include <memory>

using namespace decodescope;

class ProbeTest : public QObject {
    Q_OBJECT

    static StreamFinding judge(std::uint64_t events, std::uint64_t arrivals, std::vector<BufferingSign> signs = {},
                               Outcome outcome = Outcome::complete) {
        auto record = std::make_shared<RunRecord>();
        record->outcome = outcome;
        RunSummary summary;
        summary.outcome = outcome;
        summary.tokenEvents = events;
        summary.arrivals = arrivals;
        summary.decode = 0.5;
        summary.e2e = 0.75;
        summary.buffering.signs = std::move(signs);
        return judgeStream(record, summary);
    }
    static CallReport answer(int status, const std::string& type, const std::string& body) {
        CallReport report;
        report.connected = true;
        report.head.emplace();
        report.head->status = status;
        report.head->httpVersion = "1.1";
        report.head->headers = {{"content-type", type}, {"server", "x\x1b[31m"}};
        report.body = body;
        return report;
    }
    static ProtocolFinding asked(ErrorKind kind, std::optional<int> status, const std::string& message = {}) {
        auto record = std::make_shared<RunRecord>();
        record->outcome = Outcome::error;
        record->end = errorEnd(kind, message);
        record->end->httpStatus = status;
        ProtocolFinding finding;
        finding.endpoint.protocol = "openai-chat";
        finding.route = "http://h/v1/chat/completions";
        finding.record = std::move(record);
        return finding;
    }
    static ProbeFindings findings(ProtocolFinding protocol, CallReport report) {
        ProbeFindings all;
        all.place = "http://h/";
        all.model = "m";
        all.lists.push_back({"http://h/v1/models", std::move(report), {}});
        all.protocols.push_back(std::move(protocol));
        return all;
    }

private slots:
    void streamsAreJudgedByTheSignsOfBuffering_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("verdict");
        const auto row = [](BufferingKind kind, Streaming verdict) {
            QTest::newRow(std::string(toString(kind)).c_str()) << int(kind) << int(verdict);
        };
        row(BufferingKind::notReallyStreamed, Streaming::no);
        row(BufferingKind::proxyBuffer, Streaming::inBursts);
        row(BufferingKind::bursts, Streaming::inBursts);
        row(BufferingKind::nagle, Streaming::inBursts);
        // What is told of a stream and holds nothing back.
        row(BufferingKind::compressed, Streaming::yes);
        row(BufferingKind::cacheHit, Streaming::yes);
        row(BufferingKind::merged, Streaming::yes);
    }
    void streamsAreJudgedByTheSignsOfBuffering() {
        QFETCH(int, kind);
        QFETCH(int, verdict);
        const StreamFinding found = judge(
            64, 60, {{BufferingKind(kind), "It did.", "Help it."}, {BufferingKind::merged, "Few did.", "Nothing."}});
        QCOMPARE(int(found.verdict), verdict);
        const bool held = verdict != int(Streaming::yes);
        QCOMPARE(found.evidence == "It did.", held);
        QCOMPARE(found.advice, std::string(held ? "Help it." : ""));
        ProbeFindings all = findings(asked(ErrorKind::none, {}), answer(200, "application/json", "{}"));
        all.stream = found;
        const auto json = nlohmann::json::parse(probeAsJson(all))["streaming"];
        QCOMPARE(json["really_streams"].get<bool>(), verdict != int(Streaming::no));
        QCOMPARE(json["buffering"]["signs"].size(), std::size_t{2});
        QCOMPARE(json["try"].is_null(), !held);
    }

    void whatIsTooLittleToTellIsSaid() {
        QVERIFY(judge(64, 60).verdict == Streaming::yes);
        QVERIFY(judge(64, 60).evidence.find("64 events came in 60 arrivals over 500.0 ms") == 0);
        QVERIFY(judge(3, 3).verdict == Streaming::unclear);
        QVERIFY(judge(1, 1).evidence.find("1 event came in 1 arrival, ") == 0);
        QVERIFY(judge(20, 2).verdict == Streaming::unclear);
        QVERIFY(judge(20, 2).evidence.find("20 events came in 2 arrivals") == 0);
        QVERIFY(judge(0, 0, {}, Outcome::notStreamed).verdict == Streaming::no);
        QVERIFY(judge(0, 0, {}, Outcome::notStreamed).evidence.find("as a whole") != std::string::npos);
    }

    void whatIsWrongIsSaidAndGivesItsStatus_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("words");
        QTest::addColumn<int>("exit");
        const auto row = [](const char* name, ErrorKind kind, int status, const char* words, int exit) {
            QTest::newRow(name) << int(kind) << status << words << exit;
        };
        row("wrong key", ErrorKind::auth, 401, "refuses the key", 4);
        row("no such route", ErrorKind::httpStatus, 404, "no such route (HTTP 404)", 3);
        row("redirect", ErrorKind::redirect, 307, "not followed", 3);
        row("page", ErrorKind::badContentType, 200, "answers with a page", 3);
        row("server fault", ErrorKind::httpStatus, 500, "http_status (HTTP 500)", 3);
    }
    void whatIsWrongIsSaidAndGivesItsStatus() {
        QFETCH(int, kind);
        QFETCH(int, status);
        QFETCH(QString, words);
        const ProbeFindings all = findings(asked(ErrorKind(kind), status), answer(404, "application/json", "{}"));
        const QString text = QString::fromStdString(probeForPeople(all));
        QVERIFY2(text.contains(words), qPrintable(text));
        QVERIFY(!text.contains(QChar(0x1b)));
        QTEST(static_cast<int>(exitStatusOf(all)), "exit");
        const auto json = nlohmann::json::parse(probeAsJson(all));
        QVERIFY(json["reachable"].get<bool>());
        QVERIFY(!json["protocols"][0]["answers"].get<bool>());
        QCOMPARE(json["protocols"][0]["http_status"].get<int>(), status);
        QVERIFY(json["streaming"].is_null());
    }

    void whoGeneratesNothingDoesNotAnswer() {
        for (const Outcome outcome : {Outcome::complete, Outcome::notStreamed, Outcome::truncated}) {
            ProtocolFinding protocol = asked(ErrorKind::none, 200);
            auto record = std::make_shared<RunRecord>();
            record->outcome = outcome;
            record->finish = "stop";
            protocol.record = record;
            const ProbeFindings all = findings(protocol, answer(200, "application/json", "{}"));
            QVERIFY(!all.anyAnswers());
            QVERIFY(exitStatusOf(all) == ExitStatus::noResponse);
            const QString text = QString::fromStdString(probeForPeople(all));
            QVERIFY2(text.contains("answers, but generates nothing"), qPrintable(text));
            QVERIFY2(text.contains("not a single token came"), qPrintable(text));
            // Tokens of hidden reasoning are generated, and shown to nobody.
            record->usage.emplace().completion = 8;
            QCOMPARE(protocol.answers(), outcome != Outcome::truncated);
        }
    }

    void theSilentAreNotAskedForEverything() {
        EndpointSpec endpoint;
        endpoint.url = "http://127.0.0.1:1";
        endpoint.model = "m";
        int lists = 0, questions = 0;
        bool waits = false;
        const SteadyClock clock;
        const ListCall silence = [&](const EndpointSpec&, std::shared_ptr<const Secret>,
                                     const std::function<void(CallReport)>& answer) -> Result<void> {
            ++lists;
            CallReport report;
            report.connected = true;
            report.kind = ErrorKind::timeoutTotal;
            answer(report);
            return {};
        };
        const SourceFactory sources = [&](const RunSpec& spec, SourceOutput output) {
            ++questions;
            waits = waits || spec.timeouts.firstToken > std::chrono::seconds(15);
            return std::make_unique<FailedSource>("silence", clock, std::move(output));
        };
        const ProbeFindings found =
            probe(endpoint, {"openai-chat", "anthropic", "ollama-chat"}, nullptr, silence, sources);
        QCOMPARE(lists, 1);
        QCOMPARE(questions, 1);
        QVERIFY(!waits);
        QVERIFY(found.silent() && !found.anyAnswers() && !found.interrupted);
        QVERIFY(exitStatusOf(found) == ExitStatus::noResponse);
        const QString text = QString::fromStdString(probeForPeople(found));
        QVERIFY2(text.contains("takes connections and says nothing"), qPrintable(text));
        QCOMPARE(text.count("not asked: the first questions brought no answer at all"), 2);
    }

    void aWebPageIsCalledOne() {
        const ProbeFindings all =
            findings(asked(ErrorKind::badContentType, 200), answer(200, "text/html", "<!doctype html>"));
        QVERIFY(probeVerdict(all).find("web page") != std::string::npos);
    }

    void nobodyIsThere() {
        ProbeFindings all;
        CallReport report;
        report.kind = ErrorKind::unreachable;
        report.message = "Nothing is listening.";
        all.lists.push_back({"http://h/v1/models", report, {}});
        QCOMPARE(probeVerdict(all), std::string("Nothing is listening."));
        QVERIFY(exitStatusOf(all) == ExitStatus::noResponse);
        QVERIFY(!nlohmann::json::parse(probeAsJson(all))["reachable"].get<bool>());
    }
};

QTEST_GUILESS_MAIN(ProbeTest)
#include "tst_probe.moc"
