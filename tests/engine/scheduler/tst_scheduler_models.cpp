// Real arithmetic under the scheduler: tiny random models on the oracle and on the processor's backend. Batched, in
// chunks, out of the prefix cache and with drafts, greedy tokens are those of a plain loop over the backend.
#include "engine/cpu/cpu_backend.h"
#include "engine/reference/reference_backend.h"
#include "engine/scheduler/scheduler.h"
#include "tests/engine/scheduler/listener.h"
#include "tests/engine/support/memory_file.h"
#include "tests/engine/support/tiny_model.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace decodescope::engine;
using namespace decodescope::engine::test;

namespace {

enum class Executor { reference, cpu };

/// A tiny model, opened, and what is made of it.
struct Model {
    Model(const TinyModel& tiny, Executor which)
        : bytes(tiny.bytes())
        , executor(which) {
        auto opened = GgufFile::open(bytes.path());
        if (!opened)
            qFatal("%s", opened.error().message.c_str());
        file = std::move(*opened);
        auto built = buildPlan(*file);
        if (!built)
            qFatal("%s", built.error().message.c_str());
        plan = std::move(*built);
        auto made = Tokenizer::fromGguf(*file);
        if (!made)
            qFatal("%s", made.error().message.c_str());
        tokenizer = std::move(*made);
    }

    [[nodiscard]] std::unique_ptr<Backend> backend(const SchedulerOptions& options) const {
        BackendOptions wanted;
        wanted.threads = 1;
        wanted.kvBlocks = options.kvBlocks;
        wanted.maxRows = options.maxRows;
        wanted.maxLogitsRows = options.maxLogitsRows;
        auto made = executor == Executor::cpu ? makeCpuBackend(plan, wanted) : makeReferenceBackend(plan, wanted);
        if (!made)
            qFatal("%s", made.error().message.c_str());
        return std::move(*made);
    }

    [[nodiscard]] std::vector<TokenId> prompt(std::size_t size, unsigned salt) const {
        std::vector<TokenId> ids(size);
        for (std::size_t i = 0; i < size; ++i)
            ids[i] = static_cast<TokenId>((i * i * 31 + i * 7 + salt * 101) % plan.vocabulary);
        return ids;
    }

    MemoryFile bytes;
    Executor executor;
    std::unique_ptr<GgufFile> file;
    ModelPlan plan;
    std::unique_ptr<Tokenizer> tokenizer;
};

SchedulerOptions plainOptions() {
    SchedulerOptions options;
    options.kvBlocks = 60;
    options.contextLength = 300;
    return options;
}

GenerationRequest greedyRequest(std::vector<TokenId> prompt, std::uint32_t maxTokens) {
    GenerationRequest request;
    request.prompt = std::move(prompt);
    request.maxTokens = maxTokens;
    request.sampling.temperature = 0;
    request.ignoreEos = true;
    return request;
}

/// One token after another, straight from the backend.
std::vector<TokenId> plainAnswer(const Model& model, const GenerationRequest& request) {
    const auto backend = model.backend(plainOptions());
    std::vector<std::uint32_t> blocks(12);
    std::iota(blocks.begin(), blocks.end(), 3U);
    std::vector<TokenId> fresh = request.prompt;
    std::vector<TokenId> answer;
    std::uint32_t position = 0;
    while (answer.size() < request.maxTokens) {
        const SequenceSlice slice{fresh, position, blocks, static_cast<std::uint32_t>(fresh.size()) - 1};
        const auto output = backend->step({&slice, 1});
        if (!output)
            qFatal("%s", output.error().message.c_str());
        position += static_cast<std::uint32_t>(fresh.size());
        const auto best = std::max_element(output->logits.begin(), output->logits.end());
        fresh.assign(1, static_cast<TokenId>(best - output->logits.begin()));
        answer.push_back(fresh[0]);
    }
    return answer;
}

std::vector<Listener> runTogether(const Model& model, const SchedulerOptions& options,
                                  const std::vector<GenerationRequest>& requests) {
    Scheduler scheduler(model.backend(options), *model.tokenizer, options);
    std::vector<Listener> listeners(requests.size());
    for (std::size_t i = 0; i < requests.size(); ++i)
        if (!scheduler.submit(requests[i], listeners[i].sink()))
            qFatal("refused");
    for (Listener& listener : listeners)
        listener.wait();
    return listeners;
}

} // namespace

class SchedulerModelsTest : public QObject {
    Q_OBJECT
private slots:
    void greedyTokensAreThePlainOnes_data() { models(); }
    void greedyTokensAreThePlainOnes();
    void sampledTokensAreThoseOfTheSeed_data() { models(); }
    void sampledTokensAreThoseOfTheSeed();
    void stepsTellWhatTheyRead();

private:
    static void models() {
        QTest::addColumn<QString>("architecture");
        QTest::addColumn<bool>("onProcessor");
        for (const bool onProcessor : {false, true})
            for (const char* architecture : {"llama", "qwen2", "qwen3", "gemma3"})
                QTest::addRow("%s on %s", architecture, onProcessor ? "cpu" : "reference")
                    << architecture << onProcessor;
    }
    static Model fetched() {
        QFETCH(QString, architecture);
        QFETCH(bool, onProcessor);
        TinyModel tiny = TinyModel::of(architecture.toStdString());
        tiny.contextLength = 512;
        return {tiny, onProcessor ? Executor::cpu : Executor::reference};
    }
};

void SchedulerModelsTest::greedyTokensAreThePlainOnes() {
    const Model model = fetched();
    std::vector<GenerationRequest> requests;
    std::vector<std::vector<TokenId>> expected;
    for (unsigned i = 0; i < 5; ++i) {
        std::vector<TokenId> prompt = model.prompt(40 + 13 * i, i % 2); // two share each beginning
        requests.push_back(greedyRequest(std::move(prompt), 48));
        expected.push_back(plainAnswer(model, requests.back()));
    }
    const auto check = [&](const std::vector<Listener>& listeners) {
        for (std::size_t i = 0; i < listeners.size(); ++i) {
            QVERIFY(listeners[i].ids() == expected[i]);
            QCOMPARE(listeners[i].faults(), std::string());
        }
    };
    check(runTogether(model, plainOptions(), requests)); // batched, and some out of the cache

    SchedulerOptions narrow = plainOptions();
    narrow.maxRows = 11;
    narrow.prefillChunk = 5;
    narrow.parallel = 3;
    narrow.kvBlocks = 14; // room for three at most: what others left is given up
    check(runTogether(model, narrow, requests));

    for (GenerationRequest& request : requests)
        request.speculate = true;
    check(runTogether(model, plainOptions(), requests));

    SchedulerOptions single = plainOptions();
    single.parallel = 1;
    std::vector<GenerationRequest> twice{requests[4], requests[4], requests[2]};
    const auto listeners = runTogether(model, single, twice);
    QVERIFY(listeners[0].ids() == expected[4]);
    QVERIFY(listeners[1].ids() == expected[4]);
    QVERIFY(listeners[2].ids() == expected[2]);
    QCOMPARE(listeners[1].facts().cached, static_cast<std::uint32_t>(twice[1].prompt.size()) - 1);
    QVERIFY(listeners[2].facts().cached >= 60U);
}

void SchedulerModelsTest::sampledTokensAreThoseOfTheSeed() {
    const Model model = fetched();
    GenerationRequest request = greedyRequest(model.prompt(50, 1), 40);
    request.sampling.temperature = 0.8F;
    request.sampling.topP = 0.95F;
    request.sampling.seed = 4;
    const auto alone = runTogether(model, plainOptions(), {request})[0].ids();
    const auto together =
        runTogether(model, plainOptions(),
                    {greedyRequest(model.prompt(30, 0), 60), request, greedyRequest(model.prompt(90, 1), 20)});
    QVERIFY(together[1].ids() == alone);
    request.sampling.seed = 5;
    QVERIFY(runTogether(model, plainOptions(), {request})[0].ids() != alone);
}

void SchedulerModelsTest::stepsTellWhatTheyRead() {
    const Model model(TinyModel::of("llama"), Executor::cpu);
    GenerationRequest request = greedyRequest(model.prompt(40, 0), 10);
    request.sampling.logprobs = 3;
    const auto listeners = runTogether(model, plainOptions(), {request});
    std::uint64_t kvBytes = 0;
    for (const GenerationEvent& event : listeners[0].events()) {
        QVERIFY(event.step.weightBytes > 0);
        QVERIFY(event.step.kvBytes > kvBytes || event.position <= 41); // grows with the position
        kvBytes = event.step.kvBytes;
        const std::int64_t phases =
            event.step.attentionNs + event.step.feedForwardNs + event.step.headNs + event.step.samplingNs;
        QVERIFY(phases > 0 && phases <= event.step.endNs - event.step.beginNs);
        const TokenLogprob& chosen = *event.tokens[0].chosen;
        QCOMPARE(chosen.id, event.tokens[0].candidates[0].id);
        QVERIFY(std::exp(double{chosen.logprob}) <= 1.0);
    }
}

QTEST_APPLESS_MAIN(SchedulerModelsTest)
#include "tst_scheduler_models.moc"
