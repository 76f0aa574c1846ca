#include "engine/scheduler/prompt_lookup.h"

#include <QtTest>

#include <vector>

using namespace decodescope::engine;

namespace {

std::vector<TokenId> drafted(PromptLookup& lookup, const std::vector<TokenId>& tokens, std::uint32_t most = 100) {
    const auto draft = lookup.draft(tokens, most);
    return {draft.begin(), draft.end()};
}

using Ids = std::vector<TokenId>;

} // namespace

class PromptLookupTest : public QObject {
    Q_OBJECT
private slots:
    void proposesWhatFollowedTheSameTriple();
    void latestOccurrenceWins();
    void fallsBackToPairsNotToSingles();
    void repeatsALoopBeyondTheText();
    void growsWithSuccess();
    void restsAfterFailures();
    void shortTextsHaveNone();
};

void PromptLookupTest::proposesWhatFollowedTheSameTriple() {
    PromptLookup lookup(8);
    QVERIFY(drafted(lookup, {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3}) == (Ids{4, 5, 6, 7}));
    PromptLookup few(8);
    QVERIFY(drafted(few, {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3}, 2) == (Ids{4, 5}));
}

void PromptLookupTest::latestOccurrenceWins() {
    PromptLookup lookup(2);
    QVERIFY(drafted(lookup, {1, 2, 3, 4, 4, 1, 2, 3, 5, 5, 1, 2, 3}) == (Ids{5, 5}));
    // A triple beats a later pair.
    PromptLookup other(2);
    QVERIFY(drafted(other, {1, 2, 3, 4, 4, 9, 2, 3, 5, 5, 1, 2, 3}) == (Ids{4, 4}));
}

void PromptLookupTest::fallsBackToPairsNotToSingles() {
    PromptLookup lookup(3);
    QVERIFY(drafted(lookup, {2, 3, 7, 8, 1, 2, 3}) == (Ids{7, 8, 1}));
    PromptLookup single(3);
    QVERIFY(drafted(single, {3, 7, 8, 1, 2, 3}).empty());
}

void PromptLookupTest::repeatsALoopBeyondTheText() {
    PromptLookup lookup(8);
    QVERIFY(drafted(lookup, {9, 1, 2, 1, 2, 1, 2}) == (Ids{1, 2, 1, 2}));
    PromptLookup one(8);
    QVERIFY(drafted(one, {5, 5, 5}) == (Ids{5, 5, 5, 5}));
}

void PromptLookupTest::growsWithSuccess() {
    const std::vector<TokenId> loop(40, 6);
    PromptLookup lookup(12);
    QCOMPARE(drafted(lookup, loop).size(), std::size_t{4});
    lookup.learn(4, 4);
    QCOMPARE(drafted(lookup, loop).size(), std::size_t{8});
    lookup.learn(8, 8);
    QCOMPARE(drafted(lookup, loop).size(), std::size_t{12});
    lookup.learn(12, 2);
    QCOMPARE(drafted(lookup, loop).size(), std::size_t{3});
    lookup.learn(0, 0); // there was no room in the step: nothing is learnt
    QCOMPARE(drafted(lookup, loop).size(), std::size_t{3});
}

void PromptLookupTest::restsAfterFailures() {
    const std::vector<TokenId> loop(40, 6);
    PromptLookup lookup(8);
    int drafts = 0;
    for (int i = 0; i < 1000; ++i) {
        const auto draft = lookup.draft(loop, 8);
        drafts += !draft.empty();
        lookup.learn(static_cast<std::uint32_t>(draft.size()), 0);
    }
    QVERIFY2(drafts >= 4 && drafts < 20, qPrintable(QString::number(drafts)));
    while (lookup.draft(loop, 8).empty()) {
    }
    lookup.learn(1, 1);
    QCOMPARE(lookup.draft(loop, 8).size(), std::size_t{2}); // awake again
}

void PromptLookupTest::shortTextsHaveNone() {
    PromptLookup lookup(8);
    QVERIFY(drafted(lookup, {1}).empty());
    QVERIFY(drafted(lookup, {1, 1}).empty());
    QVERIFY(drafted(lookup, {1, 1, 2, 3}).empty());
}

QTEST_APPLESS_MAIN(PromptLookupTest)
#include "tst_prompt_lookup.moc"
