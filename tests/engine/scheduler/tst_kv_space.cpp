#include "engine/scheduler/kv_space.h"

#include <QtTest>
#include <rapidcheck.h>

#include <map>
#include <optional>
#include <vector>

using namespace decodescope::engine;

namespace {

using Ids = std::vector<TokenId>;

/// A space whose blocks remember the tokens written into them.
struct World {
    explicit World(std::uint32_t blocks)
        : contents(blocks, Ids(kKvBlockTokens, -1))
        , space(blocks, [this](std::uint32_t from, std::uint32_t to, std::uint32_t tokens) {
            const Ids source = contents[from];
            contents[to].assign(kKvBlockTokens, -1);
            std::copy(source.begin(), source.begin() + tokens, contents[to].begin());
            ++copies;
        }) {}

    std::vector<Ids> contents;
    KvSpace space;
    int copies = 0;
};

/// A sequence that computes its tokens one after another.
struct Runner {
    Ids tokens; // all it will ever have
    std::uint32_t computed = 0;
    KvLease lease;

    static std::optional<Runner> start(World& world, const Ids& tokens, std::size_t promptSize,
                                       CacheUse use = CacheUse::prefixes) {
        auto lease =
            world.space.admit(std::span(tokens).first(promptSize), static_cast<std::uint32_t>(tokens.size()), use);
        if (!lease)
            return std::nullopt;
        Runner runner{tokens, lease->cached, std::move(*lease)};
        return runner;
    }

    void advance(World& world, std::uint32_t rows) {
        rows = std::min(rows, static_cast<std::uint32_t>(tokens.size()) - computed);
        world.space.cover(lease, computed + rows);
        for (; rows > 0; --rows, ++computed)
            world.contents[lease.blocks[computed / kKvBlockTokens]][computed % kKvBlockTokens] = tokens[computed];
        world.space.keep(lease, std::span(tokens).first(computed));
    }

    void stop(World& world) { world.space.release(lease, std::span(tokens).first(computed)); }

    [[nodiscard]] bool intact(const World& world) const {
        for (std::uint32_t i = 0; i < computed; ++i)
            if (world.contents[lease.blocks[i / kKvBlockTokens]][i % kKvBlockTokens] != tokens[i])
                return false;
        return true;
    }
};

Ids text(std::size_t size, TokenId salt = 0) {
    Ids ids(size);
    for (std::size_t i = 0; i < size; ++i)
        ids[i] = static_cast<TokenId>(i * 7 % 50) + salt;
    return ids;
}

} // namespace

class KvSpaceTest : public QObject {
    Q_OBJECT
private slots:
    void sharesWholeBlocksAndCopiesTheLast();
    void lastPromptTokenIsAlwaysComputed();
    void runningSequencesShareToo();
    void sameTokensComputedTwiceTakeOneBlock();
    void catchesUpWithOthers();
    void withoutCacheNothingIsLeft();
    void promisesAreKept();
    void copyThatLeavesNoRoomIsNotMade();
    void anySchedule();
};

void KvSpaceTest::sharesWholeBlocksAndCopiesTheLast() {
    World world(16);
    Runner first = *Runner::start(world, text(100), 90);
    QCOMPARE(first.computed, 0U);
    first.advance(world, 90);
    first.advance(world, 10);
    const auto blocks = first.lease.blocks;
    first.stop(world);
    QCOMPARE(world.space.used(), 0U);
    QCOMPARE(world.space.cached(), 4U);

    Ids again = text(98);
    again.push_back(777); // differs at 98
    again.resize(120, 5);
    Runner second = *Runner::start(world, again, 110);
    QCOMPARE(second.computed, 98U);
    QCOMPARE(world.copies, 1);
    QVERIFY(second.intact(world));
    QVERIFY(std::equal(blocks.begin(), blocks.begin() + 3, second.lease.blocks.begin()));
    QVERIFY(second.lease.blocks[3] != blocks[3]);
    second.advance(world, 22);
    QVERIFY(second.intact(world));
    second.stop(world);
}

void KvSpaceTest::lastPromptTokenIsAlwaysComputed() {
    World world(16);
    Runner first = *Runner::start(world, text(64), 64);
    first.advance(world, 64);
    first.stop(world);
    Runner second = *Runner::start(world, text(64), 64);
    QCOMPARE(second.computed, 63U);
    second.stop(world);
    Runner third = *Runner::start(world, text(33), 33);
    QCOMPARE(third.computed, 32U);
    third.stop(world);
    Runner fourth = *Runner::start(world, text(1), 1);
    QCOMPARE(fourth.computed, 0U);
    fourth.stop(world);
}

void KvSpaceTest::runningSequencesShareToo() {
    World world(16);
    Runner first = *Runner::start(world, text(80), 70);
    first.advance(world, 40); // one block is whole
    Runner second = *Runner::start(world, text(80), 70);
    QCOMPARE(second.computed, 32U);
    QCOMPARE(second.lease.blocks[0], first.lease.blocks[0]);
    second.advance(world, 48);
    first.advance(world, 40);
    QVERIFY(first.intact(world));
    QVERIFY(second.intact(world));
    first.stop(world);
    QVERIFY(second.intact(world));
    second.stop(world);
}

void KvSpaceTest::sameTokensComputedTwiceTakeOneBlock() {
    World world(16);
    Runner first = *Runner::start(world, text(64), 60);
    Runner second = *Runner::start(world, text(64), 60);
    first.advance(world, 32);
    second.advance(world, 32);
    QCOMPARE(first.lease.blocks[0], second.lease.blocks[0]);
    QCOMPARE(world.space.used(), 1U);
    first.stop(world);
    second.advance(world, 32);
    QVERIFY(second.intact(world));
    second.stop(world);
}

void KvSpaceTest::catchesUpWithOthers() {
    World world(12);
    Runner first = *Runner::start(world, text(100), 97);
    Runner second = *Runner::start(world, text(100), 97);
    Runner outsider = *Runner::start(world, text(60), 60, CacheUse::none);
    second.advance(world, 10); // in the middle of a block
    QCOMPARE(world.space.catchUp(second.lease, std::span(second.tokens).first(97)), 0U);
    first.advance(world, 97);
    second.computed = world.space.catchUp(second.lease, std::span(second.tokens).first(97));
    QCOMPARE(second.computed, 96U);
    QVERIFY(second.intact(world));
    QCOMPARE(world.space.used(), 4U);
    QCOMPARE(world.space.catchUp(outsider.lease, std::span(outsider.tokens).first(60)), 0U);
    QCOMPARE(world.space.catchUp(second.lease, std::span(second.tokens).first(97)), 0U);
    first.stop(world);
    second.advance(world, 100);
    outsider.advance(world, 60);
    QVERIFY(second.intact(world));
    second.stop(world);
    outsider.stop(world);
    QCOMPARE(world.space.used(), 0U);
}

void KvSpaceTest::withoutCacheNothingIsLeft() {
    World world(8);
    Runner first = *Runner::start(world, text(64), 60, CacheUse::none);
    first.advance(world, 64);
    first.stop(world);
    QCOMPARE(world.space.cached(), 0U);
    Runner kept = *Runner::start(world, text(64), 60);
    kept.advance(world, 64);
    kept.stop(world);
    QCOMPARE(Runner::start(world, text(64), 60, CacheUse::none)->computed, 0U);
}

void KvSpaceTest::promisesAreKept() {
    World world(4);
    Runner first = *Runner::start(world, text(96), 10); // three blocks, in time
    QCOMPARE(world.space.used(), 0U);
    QVERIFY(!Runner::start(world, text(64, 100), 10));
    Runner second = *Runner::start(world, text(32, 100), 10);
    QVERIFY(!Runner::start(world, text(1, 200), 1));
    second.advance(world, 32);
    first.advance(world, 96);
    QVERIFY(first.intact(world) && second.intact(world));
    second.stop(world);
    Runner third = *Runner::start(world, text(1, 200), 1); // what the second left is given up
    third.advance(world, 1);
    first.stop(world);
    third.stop(world);
}

void KvSpaceTest::copyThatLeavesNoRoomIsNotMade() {
    World world(2);
    Runner first = *Runner::start(world, text(50), 50);
    first.advance(world, 50);
    first.stop(world);
    Ids other = text(40);
    other.resize(64, 3);
    Runner second = *Runner::start(world, other, 45); // its second block can only be the one to copy from
    QCOMPARE(second.computed, 32U);
    QCOMPARE(world.copies, 0);
    second.advance(world, 32);
    QVERIFY(second.intact(world));
    second.stop(world);
}

void KvSpaceTest::anySchedule() {
    QVERIFY(rc::check("contents stay intact, promises are kept, all blocks come back", [] {
        const auto blocks = *rc::gen::inRange(1U, 20U);
        World world(blocks);
        std::vector<Runner> runners;
        for (int action = *rc::gen::inRange(1, 120); action > 0; --action) {
            switch (*rc::gen::inRange(0, 5)) {
            case 0: { // a text out of few, so that beginnings are shared at odd places
                const auto size = *rc::gen::inRange<std::size_t>(1, blocks * kKvBlockTokens + 1);
                Ids tokens = text(size, *rc::gen::elementOf(Ids{0, 1000}));
                const auto fork = *rc::gen::inRange<std::size_t>(0, size + 1);
                for (std::size_t i = fork; i < size; ++i)
                    tokens[i] += static_cast<TokenId>(3 * (fork % 3));
                const auto prompt = *rc::gen::inRange<std::size_t>(1, size + 1);
                const auto use = *rc::gen::weightedElement<CacheUse>({{5, CacheUse::prefixes}, {1, CacheUse::none}});
                std::optional<Runner> runner = Runner::start(world, tokens, prompt, use);
                RC_ASSERT((runner || !runners.empty()));
                if (runner) {
                    RC_ASSERT(runner->computed < prompt);
                    runners.push_back(std::move(*runner));
                }
                break;
            }
            case 1:
                if (!runners.empty()) {
                    const auto i = *rc::gen::inRange<std::size_t>(0, runners.size());
                    runners[i].stop(world);
                    runners.erase(runners.begin() + static_cast<std::ptrdiff_t>(i));
                }
                break;
            case 2:
                if (!runners.empty()) {
                    Runner& runner = runners[*rc::gen::inRange<std::size_t>(0, runners.size())];
                    runner.computed = std::max(runner.computed, world.space.catchUp(runner.lease, runner.tokens));
                }
                break;
            default:
                if (!runners.empty())
                    runners[*rc::gen::inRange<std::size_t>(0, runners.size())].advance(world,
                                                                                       *rc::gen::inRange(1U, 70U));
            }
            for (const Runner& runner : runners)
                RC_ASSERT(runner.intact(world));
            RC_ASSERT(world.space.used() + world.space.cached() <= blocks);
        }
        for (Runner& runner : runners) {
            runner.advance(world, UINT32_MAX); // everything that was promised
            RC_ASSERT(runner.intact(world));
        }
        for (Runner& runner : runners)
            runner.stop(world);
        RC_ASSERT(world.space.used() == 0U);
        std::optional<Runner> whole = Runner::start(world, text(blocks * kKvBlockTokens, 5000), 1);
        RC_ASSERT(whole.has_value());
        whole->advance(world, UINT32_MAX);
        RC_ASSERT(world.space.used() == blocks);
        whole->stop(world);
    }));
}

QTEST_APPLESS_MAIN(KvSpaceTest)
#include "tst_kv_space.moc"
