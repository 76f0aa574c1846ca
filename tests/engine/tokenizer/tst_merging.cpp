#include "engine/tokenizer/merging.h"

#include <QtTest>
#include <rapidcheck.h>

#include <map>

using namespace decodescope::engine;

/// Merging against the plainest form of its rule.
class MergingTest : public QObject {
    Q_OBJECT

private slots:
    void equalsTheRule();
    void tiesGoLeft();
    void longPiecesAreNotQuadratic();
};

namespace {

/// Pairs of ids to what they become; ranks may be equal for different pairs, as scores of SentencePiece are.
struct Rules {
    std::map<std::pair<TokenId, TokenId>, Merge> merges;
    Merge operator()(const Symbol& left, const Symbol& right) const {
        const auto found = merges.find({left.id, right.id});
        return found == merges.end() ? Merge{} : found->second;
    }
};

std::vector<Symbol> symbolsOf(const std::vector<TokenId>& ids) {
    std::vector<Symbol> symbols;
    for (const TokenId id : ids) {
        const auto at = static_cast<std::uint32_t>(symbols.size());
        symbols.push_back({at, at + 1, id});
    }
    return symbols;
}

void mergePlainly(std::vector<Symbol>& symbols, const Rules& rules) {
    for (;;) {
        std::size_t best = symbols.size();
        std::uint32_t bestRank = Merge::kNoMerge;
        for (std::size_t at = 0; at + 1 < symbols.size(); ++at) {
            const Merge merge = rules(symbols[at], symbols[at + 1]);
            if (merge.rank < bestRank) {
                best = at;
                bestRank = merge.rank;
            }
        }
        if (best == symbols.size()) {
            return;
        }
        symbols[best] = {symbols[best].begin, symbols[best + 1].end, rules(symbols[best], symbols[best + 1]).id};
        symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    }
}

} // namespace

void MergingTest::equalsTheRule() {
    QVERIFY(rc::check("the queue and the short form give what the rule gives", [] {
        Rules rules;
        // Ids 0..3 at first; what pairs become are new ids or old ones, with few different ranks.
        for (int made = *rc::gen::inRange(0, 30); made > 0; --made) {
            const auto pair = *rc::gen::pair(rc::gen::inRange(0, 12), rc::gen::inRange(0, 12));
            rules.merges[pair] = {*rc::gen::inRange<std::uint32_t>(0, 6), *rc::gen::inRange(0, 12)};
        }
        const auto length = *rc::gen::element<std::size_t>(0, 1, 2, 7, 30, 48, 49, 120);
        const auto ids = *rc::gen::container<std::vector<TokenId>>(length, rc::gen::inRange(0, 4));
        std::vector<Symbol> plain = symbolsOf(ids);
        std::vector<Symbol> fast = plain;
        mergePlainly(plain, rules);
        SymbolMerger merger;
        merger.merge(fast, rules);
        RC_ASSERT(fast.size() == plain.size());
        for (std::size_t at = 0; at < fast.size(); ++at) {
            RC_ASSERT(
                (fast[at].id == plain[at].id && fast[at].begin == plain[at].begin && fast[at].end == plain[at].end));
        }
    }));
}

void MergingTest::tiesGoLeft() {
    Rules rules;
    rules.merges[{1, 1}] = {0, 2};
    for (const std::size_t length : {3U, 101U}) {
        std::vector<Symbol> symbols = symbolsOf(std::vector<TokenId>(length, 1));
        SymbolMerger().merge(symbols, rules);
        QCOMPARE(symbols.size(), length / 2 + 1);
        QCOMPARE(symbols.front().id, 2);
        QCOMPARE(symbols.back().id, 1); // the odd one is left at the end
    }
}

void MergingTest::longPiecesAreNotQuadratic() {
    Rules rules;
    for (TokenId id = 0; id < 12; ++id) {
        rules.merges[{id, id}] = {static_cast<std::uint32_t>(id), id + 1};
    }
    std::vector<Symbol> symbols = symbolsOf(std::vector<TokenId>(1 << 17, 0)); // 17 billion steps if it were
    SymbolMerger().merge(symbols, rules);
    QCOMPARE(symbols.size(), std::size_t{1 << 5});
    QCOMPARE(symbols.front().id, 12);
}

QTEST_APPLESS_MAIN(MergingTest)
#include "tst_merging.moc"
