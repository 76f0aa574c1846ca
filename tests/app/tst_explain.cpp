#include "app/explain.h"
#include "tests/app/wire_case.h"
#include "tests/support/test_paths.h"

#include <QtTest>

#include <algorithm>

using namespace decodescope;
using namespace decodescope::test;

class TestExplain : public QObject {
    Q_OBJECT

private slots:
    void filed_data();
    void filed();
    void aBurstIsToldWhereTheReadsShowIt();
    void theFileIsRead();
    void aMissingFileIsAnIoError();
    void anUnknownProtocolListsTheKnown();
};

void TestExplain::filed_data() {
    QTest::addColumn<int>("index");
    int index = 0;
    for (const WireCase& c : filedCases())
        QTest::newRow(c.id.c_str()) << index++;
    QVERIFY(index > 30);
}

void TestExplain::filed() {
    QFETCH(int, index);
    const WireCase c = filedCases()[static_cast<std::size_t>(index)];
    for (const Cut& cut : cutsOf(c)) {
        const std::string found = difference(c, explained(c, cut));
        QVERIFY2(found.empty(), (cut.name + ": " + found).c_str());
    }
}

void TestExplain::aBurstIsToldWhereTheReadsShowIt() {
    const auto cases = filedCases();
    const auto c =
        std::find_if(cases.begin(), cases.end(), [](const WireCase& w) { return w.id == "57-all-in-one-read"; });
    QVERIFY(c != cases.end());
    QVERIFY(explained(*c, {"whole", 0, {}})["warnings"].dump().find("burst") != std::string::npos);
    QVERIFY(explained(*c, {"byte by byte", 1, {}})["warnings"].dump().find("burst") == std::string::npos);
}

void TestExplain::theFileIsRead() {
    ExplainOptions options;
    options.protocol = "openai-chat";
    options.file = test::testData("wirecases/01-openai-plain.http");
    options.splits = {400, 20, 20, 1'000'000};
    const Result<std::string> text = explainFile(options);
    QVERIFY(text.has_value());
    const auto found = nlohmann::json::parse(*text);
    QCOMPARE(found["text"].get<std::string>(), std::string("Ash trees lean."));
    QCOMPARE(found["reads"].get<int>(), 3);
    QCOMPARE(found["schema"].get<int>(), 1);
}

void TestExplain::aMissingFileIsAnIoError() {
    ExplainOptions options;
    options.protocol = "openai-chat";
    options.file = "/nonexistent/response.http";
    const Result<std::string> text = explainFile(options);
    QVERIFY(!text.has_value());
    QCOMPARE(text.error().code, ErrorCode::io);
    options.file = "/"; // a folder
    QVERIFY(!explainFile(options).has_value());
}

void TestExplain::anUnknownProtocolListsTheKnown() {
    ExplainOptions options;
    options.protocol = "carrier-pigeon";
    const Result<std::string> text = explainBytes("data: {}\n\n", options);
    QVERIFY(!text.has_value());
    QCOMPARE(text.error().code, ErrorCode::usage);
    QVERIFY(text.error().message.find("openai-chat, openai-completions") != std::string::npos);
    options.file = "/nonexistent/response.http"; // the wrong use is told first
    QCOMPARE(explainFile(options).error().code, ErrorCode::usage);
}

QTEST_APPLESS_MAIN(TestExplain)
#include "tst_explain.moc"
