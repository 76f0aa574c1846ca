#include "engine/sampling/sampler.h"

#include <QtTest>
#include <rapidcheck.h>

using namespace decodescope::engine;

namespace {

struct Seen {
    std::string text;
    bool stopped = false;
    bool operator==(const Seen&) const = default;
};

Seen pushAll(const std::vector<std::string>& stops, const std::vector<std::string>& pieces) {
    StopStrings watch(stops);
    Seen seen;
    for (const std::string& piece : pieces) {
        const StopStrings::Outcome outcome = watch.push(piece);
        seen.text += outcome.text;
        if (outcome.stopped) {
            seen.stopped = true;
            return seen;
        }
    }
    seen.text += watch.finish();
    return seen;
}

std::string letters(std::size_t most) {
    const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab")));
    return text.substr(0, most);
}

} // namespace

class StopStringsTest : public QObject {
    Q_OBJECT
private slots:
    void everySplitInTwoAndThree();
    void anySplitOfAnything();
    void nothingShownIsTakenBack();
    void holdsBackNoMoreThanItMust();
    void emptyStopsAreNone();
};

void StopStringsTest::everySplitInTwoAndThree() {
    const std::vector<std::string> stops{"END", "\n\n", "</s>", "NDX"};
    const std::vector<std::pair<std::string, Seen>> cases{
        {"one ENDtwo", {"one ", true}},
        {"one EN D\ntwo\n", {"one EN D\ntwo\n", false}},
        {"one\n\n", {"one", true}},
        {"ENEND", {"EN", true}},
        {"a</s</s>b", {"a</s", true}},
        {"ENDX", {"", true}},
        {"ENX NDX END", {"ENX ", true}},
        {"caf\xC3\xA9 END", {"caf\xC3\xA9 ", true}},
        {"", {"", false}},
        {"EN", {"EN", false}},
    };
    for (const auto& [text, expected] : cases) {
        QVERIFY(pushAll(stops, {text}) == expected);
        for (std::size_t i = 0; i <= text.size(); ++i) {
            QVERIFY(pushAll(stops, {text.substr(0, i), text.substr(i)}) == expected);
            for (std::size_t j = i; j <= text.size(); ++j)
                QVERIFY(pushAll(stops, {text.substr(0, i), text.substr(i, j - i), text.substr(j)}) == expected);
        }
    }
}

void StopStringsTest::anySplitOfAnything() {
    QVERIFY(rc::check("the pieces do not matter", [] {
        const std::string text = letters(40);
        std::vector<std::string> stops;
        for (int n = *rc::gen::inRange(0, 4); n > 0; --n)
            stops.push_back(letters(5));
        std::vector<std::string> bytes;
        for (const char c : text)
            bytes.emplace_back(1, c);
        std::vector<std::string> pieces;
        for (std::size_t at = 0; at < text.size();) {
            const auto n = *rc::gen::inRange<std::size_t>(1, 6);
            pieces.push_back(text.substr(at, n));
            at += n;
        }
        const Seen whole = pushAll(stops, {text});
        RC_ASSERT(whole == pushAll(stops, bytes));
        RC_ASSERT(whole == pushAll(stops, pieces));
        for (const std::string& stop : stops)
            RC_ASSERT((stop.empty() || whole.text.find(stop) == std::string::npos));
        RC_ASSERT(text.starts_with(whole.text));
    }));
}

void StopStringsTest::nothingShownIsTakenBack() {
    StopStrings watch({"abcd"});
    QCOMPARE(watch.push("xxabc").text, std::string("xx"));
    QCOMPARE(watch.push("abc").text, std::string("abc")); // the first "abc" cannot be one any more
    const StopStrings::Outcome last = watch.push("dyy");
    QVERIFY(last.stopped);
    QCOMPARE(last.text, std::string());
    QCOMPARE(watch.finish(), std::string());
}

void StopStringsTest::holdsBackNoMoreThanItMust() {
    StopStrings watch({"aab"});
    QCOMPARE(watch.push("aaa").text, std::string("a"));
    QCOMPARE(watch.push("c").text, std::string("aac"));
    QCOMPARE(watch.push("a").text, std::string());
    QCOMPARE(watch.finish(), std::string("a"));
}

void StopStringsTest::emptyStopsAreNone() {
    StopStrings watch({"", ""});
    const StopStrings::Outcome outcome = watch.push("text");
    QVERIFY(!outcome.stopped);
    QCOMPARE(outcome.text, std::string("text"));
}

QTEST_APPLESS_MAIN(StopStringsTest)
#include "tst_stop_strings.moc"
