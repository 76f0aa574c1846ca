#include "tests/engine/scheduler/rig.h"

#include <QtTest>
#include <rapidcheck.h>

#include <algorithm>
#include <atomic>

using namespace decodescope::engine;

namespace {

/// One request of a schedule, and when things happen to it.
struct Visit {
    GenerationRequest request;
    std::uint64_t arrivesAtStep = 0; // 0: before the first
    std::uint64_t cancelledAtStep = UINT64_MAX;
    std::vector<TokenId> expected;
    Listener listener;
    std::atomic<GenerationId> id{0}; // written by whichever thread submits
};

template <class T> T oneOf(std::vector<T> values) {
    return *rc::gen::elementOf(std::move(values));
}

SchedulerOptions anyOptions() {
    SchedulerOptions options;
    options.maxRows = oneOf<std::uint32_t>({1, 2, 3, 7, 31, 32, 33, 64, 256});
    options.maxLogitsRows = oneOf<std::uint32_t>({1, 2, 5, 16, 64});
    options.parallel = *rc::gen::inRange(1U, 9U);
    options.prefillChunk = oneOf<std::uint32_t>({1, 5, 32, 100});
    options.kvBlocks = *rc::gen::inRange(3U, 24U);
    options.contextLength = *rc::gen::inRange(20U, 300U);
    options.draftTokens = *rc::gen::inRange(0U, 9U);
    return options;
}

/// Prompts out of few beginnings, so that many meet in the cache at odd places.
GenerationRequest anyRequest(std::uint32_t context) {
    const auto size = *rc::gen::inRange<std::size_t>(1, context);
    GenerationRequest request;
    request.prompt = promptOf(size, *rc::gen::inRange(0, 2));
    const auto fork = *rc::gen::inRange<std::size_t>(0, size + 1);
    for (std::size_t i = fork; i < size; ++i)
        request.prompt[i] = 2 + (request.prompt[i] + static_cast<TokenId>(fork % 3)) % 22;
    request.maxTokens = *rc::gen::inRange(0U, 60U);
    request.ignoreEos = *rc::gen::arbitrary<bool>();
    request.speculate = *rc::gen::arbitrary<bool>();
    request.usePrefixCache = *rc::gen::weightedElement<bool>({{4, true}, {1, false}});
    request.sampling.temperature = oneOf<float>({0, 0, 0, 1.0F});
    request.sampling.topK = oneOf<std::int32_t>({0, 5});
    request.sampling.repetitionPenalty = oneOf<float>({1.0F, 1.0F, 1.3F});
    request.sampling.frequencyPenalty = oneOf<float>({0.0F, 0.0F, 0.5F});
    request.sampling.seed = *rc::gen::arbitrary<std::uint64_t>();
    return request;
}

std::string faultOf(const Visit& visit) {
    const auto ids = visit.listener.ids();
    if (!visit.listener.faults().empty())
        return visit.listener.faults();
    if (visit.listener.finish() == FinishReason::cancelled) {
        const bool begins =
            ids.size() <= visit.expected.size() && std::equal(ids.begin(), ids.end(), visit.expected.begin());
        return begins ? "" : "a cancelled request's tokens are not the first of the plain run's";
    }
    if (ids != visit.expected)
        return "other tokens than the plain run's";
    const bool ended = !visit.request.ignoreEos && ids.back() == FakeTokenizer::kEnd;
    if (visit.listener.finish() != (ended ? FinishReason::stop : FinishReason::length))
        return "another end than the plain run's";
    return visit.listener.facts().cached < visit.request.prompt.size() ? "" : "the whole prompt was cached";
}

/// Everything that happens "at a step" happens on the scheduler's thread, between its looking for work and its work.
void play(Rig& rig, std::vector<Visit>& visits) {
    const auto submit = [&](Visit& visit) {
        const auto id = rig.scheduler->submit(visit.request, visit.listener.sink());
        rig.check(id.has_value());
        visit.id = id.value_or(0);
    };
    rig.watch->onStep = [&](std::uint64_t step, std::span<const SequenceSlice>) {
        for (Visit& visit : visits) {
            if (visit.arrivesAtStep == step && step > 0)
                submit(visit);
            if (visit.cancelledAtStep == step)
                rig.scheduler->cancel(visit.id);
        }
    };
    rig.start();
    for (Visit& visit : visits)
        if (visit.arrivesAtStep == 0)
            submit(visit);
    for (Visit& visit : visits)
        if (visit.arrivesAtStep == 0)
            visit.listener.wait();
    (void)rig.settled(); // nothing steps any more, so no hook submits: whoever has not come yet, comes now
    rig.watch->onStep = nullptr;
    for (Visit& visit : visits) {
        if (visit.id == 0)
            submit(visit);
        visit.listener.wait();
    }
}

} // namespace

class SchedulerSchedulesTest : public QObject {
    Q_OBJECT
private slots:
    void anyScheduleGivesThePlainTokens();
};

void SchedulerSchedulesTest::anyScheduleGivesThePlainTokens() {
    QVERIFY(rc::check("batched, chunked, cached and drafted as plain", [] {
        const SchedulerOptions options = anyOptions();
        FakeModel model;
        model.memory = oneOf<int>({0, 1, 2, 3});
        model.endBonus = oneOf<float>({0, 0.7F});
        model.seed = *rc::gen::arbitrary<std::uint64_t>();
        Rig rig(options, model);
        const std::uint32_t context = std::min(options.contextLength, options.kvBlocks * kKvBlockTokens);
        std::vector<Visit> visits(*rc::gen::inRange<std::size_t>(1, 12));
        for (Visit& visit : visits) {
            visit.request = anyRequest(context);
            visit.arrivesAtStep = *rc::gen::weightedOneOf<std::uint64_t>(
                {{1, rc::gen::just(std::uint64_t{0})}, {1, rc::gen::inRange<std::uint64_t>(1, 60)}});
            visit.cancelledAtStep = *rc::gen::weightedOneOf<std::uint64_t>(
                {{4, rc::gen::just(UINT64_MAX)}, {1, rc::gen::inRange<std::uint64_t>(1, 80)}});
            const auto room = context - static_cast<std::uint32_t>(visit.request.prompt.size());
            visit.expected = model.answer(
                visit.request, visit.request.maxTokens == 0 ? room : std::min(room, visit.request.maxTokens));
        }
        visits.front().arrivesAtStep = 0;
        play(rig, visits);
        const SchedulerStats stats = rig.settled();
        rig.scheduler.reset();
        RC_ASSERT(rig.watch->faults() == std::string());
        for (const Visit& visit : visits)
            RC_ASSERT(faultOf(visit) == std::string());
        RC_ASSERT(stats.kvBlocksUsed == 0U);
        RC_ASSERT(stats.requestsTotal == visits.size());
        RC_ASSERT(stats.requestsFailed == 0U);
        RC_ASSERT(rig.watch->mostRows <= options.maxRows);
    }));
}

QTEST_APPLESS_MAIN(SchedulerSchedulesTest)
#include "tst_scheduler_schedules.moc"
