#include "tests/engine/scheduler/rig.h"

#include <QtTest>

#include <algorithm>
#include <atomic>
#include <future>
#include <set>

using namespace decodescope::engine;

namespace {

std::string decoded(const std::vector<TokenId>& ids) {
    FakeTokenizer tokenizer;
    StreamDetokenizer detokenizer(tokenizer);
    std::string text;
    for (const TokenId id : ids)
        text += detokenizer.push(id);
    return text + detokenizer.finish();
}

/// A model and prompt whose greedy answer ends by itself after at least three tokens.
FakeModel endingModel(GenerationRequest& request, std::uint32_t most) {
    request.ignoreEos = false;
    FakeModel model;
    model.endBonus = 1.0F;
    for (model.seed = 1;; ++model.seed) {
        const auto ids = model.answer(request, most);
        if (ids.back() == FakeTokenizer::kEnd && ids.size() > 3 && ids.size() < most)
            return model;
    }
}

} // namespace

class SchedulerTest : public QObject {
    Q_OBJECT
private slots:
    void init();
    void cleanup();
    void oneRequestGetsItsTokens();
    void endTokenHasAnIdAndNoText();
    void ignoredEndTokensGoOn();
    void longPromptsGoInChunks();
    void chunksBetweenDecodeSteps();
    void prefixesAreCachedAndTold();
    void promptsThatBeginAlikeAreComputedOnce();
    void leaderThatGoesIsReplaced();
    void speculationGivesTheSameTokensInFewerSteps();
    void sampledTokensDoNotDependOnBatchMates();
    void stopStringsEndAndDropTheTail();
    void lettersSplitOverTokensAreWhole();
    void logprobsComeAlong();
    void cancelAtEveryStep();
    void cancelWhileWaiting();
    void cancelOfNobodyDoesNothing();
    void contextIsTheLimit();
    void refusesWhatCannotBe();
    void queueHasALimit();
    void waitsForBlocksInOrder();
    void draftsStayWithinTheirBlocks();
    void backendErrorsEndTheirSequences();
    void rowsOfNoNumbersEndTheirSequence();
    void shutdownEndsEverything();
    void destructionCancels();
    void sinksMayCallBack();
    void traceTellsTheSteps();
    void tracingCanBeOff();
    void statisticsAddUp();
    void whoHasAnAnswerFindsItInTheBooks();
    void idleThreadTakesNoSteps();

private:
    std::unique_ptr<Rig> m_rig;
    void begin(const SchedulerOptions& options = Rig::plainOptions(), const FakeModel& model = {}) {
        m_rig = std::make_unique<Rig>(options, model);
    }
};

void SchedulerTest::init() {
    begin();
}

void SchedulerTest::cleanup() {
    m_rig->scheduler.reset();
    QCOMPARE(m_rig->watch->faults(), std::string());
}

void SchedulerTest::oneRequestGetsItsTokens() {
    m_rig->start();
    GenerationRequest request = greedyRequest(promptOf(50), 40);
    request.receivedNs = 1;
    const Listener listener = m_rig->run(request);
    QCOMPARE(listener.faults(), std::string());
    QVERIFY(listener.ids() == m_rig->model.answer(request, 40));
    QCOMPARE(listener.text(), decoded(listener.ids()));
    QVERIFY(listener.finish() == FinishReason::length);
    QCOMPARE(listener.events().size(), std::size_t{40});
    const PromptFacts facts = listener.facts();
    QCOMPARE(facts.tokens, 50U);
    QCOMPARE(facts.cached, 0U);
    QCOMPARE(facts.chunks, 1U);
    QCOMPARE(facts.queueNs, listener.events().front().step.beginNs - 1);
    QCOMPARE(facts.prefillNs, listener.events().front().sampledAtNs - listener.events().front().step.beginNs);
    QCOMPARE(listener.events().front().step.rows, 50U);
    QCOMPARE(listener.events()[1].step.rows, 1U);
    QVERIFY((listener.progress() == std::vector<std::pair<std::uint32_t, std::uint32_t>>{{0, 50}, {50, 50}}));
}

void SchedulerTest::endTokenHasAnIdAndNoText() {
    GenerationRequest request = greedyRequest(promptOf(9), 100);
    begin(Rig::plainOptions(), endingModel(request, 100));
    m_rig->start();
    const Listener listener = m_rig->run(request);
    QVERIFY(listener.finish() == FinishReason::stop);
    QVERIFY(listener.ids() == m_rig->model.answer(request, 100));
    QCOMPARE(listener.ids().back(), FakeTokenizer::kEnd);
    QVERIFY(listener.text().find('<') == std::string::npos);
    QCOMPARE(listener.text(), decoded(listener.ids()));
}

void SchedulerTest::ignoredEndTokensGoOn() {
    GenerationRequest request = greedyRequest(promptOf(9), 60);
    const FakeModel model = endingModel(request, 60);
    request.ignoreEos = true;
    begin(Rig::plainOptions(), model);
    m_rig->start();
    const Listener listener = m_rig->run(request);
    QCOMPARE(listener.ids().size(), std::size_t{60});
    QVERIFY(listener.ids() == model.answer(request, 60));
    const auto ids = listener.ids();
    QVERIFY(std::find(ids.begin(), ids.end(), FakeTokenizer::kEnd) != ids.end());
    QVERIFY(listener.finish() == FinishReason::length);
}

void SchedulerTest::longPromptsGoInChunks() {
    SchedulerOptions options = Rig::plainOptions();
    options.maxRows = 60;
    begin(options);
    m_rig->start();
    const GenerationRequest request = greedyRequest(promptOf(200), 5);
    const Listener listener = m_rig->run(request);
    QVERIFY(listener.ids() == m_rig->model.answer(request, 5));
    QCOMPARE(listener.facts().chunks, 4U);
    QCOMPARE(listener.faults(), std::string());
    QVERIFY((listener.progress() == std::vector<std::pair<std::uint32_t, std::uint32_t>>{
                                        {0, 200}, {60, 200}, {120, 200}, {180, 200}, {200, 200}}));
}

void SchedulerTest::chunksBetweenDecodeSteps() {
    SchedulerOptions options = Rig::plainOptions();
    options.prefillChunk = 16;
    begin(options);
    Listener first;
    Listener second;
    std::uint32_t decodedMeanwhile = 0;
    m_rig->watch->onStep = [&](std::uint64_t step, std::span<const SequenceSlice> slices) {
        if (step == 1)
            m_rig->check(m_rig->scheduler->submit(greedyRequest(promptOf(100, 1), 3), second.sink()).has_value());
        if (slices.size() == 2 && slices[1].logitsFrom == slices[1].tokens.size()) {
            m_rig->check(slices[0].tokens.size() == std::size_t{1});
            m_rig->check(slices[1].tokens.size() == std::size_t{16});
            ++decodedMeanwhile;
        }
    };
    m_rig->start();
    QVERIFY(m_rig->scheduler->submit(greedyRequest(promptOf(20), 30), first.sink()));
    first.wait();
    second.wait();
    QCOMPARE(decodedMeanwhile, 6U);
    QCOMPARE(second.facts().chunks, 7U);
    QVERIFY(first.ids() == m_rig->model.answer(greedyRequest(promptOf(20), 30), 30));
    QVERIFY(second.ids() == m_rig->model.answer(greedyRequest(promptOf(100, 1), 3), 3));
}

void SchedulerTest::prefixesAreCachedAndTold() {
    FakeModel model;
    model.memory = 0; // a token of a wrong prefix would change everything
    begin(Rig::plainOptions(), model);
    m_rig->start();
    GenerationRequest request = greedyRequest(promptOf(100), 10);
    const Listener first = m_rig->run(request);
    QCOMPARE(first.facts().cached, 0U);
    const Listener second = m_rig->run(request);
    QCOMPARE(second.facts().cached, 99U);
    QCOMPARE(second.events().front().step.rows, 1U);
    QVERIFY(second.ids() == model.answer(request, 10));
    QVERIFY(second.progress().front().first == 99U);

    GenerationRequest turn = request; // the conversation goes on
    for (const TokenId id : first.ids())
        turn.prompt.push_back(id);
    turn.prompt.push_back(5);
    const Listener third = m_rig->run(turn);
    QCOMPARE(third.facts().cached, 109U); // the last generated token was never fed
    QVERIFY(third.ids() == model.answer(turn, 10));

    request.usePrefixCache = false;
    const Listener fourth = m_rig->run(request);
    QCOMPARE(fourth.facts().cached, 0U);
    QVERIFY(fourth.ids() == model.answer(request, 10));
    QCOMPARE(m_rig->settled().cachedTokens, std::uint64_t{99 + 109});
    QVERIFY(m_rig->watch->copies >= 2);
}

void SchedulerTest::promptsThatBeginAlikeAreComputedOnce() {
    SchedulerOptions options = Rig::plainOptions();
    options.maxRows = 50;
    FakeModel model;
    model.memory = 0;
    begin(options, model);
    std::vector<Listener> listeners(4);
    GenerationRequest request = greedyRequest(promptOf(200), 10);
    std::vector<GenerationRequest> requests(4, request);
    requests[3].prompt[150] = 7; // goes its own way within the fifth block
    m_rig->watch->onStep = [&](std::uint64_t step, std::span<const SequenceSlice>) {
        if (step != 0)
            return;
        for (std::size_t i = 1; i < 4; ++i) // together, while the first is under way
            m_rig->check(m_rig->scheduler->submit(requests[i], listeners[i].sink()).has_value());
    };
    m_rig->start();
    QVERIFY(m_rig->scheduler->submit(request, listeners[0].sink()));
    for (std::size_t i = 0; i < 4; ++i) {
        listeners[i].wait();
        QVERIFY(listeners[i].ids() == model.answer(requests[i], 10));
        QCOMPARE(listeners[i].faults(), std::string());
    }
    QCOMPARE(listeners[0].facts().cached, 0U);
    QCOMPARE(listeners[1].facts().cached, 192U);
    QCOMPARE(listeners[2].facts().cached, 192U);
    QCOMPARE(listeners[3].facts().cached, 128U);
    const SchedulerStats stats = m_rig->settled();
    QCOMPARE(stats.promptTokens, std::uint64_t{200 + 8 + 8 + 72});
    QCOMPARE(stats.cachedTokens, std::uint64_t{192 + 192 + 128});
}

void SchedulerTest::leaderThatGoesIsReplaced() {
    SchedulerOptions options = Rig::plainOptions();
    options.maxRows = 40;
    begin(options);
    std::vector<Listener> listeners(3);
    const GenerationRequest request = greedyRequest(promptOf(200), 10);
    m_rig->watch->onStep = [&](std::uint64_t step, std::span<const SequenceSlice>) {
        if (step == 0)
            for (std::size_t i = 1; i < 3; ++i)
                m_rig->check(m_rig->scheduler->submit(request, listeners[i].sink()).has_value());
        if (step == 2)
            m_rig->scheduler->cancel(1);
    };
    m_rig->start();
    QVERIFY(m_rig->scheduler->submit(request, listeners[0].sink()));
    for (Listener& listener : listeners)
        listener.wait();
    QVERIFY(listeners[0].finish() == FinishReason::cancelled);
    for (std::size_t i = 1; i < 3; ++i)
        QVERIFY(listeners[i].ids() == m_rig->model.answer(request, 10));
    QVERIFY(m_rig->settled().promptTokens < 250);
}

void SchedulerTest::speculationGivesTheSameTokensInFewerSteps() {
    m_rig->start();
    GenerationRequest request = greedyRequest(promptOf(40), 200);
    request.usePrefixCache = false;
    const Listener plain = m_rig->run(request);
    request.speculate = true;
    const Listener quick = m_rig->run(request);
    QCOMPARE(quick.faults(), std::string());
    QVERIFY(quick.ids() == plain.ids()); // a greedy model that looks at two tokens runs into a loop
    QCOMPARE(quick.text(), plain.text());
    QVERIFY(quick.events().size() < plain.events().size() / 2);
    std::uint64_t drafted = 0;
    std::uint64_t accepted = 0;
    std::uint64_t tokens = 0;
    for (const GenerationEvent& event : quick.events()) {
        drafted += event.drafted;
        accepted += event.accepted;
        tokens += event.tokens.size();
        QVERIFY(event.tokens.size() == event.accepted + 1 || event.finish);
    }
    QCOMPARE(tokens, std::uint64_t{200});
    const SchedulerStats stats = m_rig->settled();
    QCOMPARE(stats.drafted, drafted);
    QCOMPARE(stats.accepted, accepted);
    QVERIFY(accepted > 100);
    request.sampling.temperature = 1; // not greedy: nothing is drafted
    for (const GenerationEvent& event : m_rig->run(request).events())
        QCOMPARE(event.drafted, 0U);
}

void SchedulerTest::sampledTokensDoNotDependOnBatchMates() {
    GenerationRequest request = greedyRequest(promptOf(30), 40);
    request.sampling.temperature = 1.5F;
    request.sampling.topP = 0.9F;
    request.sampling.repetitionPenalty = 1.2F;
    request.sampling.seed = 77;
    m_rig->start();
    std::vector<Listener> others(6);
    Listener listener;
    for (int i = 0; i < 3; ++i)
        QVERIFY(m_rig->scheduler->submit(greedyRequest(promptOf(20 + static_cast<std::size_t>(i), i), 50),
                                         others[static_cast<std::size_t>(i)].sink()));
    QVERIFY(m_rig->scheduler->submit(request, listener.sink()));
    listener.wait();
    QVERIFY(listener.ids() == m_rig->model.answer(request, 40));
    for (int i = 0; i < 3; ++i)
        others[static_cast<std::size_t>(i)].wait();
    QVERIFY(m_rig->run(request).ids() == listener.ids());
}

void SchedulerTest::stopStringsEndAndDropTheTail() {
    m_rig->start();
    GenerationRequest request = greedyRequest(promptOf(21, 3), 40);
    const Listener whole = m_rig->run(request);
    const std::string text = whole.text();
    for (const bool speculate : {false, true}) {
        request.speculate = speculate;
        for (std::size_t at = 0; at + 4 < text.size(); at += 3) {
            request.stop = {"no such", text.substr(at, 3)};
            const std::size_t first = text.find(request.stop[1]);
            const Listener listener = m_rig->run(request);
            QVERIFY(listener.finish() == FinishReason::stop);
            QCOMPARE(listener.text(), text.substr(0, first));
            QCOMPARE(listener.faults(), std::string());
            // The ids are those up to the one that made the stop string whole.
            const auto ids = listener.ids();
            QVERIFY(std::equal(ids.begin(), ids.end(), whole.ids().begin()) ||
                    decoded(ids).starts_with(text.substr(0, first)));
            QVERIFY(decoded(ids).find(request.stop[1]) != std::string::npos);
            QVERIFY(decoded({ids.begin(), ids.end() - 1}).find(request.stop[1]) == std::string::npos);
        }
    }
}

void SchedulerTest::lettersSplitOverTokensAreWhole() {
    GenerationRequest request = greedyRequest(promptOf(10), 6);
    request.sampling.bias = {{24, 100.0F}}; // the first byte, again and again: never a whole letter
    m_rig->start();
    const Listener listener = m_rig->run(request);
    QVERIFY(listener.ids() == std::vector<TokenId>(6, 24));
    QCOMPARE(listener.text(), decoded(listener.ids()));
    QVERIFY(listener.text().find("\xEF\xBF\xBD") != std::string::npos);
    QCOMPARE(listener.events().front().text, std::string()); // ids, and no text yet
    // What is held back until the end can hold a stop string too.
    request.maxTokens = 1;
    request.stop = {"\xEF\xBF\xBD"};
    const Listener stopped = m_rig->run(request);
    QVERIFY(stopped.finish() == FinishReason::stop);
    QCOMPARE(stopped.text(), std::string());
}

void SchedulerTest::logprobsComeAlong() {
    GenerationRequest request = greedyRequest(promptOf(10), 3);
    request.sampling.logprobs = 4;
    m_rig->start();
    for (const GenerationEvent& event : m_rig->run(request).events()) {
        QCOMPARE(event.tokens[0].candidates.size(), std::size_t{4});
        QCOMPARE(event.tokens[0].candidates[0].id, event.tokens[0].id);
        QVERIFY(event.tokens[0].chosen->logprob < 0);
    }
}

void SchedulerTest::cancelAtEveryStep() {
    SchedulerOptions options = Rig::plainOptions();
    options.maxRows = 20;
    for (std::uint64_t when = 0; when < 16; ++when) {
        begin(options);
        Listener cancelled;
        Listener other;
        std::atomic<GenerationId> id{0};
        m_rig->watch->onStep = [&](std::uint64_t step, std::span<const SequenceSlice>) {
            if (step == when)
                m_rig->scheduler->cancel(id);
        };
        m_rig->start();
        const GenerationRequest request = greedyRequest(promptOf(70), 10);
        const GenerationRequest bystander = greedyRequest(promptOf(30, 2), 12);
        m_rig->check(m_rig->scheduler->submit(bystander, other.sink()).has_value());
        id = *m_rig->scheduler->submit(request, cancelled.sink());
        cancelled.wait();
        other.wait();
        QCOMPARE(cancelled.faults(), std::string());
        const auto expected = m_rig->model.answer(request, 10);
        const auto ids = cancelled.ids();
        QVERIFY(ids.size() <= expected.size() && std::equal(ids.begin(), ids.end(), expected.begin()));
        QVERIFY(other.ids() == m_rig->model.answer(bystander, 12));
        QCOMPARE(m_rig->settled().kvBlocksUsed, 0U);
        // What was computed until then serves the next.
        m_rig->watch->onStep = nullptr;
        QVERIFY(m_rig->run(request).ids() == expected);
        cleanup();
    }
}

void SchedulerTest::cancelWhileWaiting() {
    SchedulerOptions options = Rig::plainOptions();
    options.parallel = 1;
    begin(options);
    Listener first;
    Listener second;
    Listener third;
    GenerationId id = 0;
    m_rig->watch->onStep = [&](std::uint64_t step, std::span<const SequenceSlice>) {
        if (step == 1) {
            id = *m_rig->scheduler->submit(greedyRequest(promptOf(5), 5), second.sink());
            m_rig->check(m_rig->scheduler->submit(greedyRequest(promptOf(6), 5), third.sink()).has_value());
        }
        if (step == 3)
            m_rig->scheduler->cancel(id);
    };
    m_rig->start();
    QVERIFY(m_rig->scheduler->submit(greedyRequest(promptOf(5), 10), first.sink()));
    first.wait();
    second.wait();
    third.wait();
    QVERIFY(second.finish() == FinishReason::cancelled);
    QVERIFY(second.ids().empty());
    QCOMPARE(second.facts().tokens, 5U);
    QVERIFY(third.finish() == FinishReason::length);
    QCOMPARE(m_rig->settled().requestsCancelled, std::uint64_t{1});
}

void SchedulerTest::cancelOfNobodyDoesNothing() {
    m_rig->start();
    m_rig->scheduler->cancel(12345);
    const Listener listener = m_rig->run(greedyRequest(promptOf(5), 5));
    m_rig->scheduler->cancel(1); // it has ended
    QVERIFY(m_rig->run(greedyRequest(promptOf(5), 5)).finish() == FinishReason::length);
    QCOMPARE(m_rig->settled().requestsCancelled, std::uint64_t{0});
}

void SchedulerTest::contextIsTheLimit() {
    m_rig->start();
    for (const std::uint32_t maxTokens : {0U, 100U, 99999U}) {
        const Listener listener = m_rig->run(greedyRequest(promptOf(390), maxTokens));
        QCOMPARE(listener.ids().size(), std::size_t{10});
        QVERIFY(listener.finish() == FinishReason::length);
        QCOMPARE(listener.events().back().kvLength, 399U);
    }
    GenerationRequest request = greedyRequest(promptOf(390), 0);
    request.speculate = true;
    QCOMPARE(m_rig->run(request).ids().size(), std::size_t{10});

    SchedulerOptions options = Rig::plainOptions();
    options.kvBlocks = 2; // fewer positions than the context asks for
    begin(options);
    m_rig->start();
    QCOMPARE(m_rig->scheduler->options().contextLength, 64U);
    QCOMPARE(m_rig->run(greedyRequest(promptOf(60), 0)).ids().size(), std::size_t{4});
}

void SchedulerTest::refusesWhatCannotBe() {
    m_rig->start();
    const auto refusal = [&](std::vector<TokenId> prompt) {
        const auto result = m_rig->scheduler->submit(greedyRequest(std::move(prompt), 5), {});
        return result ? std::string() : result.error().message;
    };
    QVERIFY(QString::fromStdString(refusal({})).contains("empty"));
    QVERIFY(QString::fromStdString(refusal(promptOf(400))).contains("400"));
    QVERIFY(QString::fromStdString(refusal({2, -1})).contains("-1"));
    QVERIFY(QString::fromStdString(refusal({26})).contains("0 to 25"));
    QVERIFY(m_rig->scheduler->submit(greedyRequest({}, 5), {}).error().code == ErrorCode::usage);
    QCOMPARE(m_rig->scheduler->stats().requestsTotal, std::uint64_t{0});
}

void SchedulerTest::queueHasALimit() {
    SchedulerOptions options = Rig::plainOptions();
    options.parallel = 2;
    options.maxQueue = 3;
    begin(options);
    std::vector<Listener> listeners(6);
    std::vector<bool> taken;
    ErrorCode code = ErrorCode::internal;
    m_rig->watch->onStep = [&](std::uint64_t step, std::span<const SequenceSlice>) {
        if (step != 0)
            return;
        for (Listener& listener : listeners) { // beside the one that runs
            const auto result = m_rig->scheduler->submit(greedyRequest(promptOf(4), 3), listener.sink());
            taken.push_back(result.has_value());
            if (!result)
                code = result.error().code;
        }
    };
    m_rig->start();
    QVERIFY(m_rig->run(greedyRequest(promptOf(5), 8)).finish() == FinishReason::length);
    QVERIFY((taken == std::vector<bool>{true, true, true, true, false, false}));
    QVERIFY(code == ErrorCode::memory);
    for (std::size_t i = 0; i < 4; ++i)
        listeners[i].wait();
    QCOMPARE(m_rig->settled().requestsTotal, std::uint64_t{5});
    QVERIFY(m_rig->run(greedyRequest(promptOf(5), 8)).finish() == FinishReason::length);
}

void SchedulerTest::waitsForBlocksInOrder() {
    SchedulerOptions options = Rig::plainOptions();
    options.kvBlocks = 5;
    begin(options);
    Listener big;
    Listener bigger;
    Listener small;
    std::vector<std::size_t> slices;
    m_rig->watch->onStep = [&](std::uint64_t step, std::span<const SequenceSlice> all) {
        if (step == 0) {
            m_rig->check(
                m_rig->scheduler->submit(greedyRequest(promptOf(60, 1), 60), bigger.sink()).has_value()); // 4 blocks
            m_rig->check(m_rig->scheduler->submit(greedyRequest(promptOf(8, 2), 8), small.sink())
                             .has_value()); // would fit at once
        }
        slices.push_back(all.size());
    };
    m_rig->start();
    QVERIFY(m_rig->scheduler->submit(greedyRequest(promptOf(60), 30), big.sink())); // 3 blocks
    big.wait();
    bigger.wait();
    small.wait();
    QCOMPARE(std::count(slices.begin(), slices.begin() + 30, std::size_t{1}), std::ptrdiff_t{30});
    QCOMPARE(slices[30], std::size_t{2}); // then both come in together
    QVERIFY(bigger.ids() == m_rig->model.answer(greedyRequest(promptOf(60, 1), 60), 60));
    QVERIFY(small.ids() == m_rig->model.answer(greedyRequest(promptOf(8, 2), 8), 8));
}

void SchedulerTest::draftsStayWithinTheirBlocks() {
    SchedulerOptions options = Rig::plainOptions();
    options.kvBlocks = 3;
    FakeModel model;
    model.memory = 1; // soon in a loop, so that drafts are long to the end
    begin(options, model);
    m_rig->start();
    GenerationRequest exact = greedyRequest(promptOf(20), 45); // 64 positions, two whole blocks
    exact.speculate = true;
    const GenerationRequest neighbour = greedyRequest(promptOf(3), 30); // the third
    Listener first;
    Listener second;
    QVERIFY(m_rig->scheduler->submit(neighbour, second.sink()));
    QVERIFY(m_rig->scheduler->submit(exact, first.sink()));
    first.wait();
    second.wait();
    QVERIFY(first.ids() == model.answer(exact, 45));
    QVERIFY(second.ids() == model.answer(neighbour, 30));
    QCOMPARE(first.events().back().kvLength, 64U);
    for (const GenerationEvent& event : first.events())
        QVERIFY(event.position + event.drafted <= 64U);
}

void SchedulerTest::backendErrorsEndTheirSequences() {
    m_rig->watch->failStep = [](std::uint64_t step) { return step == 4; };
    m_rig->start();
    const GenerationRequest request = greedyRequest(promptOf(40), 20);
    const Listener failed = m_rig->run(request);
    QVERIFY(failed.finish() == FinishReason::error);
    QCOMPARE(failed.message(), std::string("The fake backend was told to fail."));
    QCOMPARE(failed.ids().size(), std::size_t{4});
    const Listener next = m_rig->run(request); // the engine lives on
    QVERIFY(next.ids() == m_rig->model.answer(request, 20));
    const SchedulerStats stats = m_rig->settled();
    QCOMPARE(stats.requestsFailed, std::uint64_t{1});
    QCOMPARE(stats.kvBlocksUsed, 0U);
}

void SchedulerTest::rowsOfNoNumbersEndTheirSequence() {
    m_rig->watch->spoilRow = [](std::uint32_t position) { return position == 45; };
    m_rig->start();
    Listener failed;
    Listener fine;
    QVERIFY(m_rig->scheduler->submit(greedyRequest(promptOf(40), 20), failed.sink()));
    QVERIFY(m_rig->scheduler->submit(greedyRequest(promptOf(10), 20), fine.sink()));
    failed.wait();
    fine.wait();
    QVERIFY(failed.finish() == FinishReason::error);
    QCOMPARE(failed.ids().size(), std::size_t{6});
    QVERIFY(QString::fromStdString(failed.message()).contains("position 46"));
    QVERIFY(fine.ids() == m_rig->model.answer(greedyRequest(promptOf(10), 20), 20));
}

void SchedulerTest::shutdownEndsEverything() {
    SchedulerOptions options = Rig::plainOptions();
    options.parallel = 2;
    begin(options);
    std::vector<Listener> listeners(5);
    std::promise<void> allAreIn;
    m_rig->watch->onStep = [&, in = allAreIn.get_future().share()](std::uint64_t step, std::span<const SequenceSlice>) {
        if (step == 6) {
            in.wait(); // this thread may be faster than the one that submits
            m_rig->scheduler->shutdown("The engine was told to stop.");
        }
    };
    m_rig->start();
    std::size_t accepted = 0;
    for (Listener& listener : listeners)
        accepted += m_rig->scheduler->submit(greedyRequest(promptOf(30), 300), listener.sink()) ? 1 : 0;
    allAreIn.set_value();
    QCOMPARE(accepted, listeners.size());
    for (Listener& listener : listeners) {
        listener.wait();
        QVERIFY(listener.finish() == FinishReason::error);
        QCOMPARE(listener.message(), std::string("The engine was told to stop."));
    }
    const auto refused = m_rig->scheduler->submit(greedyRequest(promptOf(3), 3), {});
    QVERIFY(!refused);
    QVERIFY(refused.error().code == ErrorCode::cancelled);
    QCOMPARE(refused.error().message, std::string("The engine was told to stop."));
    const SchedulerStats stats = m_rig->settled();
    QCOMPARE(stats.requestsFailed, std::uint64_t{5});
    QCOMPARE(stats.kvBlocksUsed, 0U);
}

void SchedulerTest::destructionCancels() {
    std::vector<Listener> listeners(6);
    m_rig->start();
    for (Listener& listener : listeners)
        QVERIFY(m_rig->scheduler->submit(greedyRequest(promptOf(30), 370), listener.sink()));
    m_rig->scheduler.reset();
    for (Listener& listener : listeners) {
        QVERIFY(listener.finish().has_value());
        QVERIFY(listener.finish() == FinishReason::cancelled || listener.ids().size() == 370);
    }
}

void SchedulerTest::sinksMayCallBack() {
    m_rig->start();
    Listener second;
    Listener first;
    GenerationSink sink = first.sink();
    GenerationSink chained;
    chained.onEvent = [&, inner = sink.onEvent](GenerationEvent event, const PromptFacts* facts) {
        if (facts) {
            (void)m_rig->scheduler->stats();
            (void)m_rig->scheduler->trace();
            m_rig->check(m_rig->scheduler->submit(greedyRequest(promptOf(7), 4), second.sink()).has_value());
        }
        if (event.position == 12)
            m_rig->scheduler->cancel(1);
        inner(std::move(event), facts);
    };
    QVERIFY(m_rig->scheduler->submit(greedyRequest(promptOf(9), 50), chained));
    first.wait();
    second.wait();
    QVERIFY(first.finish() == FinishReason::cancelled);
    QCOMPARE(first.ids().size(), std::size_t{4});
    QVERIFY(second.finish() == FinishReason::length);
}

void SchedulerTest::traceTellsTheSteps() {
    m_rig->start();
    const Listener listener = m_rig->run(greedyRequest(promptOf(9), 3));
    (void)m_rig->settled();
    m_rig->scheduler->addSpan({"send", 3, 1, -1, 1, 2, 1});
    std::multiset<std::string> names;
    for (const TraceSpan& span : m_rig->scheduler->trace()) {
        names.insert(span.name);
        QVERIFY(span.beginNs <= span.endNs);
        QVERIFY(span.step >= 1 && span.step <= 3);
        if (span.name == "prefill chunk") {
            QCOMPARE(span.tokens, 9U);
            QCOMPARE(span.request, GenerationId{1});
        }
        if (span.name == "attention")
            QCOMPARE(span.layer, 7);
    }
    QVERIFY(
        (names == std::multiset<std::string>{"queue", "prefill chunk", "decode step", "decode step", "embed", "embed",
                                             "embed", "attention", "attention", "attention", "sampling", "sampling",
                                             "sampling", "detokenise", "detokenise", "detokenise", "send"}));
}

void SchedulerTest::tracingCanBeOff() {
    m_rig->start();
    m_rig->scheduler->setTracing(false);
    const GenerationRequest request = greedyRequest(promptOf(9), 3);
    QVERIFY(m_rig->run(request).ids() == m_rig->model.answer(request, 3));
    QVERIFY(m_rig->scheduler->trace().empty());
    m_rig->scheduler->setTracing(true);
    (void)m_rig->run(request);
    (void)m_rig->settled();
    QVERIFY(!m_rig->scheduler->trace().empty());
}

void SchedulerTest::statisticsAddUp() {
    m_rig->start();
    for (int i = 0; i < 3; ++i)
        (void)m_rig->run(greedyRequest(promptOf(40), 10));
    const SchedulerStats stats = m_rig->settled();
    QCOMPARE(stats.requestsTotal, std::uint64_t{3});
    QCOMPARE(stats.generatedTokens, std::uint64_t{30});
    QCOMPARE(stats.cachedTokens, std::uint64_t{78});
    QCOMPARE(stats.promptTokens, std::uint64_t{120 - 78});
    QCOMPARE(stats.steps, std::uint64_t{30});
    QCOMPARE(stats.kvBlocksTotal, 64U);
    QCOMPARE(stats.kvBlocksUsed, 0U);
    QCOMPARE(stats.kvBlocksCached, 2U);
    QVERIFY(stats.promptSeconds > 0 && stats.decodeSeconds > 0);
    QCOMPARE(m_rig->scheduler->backendFacts().device, std::string("fake"));
}

void SchedulerTest::whoHasAnAnswerFindsItInTheBooks() {
    m_rig->start();
    for (std::uint64_t i = 1; i <= 200; ++i) {
        (void)m_rig->run(greedyRequest(promptOf(5), 3));
        const SchedulerStats stats = m_rig->scheduler->stats();
        QCOMPARE(stats.generatedTokens, 3 * i);
        QCOMPARE(stats.running + stats.waiting + stats.kvBlocksUsed, 0U);
        const auto spans = m_rig->scheduler->trace();
        QVERIFY(std::ranges::any_of(spans, [&](const TraceSpan& span) { return span.step == stats.steps; }));
    }
}

void SchedulerTest::idleThreadTakesNoSteps() {
    m_rig->start();
    (void)m_rig->run(greedyRequest(promptOf(4), 4));
    const std::uint64_t steps = m_rig->settled().steps;
    QTest::qWait(50);
    QCOMPARE(m_rig->scheduler->stats().steps, steps);
}

QTEST_GUILESS_MAIN(SchedulerTest)
#include "tst_scheduler.moc"
