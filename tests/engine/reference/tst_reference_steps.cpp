#include "engine/reference/reference_backend.h"
#include "tests/engine/support/tiny_model.h"
#include "tests/engine/support/written_model.h"

#include <QTest>

#include <algorithm>
#include <limits>
#include <numeric>

using namespace decodescope::engine;
using namespace decodescope::engine::test;

namespace {

using Logits = std::vector<float>;

constexpr std::array kArchitectures{"llama", "qwen2", "qwen3", "gemma3"};

std::vector<TokenId> tokensOf(std::size_t count, std::uint32_t seed) {
    std::vector<TokenId> out(count);
    for (std::size_t i = 0; i < count; ++i)
        out[i] = static_cast<TokenId>((seed + i * i * 31 + i * 7) % 250);
    return out;
}

BackendOptions allLogits() {
    BackendOptions options;
    options.maxLogitsRows = options.maxRows;
    return options;
}

/// A model, its plan and a backend of ours over it.
struct Ready {
    explicit Ready(const TinyModel& tiny, BackendOptions options = allLogits())
        : written(tiny.writer())
        , plan(written.plan())
        , backend(plan ? makeReferenceBackend(*plan, options, {}) : tl::unexpected(plan.error())) {}

    /// The slices' logits; empty when the step fails.
    Logits step(std::vector<SequenceSlice> slices) {
        const auto out = (*backend)->step(slices);
        return out ? Logits(out->logits.begin(), out->logits.end()) : Logits();
    }
    std::size_t vocabulary() const { return plan->vocabulary; }

    WrittenModel written;
    Result<ModelPlan> plan;
    Result<std::unique_ptr<Backend>> backend;
};

const std::vector<std::uint32_t> kBlocks{0, 1, 2};

/// All rows' logits, in steps of `chunk` tokens.
Logits inChunks(Ready& ready, const std::vector<TokenId>& tokens, std::size_t chunk,
                const std::vector<std::uint32_t>& blocks = kBlocks) {
    Logits out;
    for (std::size_t begin = 0; begin < tokens.size(); begin += chunk) {
        const auto part = std::span(tokens).subspan(begin, std::min(chunk, tokens.size() - begin));
        const Logits logits = ready.step({{part, static_cast<std::uint32_t>(begin), blocks, 0}});
        out.insert(out.end(), logits.begin(), logits.end());
    }
    return out;
}

Logits rowOf(const Logits& logits, std::size_t row, std::size_t vocabulary) {
    const auto begin = logits.begin() + static_cast<std::ptrdiff_t>(row * vocabulary);
    return Logits(begin, begin + static_cast<std::ptrdiff_t>(vocabulary));
}

} // namespace

/// The oracle must give the same bits however a text is cut into steps and wherever its blocks lie.
class TestReferenceSteps : public QObject {
    Q_OBJECT
private slots:
    void tokenByTokenAndInChunks();
    void blocksInAnyOrder();
    void besideAnotherSequence();
    void logitsOfTheRowsThatWantThem();
    void copiedBlockGoesOn();
    void rewoundSequence();
    void windowEndsWhereItShould();
    void soundnessOfSlices();
    void failedStepLeavesTheRest();
    void timingsAndFacts();
    void bytesOfAWindow();
    void loading();
};

void TestReferenceSteps::tokenByTokenAndInChunks() {
    for (const char* const architecture : kArchitectures) {
        Ready ready(TinyModel::of(architecture));
        QVERIFY2(ready.backend, ready.backend ? "" : ready.backend.error().message.c_str());
        const auto tokens = tokensOf(50, 1); // more than a block, and than gemma3's window
        const Logits whole = inChunks(ready, tokens, tokens.size());
        QCOMPARE(whole.size(), tokens.size() * ready.vocabulary());
        for (const std::size_t chunk : {1U, 7U, 32U})
            QVERIFY2(inChunks(ready, tokens, chunk) == whole, architecture);
        const auto [least, most] = std::minmax_element(whole.begin(), whole.end());
        QVERIFY(*least < -1 && *most > 1);
    }
}

void TestReferenceSteps::blocksInAnyOrder() {
    Ready ready(TinyModel::of("qwen3"));
    const auto tokens = tokensOf(80, 2);
    const Logits whole = inChunks(ready, tokens, 80);
    QCOMPARE(whole.size(), 80 * ready.vocabulary());
    QVERIFY(inChunks(ready, tokens, 33, {63, 5, 17}) == whole);
    QVERIFY(inChunks(ready, tokens, 80, {2, 0, 1}) == whole);
}

void TestReferenceSteps::besideAnotherSequence() {
    for (const char* const architecture : kArchitectures) {
        Ready ready(TinyModel::of(architecture));
        const auto first = tokensOf(40, 3);
        const auto second = tokensOf(23, 4);
        const std::vector<std::uint32_t> firstBlocks{4, 7};
        const std::vector<std::uint32_t> secondBlocks{5};
        const Logits firstAlone = inChunks(ready, first, 40);
        const Logits secondAlone = inChunks(ready, second, 23);

        // A prefill of one beside single tokens of the other, at another position.
        const Logits prefill = ready.step({{std::span(second).first(20), 0, secondBlocks, 20}});
        QVERIFY(prefill.empty());
        Logits firstTogether;
        for (std::uint32_t i = 0; i < 2; ++i) {
            const Logits both = ready.step({{std::span(first).subspan(i * 20, 20), i * 20, firstBlocks, 0},
                                            {std::span(second).subspan(20 + i, 1), 20 + i, secondBlocks, 0}});
            QCOMPARE(both.size(), 21 * ready.vocabulary());
            firstTogether.insert(firstTogether.end(), both.begin(),
                                 both.end() - static_cast<std::ptrdiff_t>(ready.vocabulary()));
            QVERIFY(rowOf(both, 20, ready.vocabulary()) == rowOf(secondAlone, 20 + i, ready.vocabulary()));
        }
        QVERIFY(firstTogether == firstAlone);
    }
}

void TestReferenceSteps::logitsOfTheRowsThatWantThem() {
    Ready ready(TinyModel::of("llama"));
    const auto tokens = tokensOf(12, 5);
    const std::vector<std::uint32_t> other{9};
    const Logits whole = inChunks(ready, tokens, 12);
    const Logits some = ready.step({{tokens, 0, kBlocks, 10},
                                    {std::span(tokens).first(3), 0, other, 3},
                                    {std::span(tokens).first(4), 0, std::span(kBlocks).last(1), 3}});
    QCOMPARE(some.size(), 3 * ready.vocabulary());
    QVERIFY(rowOf(some, 0, ready.vocabulary()) == rowOf(whole, 10, ready.vocabulary()));
    QVERIFY(rowOf(some, 1, ready.vocabulary()) == rowOf(whole, 11, ready.vocabulary()));
    QVERIFY(rowOf(some, 2, ready.vocabulary()) == rowOf(whole, 3, ready.vocabulary()));
}

void TestReferenceSteps::copiedBlockGoesOn() {
    Ready ready(TinyModel::of("qwen2"));
    const auto shared = tokensOf(42, 6);
    const auto tail = tokensOf(5, 7);
    auto text = shared;
    text.insert(text.end(), tail.begin(), tail.end());
    const Logits whole = inChunks(ready, text, text.size());

    // The prefix ends within its second block: that one is copied, the first is shared. What the first sequence does
    // with its own block then is nothing to the second.
    const std::vector<std::uint32_t> first{10, 11};
    const std::vector<std::uint32_t> second{10, 12};
    inChunks(ready, shared, 42, first);
    (*ready.backend)->copyBlock(11, 12, 10);
    const auto elsewhere = tokensOf(5, 8);
    ready.step({{elsewhere, 42, first, 0}});
    const Logits on = ready.step({{tail, 42, second, 0}});
    QVERIFY(on == Logits(whole.end() - static_cast<std::ptrdiff_t>(5 * ready.vocabulary()), whole.end()));

    // Out of range: nothing happens.
    (*ready.backend)->copyBlock(10, 4'000'000'000U, 32);
    (*ready.backend)->copyBlock(4'000'000'000U, 10, 4'000'000'000U);
    QVERIFY(ready.step({{std::span(tail).last(1), 46, second, 0}}) == rowOf(whole, 46, ready.vocabulary()));
}

/// Rejected drafts: positions are written again.
void TestReferenceSteps::rewoundSequence() {
    Ready ready(TinyModel::of("gemma3"));
    const auto tokens = tokensOf(40, 9);
    const Logits whole = inChunks(ready, tokens, 40);
    const auto wrong = tokensOf(6, 200);
    ready.step({{std::span(tokens).first(30), 0, kBlocks, 30}});
    ready.step({{wrong, 30, kBlocks, 0}});
    const Logits again = ready.step({{std::span(tokens).subspan(30), 30, kBlocks, 0}});
    QVERIFY(again == Logits(whole.end() - static_cast<std::ptrdiff_t>(10 * ready.vocabulary()), whole.end()));
}

/// With one layer, what a row sees is exactly the window: a token may matter to the rows within it and to no other.
void TestReferenceSteps::windowEndsWhereItShould() {
    TinyModel tiny = TinyModel::of("gemma3");
    tiny.layers = 1;
    tiny.slidingWindow = 16;
    Ready ready(tiny);
    auto tokens = tokensOf(64, 10);
    const Logits before = inChunks(ready, tokens, 64);
    constexpr std::size_t kChanged = 20;
    tokens[kChanged] += 1;
    const Logits after = inChunks(ready, tokens, 64);
    for (std::size_t row = 0; row < 64; ++row) {
        const bool same = rowOf(before, row, ready.vocabulary()) == rowOf(after, row, ready.vocabulary());
        QCOMPARE(same, row < kChanged || row >= kChanged + 16);
    }

    // Without a window it matters to all later rows.
    tiny.slidingWindow = 0;
    Ready open(tiny);
    const Logits openAfter = inChunks(open, tokens, 64);
    tokens[kChanged] -= 1;
    const Logits openBefore = inChunks(open, tokens, 64);
    for (std::size_t row = 0; row < 64; ++row)
        QCOMPARE(rowOf(openBefore, row, open.vocabulary()) == rowOf(openAfter, row, open.vocabulary()), row < kChanged);
}

void TestReferenceSteps::soundnessOfSlices() {
    BackendOptions options;
    options.kvBlocks = 4;
    options.maxRows = 16;
    options.maxLogitsRows = 4;
    Ready ready(TinyModel::of("llama"), options);
    const auto tokens = tokensOf(17, 11);
    const auto all = std::span(tokens);
    const std::vector<std::uint32_t> outside{4};
    const std::vector<TokenId> negative{-1};
    const std::vector<TokenId> large{static_cast<TokenId>(ready.vocabulary())};
    constexpr std::uint32_t kEnd = std::numeric_limits<std::uint32_t>::max();
    const std::vector<std::vector<SequenceSlice>> wrong{
        {{all.first(0), 0, kBlocks, 0}},                                  // no tokens
        {{all, 0, kBlocks, 17}},                                          // too many rows
        {{all.first(10), 0, kBlocks, 10}, {all.first(7), 0, kBlocks, 7}}, // too many together
        {{all.first(5), 0, kBlocks, 0}},                                  // too many logits
        {{all.first(3), 0, kBlocks, 0}, {all.first(3), 0, kBlocks, 1}},   // too many together
        {{all.first(5), 0, kBlocks, 6}},                                  // logits of a row that is not there
        {{all.first(2), 95, kBlocks, 1}},                                 // position 96 in three blocks
        {{all.first(1), 0, {}, 0}},                                       // no blocks
        {{all.first(1), 0, outside, 0}},                                  // a block that is not there
        {{all.first(1), kEnd, kBlocks, 0}},                               // a position beyond all
        {{negative, 0, kBlocks, 0}},
        {{large, 0, kBlocks, 0}},
    };
    for (std::size_t i = 0; i < wrong.size(); ++i) {
        const auto step = (*ready.backend)->step(wrong[i]);
        QVERIFY2(!step, std::to_string(i).c_str());
        QVERIFY(step.error().code == ErrorCode::internal);
    }
    // At the very limits all is well.
    QVERIFY(!ready.step({{all.first(4), 92, kBlocks, 0}}).empty());
    QVERIFY((*ready.backend)->step(std::vector<SequenceSlice>{{all.first(16), 0, kBlocks, 12}}));
}

void TestReferenceSteps::failedStepLeavesTheRest() {
    Ready ready(TinyModel::of("llama"));
    const auto tokens = tokensOf(10, 12);
    const Logits whole = inChunks(ready, tokens, 10);
    ready.step({{std::span(tokens).first(9), 0, kBlocks, 9}});
    const std::vector<TokenId> bad{99'999};
    QVERIFY(ready.step({{bad, 3, kBlocks, 0}}).empty());
    QVERIFY(ready.step({{std::span(tokens).last(1), 9, kBlocks, 0}}) == rowOf(whole, 9, ready.vocabulary()));
}

void TestReferenceSteps::timingsAndFacts() {
    Ready ready(TinyModel::of("llama", TensorType::q8_0));
    const auto tokens = tokensOf(3, 13);
    const std::vector<SequenceSlice> slices{{tokens, 0, kBlocks, 2}};
    const auto step = (*ready.backend)->step(slices);
    QVERIFY(step);
    const StepTimings& timings = step->timings;
    QVERIFY(timings.beginNs > 0 && timings.endNs > timings.beginNs);
    QVERIFY(timings.attentionNs > 0 && timings.feedForwardNs > 0 && timings.headNs > 0);
    QVERIFY(timings.attentionNs + timings.feedForwardNs + timings.headNs <= timings.endNs - timings.beginNs);
    QCOMPARE(timings.spans.size(), ready.plan->ops.size());
    for (std::size_t i = 1; i < timings.spans.size(); ++i)
        QVERIFY(timings.spans[i].beginNs >= timings.spans[i - 1].endNs);
    QCOMPARE(timings.spans[6].layer, std::uint16_t{1}); // embed, five ops of layer 0, then layer 1

    std::uint64_t matrices = 0;
    for (const TensorView& tensor : ready.written.file().tensors())
        if (tensor.dimensions == 2 && tensor.name != "token_embd.weight")
            matrices += tensor.bytes;
    const BackendFacts facts = (*ready.backend)->facts();
    QCOMPARE(facts.weightBytes, matrices);
    QCOMPARE(timings.weightBytes, matrices);
    QCOMPARE(facts.kvBytesPerToken, std::uint64_t{2} * 2 * 2 * 16 * sizeof(float));
    QCOMPARE(timings.kvBytes, 3 * facts.kvBytesPerToken);
    QCOMPARE(facts.memoryBytes, 64 * 32 * facts.kvBytesPerToken);
    QVERIFY(facts.device.find("reference") != std::string::npos);

    (*ready.backend)->recordSpans(false);
    const auto quiet = (*ready.backend)->step(slices);
    QVERIFY(quiet && quiet->timings.spans.empty() && quiet->timings.headNs > 0);
}

void TestReferenceSteps::bytesOfAWindow() {
    Ready ready(TinyModel::of("gemma3")); // five layers with a window of 16, one without
    const auto tokens = tokensOf(40, 14);
    const std::uint64_t layerBytes = (*ready.backend)->facts().kvBytesPerToken / 6;
    (void)inChunks(ready, tokens, 40);
    const std::vector<SequenceSlice> one{{std::span(tokens).last(1), 39, kBlocks, 0}};
    QCOMPARE((*ready.backend)->step(one)->timings.kvBytes, (5 * 16 + 40) * layerBytes);
    // Three rows at once read the union of their windows.
    const std::vector<SequenceSlice> three{{std::span(tokens).last(3), 37, kBlocks, 3}};
    QCOMPARE((*ready.backend)->step(three)->timings.kvBytes, (5 * 18 + 40) * layerBytes);
}

void TestReferenceSteps::loading() {
    const WrittenModel written(TinyModel::of("llama").writer());
    const auto plan = written.plan();
    QVERIFY(plan);
    const auto cancelled = makeReferenceBackend(*plan, {}, [](std::uint64_t, std::uint64_t) { return false; });
    QVERIFY(!cancelled && cancelled.error().code == ErrorCode::cancelled);
    int calls = 0;
    const auto made = makeReferenceBackend(*plan, {}, [&](std::uint64_t done, std::uint64_t total) {
        calls += done == total;
        return true;
    });
    QVERIFY(made);
    QCOMPARE(calls, 1);

    // A cache whose size no number can hold.
    ModelPlan vast = *plan;
    vast.layers = 1024;
    vast.kvHeads = vast.headSize = 4096;
    BackendOptions options;
    options.kvBlocks = std::numeric_limits<std::uint32_t>::max();
    const auto none = makeReferenceBackend(vast, options, {});
    QVERIFY(!none && none.error().code == ErrorCode::memory);
}

QTEST_GUILESS_MAIN(TestReferenceSteps)
#include "tst_reference_steps.moc"
