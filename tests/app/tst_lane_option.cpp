#include "app/lane_option.h"

#include <QtTest>

using namespace decodescope;

class LaneOptionTest : public QObject {
    Q_OBJECT

private slots:
    void allPartsAreRead() {
        const Result<LaneOption> lane = parseLaneOption(
            "name=fast one,endpoint=http://h:1/v1,model=M,protocol=openai-completions,key-env=VAR", "A");
        QVERIFY(lane);
        QCOMPARE(lane->name, std::string("fast one"));
        QCOMPARE(lane->endpoint.url, std::string("http://h:1/v1"));
        QCOMPARE(lane->endpoint.model, std::string("M"));
        QCOMPARE(lane->endpoint.protocol, std::string("openai-completions"));
        QVERIFY(lane->endpoint.key.kind == KeyReference::Kind::environment);
        QCOMPARE(lane->endpoint.key.name, std::string("VAR"));
    }

    void defaultsAreNameAndProtocol() {
        const Result<LaneOption> lane = parseLaneOption("endpoint=http://h:1", "B");
        QVERIFY(lane);
        QCOMPARE(lane->name, std::string("B"));
        QCOMPARE(lane->endpoint.protocol, std::string("openai-chat"));
        QVERIFY(lane->endpoint.key.kind == KeyReference::Kind::none);
    }

    void trustAndReuseAreALanesOwn() {
        std::string digits = "ab", pin = "AB";
        for (int i = 1; i < 32; ++i) {
            digits += "ab";
            pin += ":AB";
        }
        const auto lane = parseLaneOption("endpoint=https://h,connection=reuse,pin=" + digits, "A");
        QVERIFY(lane);
        QVERIFY(lane->endpoint.connection == ConnectionUse::reuse);
        QCOMPARE(lane->endpoint.pinnedCertificate, pin);
        QVERIFY(!parseLaneOption("endpoint=https://h,pin=AB:CD", "A"));
        QVERIFY(!parseLaneOption("endpoint=https://h,connection=warm", "A"));
        QVERIFY(!lane->endpoint.allowInvalidTls && !lane->verifyTold);
        const auto lax = parseLaneOption("endpoint=https://h,verify=off", "A");
        QVERIFY(lax && lax->endpoint.allowInvalidTls && lax->verifyTold);
        const auto strict = parseLaneOption("endpoint=https://h,verify=on", "A");
        QVERIFY(strict && !strict->endpoint.allowInvalidTls && strict->verifyTold);
        QVERIFY(!parseLaneOption("endpoint=https://h,verify=maybe", "A"));
    }

    void commasAndBackslashesCanBeEscaped() {
        const Result<LaneOption> lane = parseLaneOption(R"(name=a\,b\\c,model=x=y\z,endpoint=http://h/?a=b)", "A");
        QVERIFY(lane);
        QCOMPARE(lane->name, std::string(R"(a,b\c)"));
        QCOMPARE(lane->endpoint.model, std::string(R"(x=y\z)"));
        QCOMPARE(lane->endpoint.url, std::string("http://h/?a=b"));
    }

    void aPresetFillsWhatIsNotTold() {
        const auto with = [](const std::string& wanted, const std::string& value) -> Environment {
            return [=](const char* name) { return name == wanted ? value : std::string(); };
        };
        const auto lane = parseLaneOption("preset=openai,model=M", "A", with("OPENAI_API_KEY", "DSCANARY"));
        QVERIFY(lane);
        QCOMPARE(lane->endpoint.preset, std::string("openai"));
        QCOMPARE(lane->endpoint.url, std::string("https://api.openai.com/v1"));
        QVERIFY(lane->endpoint.key.kind == KeyReference::Kind::environment);
        QCOMPARE(lane->endpoint.key.name, std::string("OPENAI_API_KEY"));
        const auto own = parseLaneOption("preset=llama.cpp,option=no-cache,protocol=llamacpp-completion,"
                                         "endpoint=http://h:1,key-env=MINE,connection=reuse,think-tags=on,pin=" +
                                             std::string(64, 'a'),
                                         "A", with("LLAMA_API_KEY", "DSCANARY"));
        QVERIFY(own);
        QCOMPARE(own->endpoint.url, std::string("http://h:1"));
        QCOMPARE(own->endpoint.protocol, std::string("llamacpp-completion"));
        QCOMPARE(own->endpoint.key.name, std::string("MINE"));
        QVERIFY(own->endpoint.connection == ConnectionUse::reuse && own->endpoint.thinkTags);
        QVERIFY(own->endpoint.pinnedCertificate.starts_with("AA:AA"));
        // Another origin than the one that the key is for.
        // What the user's environment says of the address holds for every preset, and its key goes there alone.
        const Environment gate = [](const char* name) {
            const std::string_view variable = name;
            return std::string(variable == "ANTHROPIC_BASE_URL"  ? "https://gate.example"
                               : variable == "ANTHROPIC_API_KEY" ? "DSCANARY"
                                                                 : "");
        };
        const auto gated = parseLaneOption("preset=anthropic,model=M", "A", gate);
        QVERIFY(gated);
        QCOMPARE(gated->endpoint.url, std::string("https://gate.example"));
        QCOMPARE(gated->endpoint.key.name, std::string("ANTHROPIC_API_KEY"));
        const auto vendor = parseLaneOption("preset=anthropic,endpoint=https://api.anthropic.com", "A", gate);
        QVERIFY(vendor);
        QCOMPARE(vendor->endpoint.url, std::string("https://api.anthropic.com"));
        QVERIFY(vendor->endpoint.key.kind == KeyReference::Kind::none);
        const auto broken = parseLaneOption("preset=ollama,model=M", "A", with("OLLAMA_HOST", "ftp://x"));
        QVERIFY(!broken && broken.error().message.find("OLLAMA_HOST") != std::string::npos);
        const auto foreign = parseLaneOption("preset=openai,endpoint=https://h", "A", with("OPENAI_API_KEY", "k"));
        QVERIFY(foreign && foreign->endpoint.key.kind == KeyReference::Kind::none);
        const auto azure = parseLaneOption("preset=azure,model=d", "A", with("AZURE_OPENAI_ENDPOINT", "https://r.x"));
        QVERIFY(azure);
        QCOMPARE(azure->endpoint.url, std::string("https://r.x"));
    }

    void batchMatesHaveRoomInTheEngine() {
        const auto lane = parseLaneOption("local=/m/x.gguf,mates=9", "A");
        QVERIFY(lane);
        QCOMPARE(lane->batchMates, 9);
        QCOMPARE(lane->local->parallel, 10); // they would wait for one another else
        const auto few = parseLaneOption("local=/m/x.gguf,mates=1", "A");
        QVERIFY(few);
        QCOMPARE(few->local->parallel, LocalModelSpec{}.parallel);
        const auto tight = parseLaneOption("local=/m/x.gguf,parallel=4,mates=4", "A");
        QVERIFY(!tight);
        QVERIFY(tight.error().message.find("parallel=5") != std::string::npos);
        QVERIFY(parseLaneOption("local=/m/x.gguf,mates=15", "A"));
        QVERIFY(!parseLaneOption("local=/m/x.gguf,mates=16", "A"));
    }

    void aModelOfThisMachineIsALane() {
        const Result<LaneOption> lane =
            parseLaneOption("name=B,threads=2,local=/m/x.gguf,ctx=4096,parallel=8,kv=q8,"
                            "speculative=lookup,prefix-cache=off,device=cpu,mates=3,depth=512",
                            "A");
        QVERIFY(lane);
        QVERIFY(lane->local && !lane->recorded);
        LocalModelSpec expected;
        expected.path = "/m/x.gguf";
        expected.threads = 2;
        expected.contextLength = 4096;
        expected.parallel = 8;
        expected.kvType = "q8";
        expected.speculative = true;
        expected.prefixCache = false;
        expected.device = "cpu";
        QVERIFY(*lane->local == expected);
        QCOMPARE(lane->batchMates, 3);
        QCOMPARE(lane->contextDepth, 512);
    }

    void aLaneOfARecordingIsALane() {
        const Result<LaneOption> lane = parseLaneOption("recording=race.decodescope,lane=2", "C");
        QVERIFY(lane && lane->recorded && !lane->local);
        QCOMPARE(lane->name, std::string("C"));
        QVERIFY((*lane->recorded == RecordedLaneSpec{"race.decodescope", 2}));
    }

    void refusalsNeverRepeatValues_data() {
        QTest::addColumn<QString>("text");
        QTest::newRow("key given") << "endpoint=http://h,key=DSCANARY-1";
        QTest::newRow("unknown name") << "endpoint=http://h,DSCANARY-1=x";
        QTest::newRow("no pair") << "DSCANARY-1";
        QTest::newRow("empty value") << "endpoint=http://h,key-env=";
        QTest::newRow("no endpoint") << "model=DSCANARY-1";
        QTest::newRow("stray comma") << "endpoint=http://h,,model=M";
        QTest::newRow("empty") << "";
        QTest::newRow("two answerers") << "endpoint=http://h,local=DSCANARY";
        QTest::newRow("threads of a server") << "endpoint=http://h,threads=2";
        QTest::newRow("a key for a file") << "local=x.gguf,key-env=DSCANARY";
        QTest::newRow("no such preset") << "preset=DSCANARY";
        QTest::newRow("no such option") << "preset=ollama,option=DSCANARY";
        QTest::newRow("option without preset") << "endpoint=http://h,option=DSCANARY";
        QTest::newRow("neither on nor off") << "endpoint=http://h,think-tags=DSCANARY";
        QTest::newRow("preset of a file") << "local=x.gguf,preset=DSCANARY";
        QTest::newRow("no number") << "local=x.gguf,threads=DSCANARY";
        QTest::newRow("too many threads") << "local=x.gguf,threads=99999";
        QTest::newRow("no kind of cache") << "local=x.gguf,kv=DSCANARY";
        QTest::newRow("negative lane") << "recording=x,lane=-1";
    }
    void refusalsNeverRepeatValues() {
        QFETCH(QString, text);
        const Result<LaneOption> lane = parseLaneOption(text.toStdString(), "A");
        QVERIFY(!lane);
        QVERIFY(lane.error().code == ErrorCode::usage);
        QVERIFY(!QString::fromStdString(lane.error().message).contains("DSCANARY"));
    }

    void lettersGoOnAfterZ() {
        QCOMPARE(letterName(0), std::string("A"));
        QCOMPARE(letterName(25), std::string("Z"));
        QCOMPARE(letterName(26), std::string("AA"));
        QCOMPARE(letterName(27), std::string("AB"));
        QCOMPARE(letterName(26 + 26 * 26), std::string("AAA"));
    }
};

QTEST_GUILESS_MAIN(LaneOptionTest)
#include "tst_lane_option.moc"
