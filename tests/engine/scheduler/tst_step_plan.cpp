#include "engine/scheduler/step_plan.h"

#include <QtTest>
#include <rapidcheck.h>

#include <algorithm>

using namespace decodescope::engine;

class StepPlanTest : public QObject {
    Q_OBJECT
private slots:
    void decodingComesFirst();
    void nothingDecodesWholeStep();
    void promptsShareEvenly();
    void draftsTakeWhatIsLeft();
    void whoSitsOutTakesNothing();
    void limitsHoldForAnything();
};

void StepPlanTest::decodingComesFirst() {
    const std::vector<StepWish> wishes{{1, true, 0}, {500, false, 0}, {1, true, 0}};
    const auto shares = planStep(wishes, {256, 64, 100});
    QCOMPARE(shares[0].rows, 1U);
    QCOMPARE(shares[1].rows, 100U);
    QCOMPARE(shares[2].rows, 1U);
    QCOMPARE(planStep(wishes, {32, 64, 100})[1].rows, 30U);
}

void StepPlanTest::nothingDecodesWholeStep() {
    QCOMPARE(planStep(std::vector<StepWish>{{500, false, 0}}, {256, 64, 100})[0].rows, 256U);
    QCOMPARE(planStep(std::vector<StepWish>{{200, false, 0}}, {256, 64, 100})[0].rows, 200U);
}

void StepPlanTest::promptsShareEvenly() {
    const std::vector<StepWish> wishes{{1000, false, 0}, {10, false, 0}, {1000, false, 0}};
    const auto shares = planStep(wishes, {210, 64, 100});
    QCOMPARE(shares[0].rows, 100U);
    QCOMPARE(shares[1].rows, 10U); // the short one is through at once
    QCOMPARE(shares[2].rows, 100U);
}

void StepPlanTest::draftsTakeWhatIsLeft() {
    const std::vector<StepWish> wishes{{1, true, 8}, {1, true, 2}, {4, false, 0}};
    auto shares = planStep(wishes, {256, 64, 100});
    QCOMPARE(shares[0].drafts, 8U);
    QCOMPARE(shares[1].drafts, 2U);
    shares = planStep(wishes, {256, 8, 100}); // 3 rows sample anyway
    QCOMPARE(shares[0].drafts, 3U);
    QCOMPARE(shares[1].drafts, 2U);
    shares = planStep(wishes, {7, 64, 100});
    QCOMPARE(shares[2].rows, 4U);
    QCOMPARE(shares[0].drafts + shares[1].drafts, 1U);
}

void StepPlanTest::whoSitsOutTakesNothing() {
    const std::vector<StepWish> wishes{{300, false, 0}, {0, false, 0}, {1, true, 8}};
    const auto shares = planStep(wishes, {256, 9, 100});
    QCOMPARE(shares[0].rows, 100U);
    QCOMPARE(shares[1].rows, 0U);
    QCOMPARE(shares[2].drafts, 8U); // no row of logits is kept for it
}

void StepPlanTest::limitsHoldForAnything() {
    QVERIFY(rc::check("nobody starves, nothing overflows", [] {
        const auto count = *rc::gen::inRange<std::size_t>(1, 17);
        std::vector<StepWish> wishes(count);
        std::uint32_t decoding = 0;
        for (StepWish& wish : wishes) {
            wish.decoding = *rc::gen::arbitrary<bool>();
            wish.pending = wish.decoding ? 1 : *rc::gen::inRange(1U, 3000U);
            wish.drafts = wish.decoding ? *rc::gen::inRange(0U, 9U) : 0;
            decoding += wish.decoding;
        }
        const auto least = static_cast<std::uint32_t>(count);
        const StepLimits limits{*rc::gen::inRange(least, 300U), *rc::gen::inRange(least, 70U),
                                *rc::gen::inRange(1U, 200U)};
        const auto shares = planStep(wishes, limits);
        std::uint32_t rows = 0;
        std::uint32_t logitsRows = 0;
        std::uint32_t prompts = 0;
        for (std::size_t i = 0; i < count; ++i) {
            RC_ASSERT(shares[i].rows <= wishes[i].pending);
            RC_ASSERT(shares[i].drafts <= wishes[i].drafts);
            RC_ASSERT((!wishes[i].decoding || shares[i].rows == 1));
            rows += shares[i].rows + shares[i].drafts;
            logitsRows += shares[i].drafts + (shares[i].rows == wishes[i].pending);
            if (!wishes[i].decoding)
                prompts += shares[i].rows;
        }
        RC_ASSERT((rows >= 1 && rows <= limits.rows));
        RC_ASSERT(logitsRows <= limits.logitsRows);
        RC_ASSERT((decoding == 0 || prompts <= limits.promptRows));
        RC_ASSERT((prompts > 0 || decoding == count));
    }));
}

QTEST_APPLESS_MAIN(StepPlanTest)
#include "tst_step_plan.moc"
