#include "engine/scheduler/prefix_cache.h"

#include <QtTest>

#include <numeric>

using namespace decodescope::engine;

namespace {

/// `count` tokens from `first` on.
std::vector<TokenId> range(TokenId first, std::size_t count) {
    std::vector<TokenId> tokens(count);
    std::iota(tokens.begin(), tokens.end(), first);
    return tokens;
}

std::vector<TokenId> operator+(std::vector<TokenId> a, const std::vector<TokenId>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

struct Fixture {
    KvBlockPool pool{8};
    PrefixCache cache{pool};

    /// Inserts a block that nobody but the cache holds afterwards.
    PrefixCache::NodeId add(PrefixCache::NodeId parent, const std::vector<TokenId>& tokens) {
        const std::uint32_t block = *pool.take();
        const auto node = cache.insert(parent, tokens, block);
        pool.release(block);
        return node;
    }
};

} // namespace

class PrefixCacheTest : public QObject {
    Q_OBJECT
private slots:
    void findsWholeBlocksThenAPart();
    void takesTheLongestOfSeveral();
    void sameTokensAreKeptOnce();
    void longerBlockReplacesItsBeginning();
    void givesUpOldLeavesFirst();
    void pinnedPathsStay();
};

void PrefixCacheTest::findsWholeBlocksThenAPart() {
    Fixture f;
    const auto first = f.add(PrefixCache::kRoot, range(0, 32));
    const auto second = f.add(first, range(32, 32));
    const auto tail = f.add(second, range(64, 10));
    auto match = f.cache.find(range(0, 100));
    QVERIFY((match.whole == std::vector{first, second}));
    QCOMPARE(match.partial, tail);
    QCOMPARE(match.partialTokens, 10U);
    match = f.cache.find(range(0, 70));
    QCOMPARE(match.partialTokens, 6U);
    match = f.cache.find(range(0, 60)); // a part of a whole block
    QVERIFY((match.whole == std::vector{first}));
    QCOMPARE(match.partial, second);
    QCOMPARE(match.partialTokens, 28U);
    match = f.cache.find(range(5, 60));
    QVERIFY(match.whole.empty());
    QCOMPARE(match.partialTokens, 0U);
    QVERIFY(f.cache.find({}).whole.empty());
}

void PrefixCacheTest::takesTheLongestOfSeveral() {
    Fixture f;
    f.add(PrefixCache::kRoot, range(0, 4) + range(90, 28));
    const auto longer = f.add(PrefixCache::kRoot, range(0, 9) + range(70, 23));
    f.add(PrefixCache::kRoot, range(0, 2) + range(80, 30));
    const auto match = f.cache.find(range(0, 40));
    QCOMPARE(match.partial, longer);
    QCOMPARE(match.partialTokens, 9U);
}

void PrefixCacheTest::sameTokensAreKeptOnce() {
    Fixture f;
    const auto node = f.add(PrefixCache::kRoot, range(0, 32));
    QCOMPARE(f.add(PrefixCache::kRoot, range(0, 32)), node);
    QCOMPARE(f.add(PrefixCache::kRoot, range(0, 7)), node); // a beginning of what is there
    QCOMPARE(f.cache.size(), 1U);
    QCOMPARE(f.pool.free(), 7U);
}

void PrefixCacheTest::longerBlockReplacesItsBeginning() {
    Fixture f;
    f.add(PrefixCache::kRoot, range(0, 7));
    f.add(PrefixCache::kRoot, range(0, 5) + range(50, 5)); // goes another way
    QCOMPARE(f.cache.size(), 2U);
    f.add(PrefixCache::kRoot, range(0, 20));
    QCOMPARE(f.cache.size(), 2U);
    f.add(PrefixCache::kRoot, range(0, 32));
    QCOMPARE(f.cache.size(), 2U);
    QCOMPARE(f.cache.evictable(), 2U);
    QCOMPARE(f.pool.free(), 6U);
}

void PrefixCacheTest::givesUpOldLeavesFirst() {
    Fixture f;
    const auto a = f.add(PrefixCache::kRoot, range(0, 32));
    const auto a2 = f.add(a, range(32, 32));
    f.add(PrefixCache::kRoot, range(200, 32));
    for (const auto node : {a, a2}) { // used again, so b is the oldest
        f.cache.pin(node);
        f.cache.unpin(node);
    }
    QVERIFY(f.cache.evictOne());
    QVERIFY(f.cache.find(range(200, 40)).whole.empty());
    QVERIFY((f.cache.find(range(0, 80)).whole == std::vector{a, a2}));
    QVERIFY(f.cache.evictOne());
    QVERIFY((f.cache.find(range(0, 80)).whole == std::vector{a})); // the leaf before its parent
    QVERIFY(f.cache.evictOne());
    QVERIFY(!f.cache.evictOne());
    QCOMPARE(f.pool.free(), 8U);
}

void PrefixCacheTest::pinnedPathsStay() {
    Fixture f;
    const auto a = f.add(PrefixCache::kRoot, range(0, 32));
    f.add(a, range(32, 3));
    f.cache.pin(a);
    QCOMPARE(f.cache.evictable(), 1U);
    QVERIFY(f.cache.evictOne());
    QVERIFY(!f.cache.evictOne());
    QVERIFY(f.cache.pinned(a));
    QCOMPARE(f.cache.find(range(0, 40)).partialTokens, 0U);
    f.cache.unpin(a);
    QVERIFY(f.cache.evictOne());
}

QTEST_APPLESS_MAIN(PrefixCacheTest)
#include "tst_prefix_cache.moc"
