#include "tests/app/wire_rules.h"

#include <QtTest>

using namespace decodescope::test;

/// Each rule of the wire by a case of our own, in every cut.
class TestExplainRules : public QObject {
    Q_OBJECT

private slots:
    void rule_data();
    void rule();
};

static std::vector<WireCase> allRules() {
    std::vector<WireCase> all;
    for (const auto& group :
         {framingRules(), deltaRules(), countRules(), httpRules(), captureRules(), geminiRules(), ollamaRules(),
          formRules(), responsesRules(), anthropicRules(), nativeRules(), vendorRules()})
        all.insert(all.end(), group.begin(), group.end());
    return all;
}

void TestExplainRules::rule_data() {
    QTest::addColumn<int>("index");
    int index = 0;
    for (const WireCase& c : allRules())
        QTest::newRow(c.id.c_str()) << index++;
}

void TestExplainRules::rule() {
    QFETCH(int, index);
    static const std::vector<WireCase> all = allRules();
    const WireCase& c = all[static_cast<std::size_t>(index)];
    for (const Cut& cut : cutsOf(c)) {
        const std::string found = difference(c, explained(c, cut));
        QVERIFY2(found.empty(), (cut.name + ": " + found).c_str());
    }
}

QTEST_APPLESS_MAIN(TestExplainRules)
#include "tst_explain_rules.moc"
