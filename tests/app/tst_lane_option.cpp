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

    void commasAndBackslashesCanBeEscaped() {
        const Result<LaneOption> lane = parseLaneOption(R"(name=a\,b\\c,model=x=y\z,endpoint=http://h/?a=b)", "A");
        QVERIFY(lane);
        QCOMPARE(lane->name, std::string(R"(a,b\c)"));
        QCOMPARE(lane->endpoint.model, std::string(R"(x=y\z)"));
        QCOMPARE(lane->endpoint.url, std::string("http://h/?a=b"));
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
