#include "core/record/hand_on.h"
#include "core/record/recording.h"
#include "core/record/spec_json.h"
#include "tests/core/record/record_support.h"
#include "tests/support/sealed_line.h"

#include <QTemporaryDir>
#include <QtTest>

#include <array>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace decodescope;
using namespace decodescope::test;

namespace {

std::string headerLine() {
    std::string line;
    appendHeaderLine(line, sampleHeader());
    return line;
}

std::string contentsOf(std::string_view bytes) {
    const auto recording = parseRecording(bytes, "test");
    return recording ? contents(*recording) : "unreadable";
}

} // namespace

class TestRecording : public QObject {
    Q_OBJECT

private slots:
    void lanesKeepTheirPlaceInThePalette();
    void theQuestionIsWhatWasWritten();
    void readsBackWhatWasWritten();
    void specSurvivesJson();
    void aRecordedSpecCannotLowerItsGuard();
    void everyTruncationKeepsThePrefix();
    void everyFlippedByteKeepsThePrefix();
    void linesInAnotherShapeAreUnderstood();
    void f48_aNewerSchemaOpensAsFarAsUnderstood();
    void hostileLinesAreLeftOut_data();
    void hostileLinesAreLeftOut();
    void deepNestingIsABadLine();
    void aRunOfAnUnknownLaneBringsItsLane();
    void timeNeverRunsBack();
    void whatIsNoRecordingIsRefused_data();
    void whatIsNoRecordingIsRefused();
    void aFileOverFourGibibytesIsRefused();
    void aFileIsReadLikeMemory();
    void aRunThatOnlyMemoryHasIsKeptWhole();
};

void TestRecording::readsBackWhatWasWritten() {
    const std::string text = sampleRecording();
    const auto recording = parseRecording(text, "name");
    QVERIFY(recording.has_value());
    QCOMPARE(recording->droppedBytes, 0U);
    QCOMPARE(recording->schema, 1);
    QCOMPARE(recording->path, std::string("name"));
    QCOMPARE(recording->lanes.size(), 2U);
    QCOMPARE(recording->runs.size(), 2U);
    const RecordedRun& run = *recording->runs[1];
    QCOMPARE(run.asked.lane, 1);
    QCOMPARE(run.asked.repeat, 2);
    QVERIFY(run.asked.warmup);
    QCOMPARE(run.asked.route, sampleAsked().route);
    QCOMPARE(run.asked.requestBody, sampleAsked().requestBody);
    QCOMPARE(*run.asked.card.contextLength, 4096);
    QVERIFY(!run.asked.card.batch);
    QVERIFY(run.asked.clock == ClockSource::user);
    QCOMPARE(run.chunks.size(), 4U);
    QCOMPARE(run.chunks[3].bytes, std::string("HTTP/1.1 200 OK"));
    QCOMPARE(run.milestones[1].second.openingTook, Duration(77));
    QVERIFY(run.milestones[1].second.warm);
    QVERIFY(run.end->kind == ErrorKind::connectionClosed);
    QCOMPARE(run.end->message, std::string("The peer closed."));
    QVERIFY(run.stamps.has_value());
    QVERIFY((*run.stamps == StampReport{ClockSource::kernel, Duration(750), 3, 1, Duration(4200)}));
    QVERIFY((run.hiccups == std::vector<Hiccup>{{instantFromNs(4000), instantFromNs(5000)},
                                                {instantFromNs(8500), instantFromNs(9500)}}));
    QCOMPARE(toNs(run.begin()), 1000);
    QCOMPARE(toNs(run.lastStamp()), 9000);
    QCOMPARE(recording->header.machineJson, sampleHeader().machineJson);
    QCOMPARE(recording->header.note, sampleHeader().note);
}

void TestRecording::specSurvivesJson() {
    RunSpec spec = sampleAsked().spec;
    spec.local = LocalModelSpec{"/m/a,b.gguf", "cuda:1", 3, 4096, 8, "q8", true, false};
    spec.recorded = RecordedLaneSpec{"race.decodescope", 2};
    spec.batchMates = 3;
    spec.contextDepth = 4096;
    const auto back = runSpecFromJson(runSpecToJson(spec));
    QVERIFY(back.has_value());
    QCOMPARE(runSpecToJson(*back), runSpecToJson(spec));
    QCOMPARE(back->prompt, spec.prompt);
    QCOMPARE(*back->sampling.seed, -5);
    QCOMPARE(*back->sampling.temperature, 0.25);
    QVERIFY(!back->timeouts.idle);
    QCOMPARE(*back->timeouts.total, *spec.timeouts.total);
    QCOMPARE(*back->timeouts.connect, *spec.timeouts.connect);
    QVERIFY(back->endpoint.key.kind == KeyReference::Kind::environment);
    QCOMPARE(back->endpoint.key.name, std::string("MY_VARIABLE"));
    QVERIFY(back->local == spec.local);
    QVERIFY(back->recorded == spec.recorded);
    QCOMPARE(back->batchMates, 3);
    QCOMPARE(back->contextDepth, 4096);
    const auto odd = runSpecFromJson(R"({"local":{"path":7},"recorded":{"lane":1}})");
    QVERIFY(odd && !odd->local && !odd->recorded);
    QVERIFY(!runSpecFromJson("[]"));
    QVERIFY(!runSpecFromJson("{"));
    QVERIFY(runSpecFromJson(R"({"endpoint":7,"sampling":{"max_tokens":"x","seed":1e30},"timeouts":{"idle_s":-1}})"));
}

void TestRecording::aRecordedSpecCannotLowerItsGuard() {
    RunSpec spec = sampleAsked().spec;
    spec.endpoint.allowInvalidTls = true;
    spec.endpoint.allowPlainHttpWithKey = true;
    const std::string json = runSpecToJson(spec);
    QVERIFY(json.find("tls_not_verified") != std::string::npos);
    const auto back = runSpecFromJson(json);
    QVERIFY(!back->endpoint.allowInvalidTls);
    QVERIFY(!back->endpoint.allowPlainHttpWithKey);
}

void TestRecording::everyTruncationKeepsThePrefix() {
    const std::string text = sampleRecording(1);
    for (std::size_t length = 0; length <= text.size(); ++length) {
        const std::string_view cut = std::string_view(text).substr(0, length);
        const std::size_t lastBreak = cut.rfind('\n');
        const std::size_t whole = lastBreak == std::string_view::npos ? 0 : lastBreak + 1;
        const auto recording = parseRecording(cut, "cut");
        QCOMPARE(recording.has_value(), whole > 0);
        if (!recording)
            continue;
        QCOMPARE(recording->droppedBytes, length - whole);
        if (length % 16 == 0) // writing it all out again is slow
            QCOMPARE(contents(*recording), contentsOf(cut.substr(0, whole)));
    }
}

void TestRecording::everyFlippedByteKeepsThePrefix() {
    const std::string text = sampleRecording(1);
    std::size_t lineBegin = 0;
    std::string before;
    for (std::size_t i = 0; i < text.size(); ++i) {
        constexpr std::array kMasks{0x01, 0x20, 0x80, 0xff, 0x06};
        std::string flipped = text;
        flipped[i] = static_cast<char>(flipped[i] ^ kMasks[i % kMasks.size()]);
        const auto recording = parseRecording(flipped, "flipped");
        QCOMPARE(recording.has_value(), lineBegin > 0);
        if (recording) {
            QCOMPARE(recording->droppedBytes, text.size() - lineBegin);
            if (i % 16 == 0) // writing it all out again is slow
                QCOMPARE(contents(*recording), before);
        }
        if (text[i] == '\n') {
            lineBegin = i + 1;
            before = contentsOf(std::string_view(text).substr(0, lineBegin));
        }
    }
}

void TestRecording::linesInAnotherShapeAreUnderstood() {
    std::string text = headerLine();
    appendRunLine(text, 0, sampleAsked());
    text += sealedLine(R"({ "read":0, "b64":"aGk=", "run":0, "type":"bytes", "t":5, "more":[1])");
    const auto recording = parseRecording(text, "shape");
    QCOMPARE(recording->droppedBytes, 0U);
    QCOMPARE(recording->runs[0]->chunks.at(0).bytes, std::string("hi"));
}

void TestRecording::f48_aNewerSchemaOpensAsFarAsUnderstood() {
    std::string text = sealedLine(R"({"type":"header","format":"decodescope-recording","schema":9,"later":{"a":[]})");
    appendRunLine(text, 0, sampleAsked());
    text += sealedLine(R"({"type":"thermometer","celsius":42)");
    appendBytesLine(text, 0, instantFromNs(5), 0, "hi");
    text += sealedLine(R"({"type":"end","run":0,"t":6,"kind":"a_later_kind","message":"?")");
    const auto recording = parseRecording(text, "newer");
    QVERIFY(recording.has_value());
    QCOMPARE(recording->schema, 9);
    QCOMPARE(recording->droppedBytes, 0U);
    QCOMPARE(recording->runs[0]->chunks.size(), 1U);
    QVERIFY(recording->runs[0]->end->kind != ErrorKind::none);
}

void TestRecording::hostileLinesAreLeftOut_data() {
    QTest::addColumn<QString>("body");
    for (const char* body : {R"({"type":"run","run":4000000000,"lane":0)",
                             R"({"type":"run","run":0,"lane":-1)",
                             R"({"type":"run","run":0,"lane":4000000000)",
                             R"({"type":"lane","lane":-7)",
                             R"({"type":"bytes","run":7,"t":5,"read":0,"b64":"aGk=")",
                             R"({"type":"bytes","run":-1,"t":5,"read":0,"b64":"aGk=")",
                             R"({"type":"bytes","run":0,"t":9223372036854775807,"read":0,"b64":"aGk=")",
                             R"({"type":"bytes","run":0,"t":-9,"read":0,"b64":"aGk=")",
                             R"({"type":"bytes","run":0,"t":99999999999999999999,"read":0,"b64":"aGk=")",
                             R"({"type":"bytes","run":0,"t":5,"read":0,"b64":"a!k=")",
                             R"({"type":"bytes","run":0,"t":5.5,"read":0,"b64":"aGk=")",
                             R"({"type":"bytes","run":null,"t":null,"read":null,"b64":null)",
                             R"({"type":"mark","run":0,"t":5,"mark":"lunch")",
                             R"({"type":"mark","run":0)",
                             R"({"type":"hiccup","run":9,"due":1,"woke":9)",
                             R"({"type":"hiccup","run":0,"due":9,"woke":1)",
                             R"({"type":"hiccup","run":0,"due":-5,"woke":9)",
                             R"({"type":"hiccup","run":0,"due":5)",
                             R"({"type":"stamps","run":0,"t":5)",
                             R"({"type":"stamps","run":9,"clock":"kernel")",
                             R"({"type":"end","run":9,"t":5)",
                             R"({"type":"header","format":"decodescope-recording","schema":1)",
                             R"({"type":5)",
                             R"({"type":"bytes")"})
        QTest::newRow(body) << QString(body);
}

void TestRecording::hostileLinesAreLeftOut() {
    QFETCH(QString, body);
    std::string sound = headerLine();
    appendLaneLine(sound, {0, "lane", sampleAsked().spec});
    const std::string before = contentsOf(sound);
    const auto recording = parseRecording(sound + sealedLine(body.toStdString()), "hostile");
    QVERIFY(recording.has_value());
    QCOMPARE(contents(*recording), before);
}

void TestRecording::deepNestingIsABadLine() {
    const std::string deep(100'000, '[');
    const auto recording = parseRecording(headerLine() + sealedLine(R"({"type":"x","deep":)" + deep), "deep");
    QVERIFY(recording.has_value());
    QVERIFY(recording->droppedBytes > deep.size());
}

void TestRecording::aRunOfAnUnknownLaneBringsItsLane() {
    std::string text = headerLine();
    appendRunLine(text, 0, sampleAsked(3));
    const auto recording = parseRecording(text, "lane");
    QCOMPARE(recording->lanes.size(), 1U);
    QCOMPARE(recording->lanes[0].lane, 3);
    QCOMPARE(recording->lanes[0].name, std::string("Lane é"));
}

void TestRecording::timeNeverRunsBack() {
    std::string text = headerLine();
    appendRunLine(text, 0, sampleAsked());
    appendBytesLine(text, 0, instantFromNs(50), 0, "a");
    appendBytesLine(text, 0, instantFromNs(20), 1, "b");
    appendBytesLine(text, 0, instantFromNs(60), 1, "a read that was there before");
    appendEndLine(text, 0, instantFromNs(70), ErrorKind::none, "");
    appendBytesLine(text, 0, instantFromNs(80), 2, "after the end");
    const auto recording = parseRecording(text, "back");
    const RecordedRun& run = *recording->runs[0];
    QCOMPARE(run.chunks.size(), 2U);
    QCOMPARE(toNs(run.chunks[1].at), 50);
}

void TestRecording::whatIsNoRecordingIsRefused_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("text") << QByteArray("hello\nworld\n");
    QTest::newRow("zeros") << QByteArray(5000, '\0');
    QTest::newRow("json") << QByteArray("{\"type\":\"header\"}\n");
    QTest::newRow("other seal") << QByteArray::fromStdString(
        sealedLine(R"({"type":"header","format":"else","schema":1)"));
    QTest::newRow("no schema") << QByteArray::fromStdString(
        sealedLine(R"({"type":"header","format":"decodescope-recording")"));
}

void TestRecording::whatIsNoRecordingIsRefused() {
    QFETCH(QByteArray, bytes);
    const auto recording = parseRecording(bytes.toStdString(), "strange.bin");
    QVERIFY(!recording);
    QVERIFY(recording.error().code == ErrorCode::malformed);
    QVERIFY(recording.error().message.find("strange.bin") != std::string::npos);
}

void TestRecording::aFileOverFourGibibytesIsRefused() {
    QTemporaryDir dir;
    const std::string path = dir.filePath("huge.decodescope").toStdString();
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    QVERIFY(fd >= 0);
    const bool sparse = ::ftruncate(fd, (off_t{4} << 30) + 1) == 0; // takes no room on disk
    ::close(fd);
    if (!sparse)
        QSKIP("this file system holds no file of 4 GiB");
    const auto recording = readRecording(path);
    QVERIFY(!recording);
    QVERIFY(recording.error().code == ErrorCode::io);
    QVERIFY(recording.error().message.find("4 GiB") != std::string::npos);
}

void TestRecording::aFileIsReadLikeMemory() {
    QTemporaryDir dir;
    std::string text = sampleRecording();
    // Lines that lie across the borders of the reader's pieces.
    std::string big = headerLine();
    appendRunLine(big, 0, sampleAsked());
    for (std::uint32_t read = 0; read < 200; ++read)
        appendBytesLine(big, 0, instantFromNs(read), read, std::string(100 + read * 137, static_cast<char>(read)));
    for (const std::string& content : {text, big}) {
        const std::string path = dir.filePath("file").toStdString();
        QFile file(QString::fromStdString(path));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content.data(), static_cast<qint64>(content.size()));
        file.close();
        const auto recording = readRecording(path);
        QVERIFY(recording.has_value());
        QCOMPARE(contents(*recording), contentsOf(content));
        QCOMPARE(recording->droppedBytes, 0U);
    }
    const auto missing = readRecording(dir.filePath("none").toStdString());
    QVERIFY(!missing && missing.error().code == ErrorCode::io);
    const auto folder = readRecording(dir.path().toStdString());
    QVERIFY(!folder && folder.error().code == ErrorCode::io);
}

void TestRecording::aRunThatOnlyMemoryHasIsKeptWhole() {
    RunRecord asked = sampleAsked();
    asked.clock = ClockSource::kernel;
    std::string text = headerLine();
    appendLaneLine(text, {0, "lane", asked.spec});
    appendRunLine(text, 0, asked);
    appendMarkLine(text, 0, instantFromNs(1000), {.kind = Milestone::Kind::started, .moved = Duration(5)});
    appendMarkLine(text, 0, instantFromNs(2000),
                   {.kind = Milestone::Kind::connected,
                    .openingTook = Duration(900),
                    .tlsTook = Duration(400),
                    .tlsVersion = "TLSv1.3",
                    .unverified = true,
                    .proxy = "proxy:3128"});
    appendMarkLine(text, 0, instantFromNs(2100), {Milestone::Kind::sent});
    appendMarkLine(text, 0, instantFromNs(2900), {Milestone::Kind::firstByte});
    const std::string_view wire =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"one \"}}]}\n\n"
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"two\"},\"finish_reason\":\"stop\"}]}\n\ndata: "
        "[DONE]\n\n";
    for (std::uint32_t read = 0; std::size_t{read} * 30 < wire.size(); ++read)
        appendBytesLine(text, 0, instantFromNs(3000 + 100 * read), read, wire.substr(std::size_t{read} * 30, 30));
    appendHiccupLine(text, 0, {instantFromNs(3050), instantFromNs(3120)});
    appendStampsLine(text, 0, instantFromNs(9000), {ClockSource::kernel, Duration(750), 3, 1, Duration(4200)});
    appendEndLine(text, 0, instantFromNs(9000), ErrorKind::none, "");
    const auto recording = parseRecording(text, "test");
    QVERIFY(recording.has_value());
    const auto kept = rebuild(*recording->runs.at(0));
    QCOMPARE(kept->events.size(), 2U);
    QVERIFY(kept->stamps && kept->hiccups.size() == 1);
    RawLog raw;
    for (const ByteChunk& chunk : recording->runs[0]->chunks)
        raw.onChunk(chunk.at, chunk.read, chunk.bytes);
    QVERIFY(raw.whole());

    QTemporaryDir dir;
    const std::string path = dir.filePath("again.decodescope").toStdString();
    const auto journal = Journal::create(path, sampleHeader());
    QVERIFY(journal.has_value());
    (*journal)->addLane({0, "lane", asked.spec});
    handOn(*kept, raw, *(*journal)->openRun(*kept));
    (*journal)->close();
    const auto again = readRecording(path);
    QVERIFY(again.has_value());
    QCOMPARE(contents(*again), contents(*recording));
}

void TestRecording::lanesKeepTheirPlaceInThePalette() {
    std::string text;
    appendHeaderLine(text, sampleHeader());
    appendLaneLine(text, {0, "second", {}, 1});
    appendLaneLine(text, {1, "old", {}});
    appendLaneLine(text, {2, "same again", {}, 1});
    appendLaneLine(text, {3, "far", {}, 7});
    const auto recording = parseRecording(text, "test");
    QVERIFY(recording.has_value());
    QCOMPARE(looksOf(*recording), (std::vector<int>{1, 0, 2, 7}));
    Recording older;
    older.lanes = {{0, "a", {}}, {1, "b", {}}};
    QCOMPARE(looksOf(older), (std::vector<int>{0, 1}));
}

void TestRecording::theQuestionIsWhatWasWritten() {
    Recording recording;
    RecordedRun run;
    run.asked.spec.prompt = "[215af2290450055b]\nWhy?";
    QCOMPARE(questionOf(recording, run), run.asked.spec.prompt);
    recording.lanes = {{0, "a", {}}};
    recording.lanes[0].spec.prompt = "Why?";
    QCOMPARE(questionOf(recording, run), std::string("Why?"));
    recording.lanes[0].spec.prompt = "Edited since";
    QCOMPARE(questionOf(recording, run), run.asked.spec.prompt);
}

QTEST_APPLESS_MAIN(TestRecording)
#include "tst_recording.moc"
