#include "app/jsonl_writer.h"
#include "core/record/run_recorder.h"
#include "tests/app/sample_runs.h"

#include <QTemporaryFile>
#include <QtTest>
#include <nlohmann/json.hpp>

#include <unistd.h>

using namespace decodescope;
using namespace std::chrono_literals;

class JsonlWriterTest : public QObject {
    Q_OBJECT

    /// What flush() puts on stdout.
    static std::vector<Json> printed(JsonlWriter& writer) {
        QTemporaryFile file;
        if (!file.open())
            qFatal("no temporary file");
        std::fflush(stdout);
        const int saved = dup(STDOUT_FILENO);
        dup2(file.handle(), STDOUT_FILENO);
        const bool written = writer.flush();
        dup2(saved, STDOUT_FILENO);
        close(saved);
        std::vector<Json> lines;
        file.seek(0);
        for (const QByteArray& line : file.readAll().split('\n')) {
            if (!line.isEmpty())
                lines.push_back(Json::parse(line.constData(), nullptr, false));
        }
        return written ? lines : std::vector<Json>{};
    }

private slots:
    void eventsBecomeLines() {
        const auto record = std::make_shared<RunRecord>();
        RunRecorder recorder(record);
        JsonlWriter writer;
        Instant at = instantFromNs(1'000'000'000);
        std::uint32_t message = 0;
        const auto apply = [&](auto what) {
            StreamEvent event;
            event.at = at;
            if (std::is_same_v<decltype(what), TokenDelta>)
                event.message = message++;
            event.what = std::move(what);
            recorder.apply(event);
            writer.add("A\n", *record, event);
        };
        Fragment fragment;
        fragment.text = "hi";
        apply(Milestone{Milestone::Kind::started, false, {}});
        at += 250ms;
        apply(TokenDelta{{fragment}, {}});
        at += 20ms;
        fragment.channel = Channel::tool;
        apply(TokenDelta{{fragment}, {}});
        apply(TokenDelta{}); // a token without text is no token event
        UsageReport usage;
        usage.completion = 2;
        apply(usage);
        apply(FinishReported{0, "stop"});
        apply(StreamEnd{});
        const std::vector<Json> lines = printed(writer);
        std::vector<std::string> names;
        for (const Json& line : lines) {
            names.push_back(line["event"].get<std::string>());
            QCOMPARE(line["lane"].get<std::string>(), std::string("A\n"));
            QCOMPARE(line["repeat"].get<int>(), 1);
        }
        QCOMPARE(names,
                 (std::vector<std::string>{"started", "first_token", "token", "token", "usage", "finish", "end"}));
        QVERIFY(qAbs(lines[1]["t_s"].get<double>() - 0.25) < 1e-9);
        QCOMPARE(lines[2]["text"].get<std::string>(), std::string("hi"));
        QCOMPARE(lines[3]["index"].get<int>(), 1);
        QCOMPARE(lines[2]["channel"].get<std::string>(), std::string("answer"));
        QCOMPARE(lines[3]["channel"].get<std::string>(), std::string("tool"));
        QVERIFY(lines[4]["prompt"].is_null());
        QCOMPARE(lines[6]["outcome"].get<std::string>(), std::string("complete"));
        QVERIFY(printed(writer).empty());
    }

    void aStallIsToldOnceAndWhenItsKindIsKnown() {
        RunRecord record;
        record.started = instantFromNs(0);
        JsonlWriter writer;
        Stall stall;
        stall.startS = 1;
        stall.lengthS = 0.5;
        writer.addStalls("A", record, {stall}, StallsTold::decided);
        QVERIFY(printed(writer).empty());
        stall.kind = StallKind::generation;
        writer.addStalls("A", record, {stall}, StallsTold::decided);
        writer.addStalls("A", record, {stall}, StallsTold::all);
        const std::vector<Json> lines = printed(writer);
        QCOMPARE(lines.size(), 1U);
        QCOMPARE(lines[0]["event"].get<std::string>(), std::string("stall"));
        QCOMPARE(lines[0]["kind"].get<std::string>(), std::string("generation"));
        QVERIFY(qAbs(lines[0]["t_s"].get<double>() - 1.5) < 1e-9);
    }
};

QTEST_GUILESS_MAIN(JsonlWriterTest)
#include "tst_jsonl_writer.moc"
