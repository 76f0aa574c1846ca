// Whole steps on tiny random models: against the oracle for every architecture, type and instruction set; and the same
// tokens in chunks, one by one, in batches, with prefixes shared and on other numbers of threads, bit by bit.
#include "engine/cpu/cpu_backend.h"
#include "engine/reference/reference_backend.h"
#include "tests/engine/cpu/isas_here.h"
#include "tests/engine/support/random_blocks.h"
#include "tests/engine/support/tiny_model.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <map>
#include <numeric>

using namespace decodescope::engine;
using namespace decodescope::engine::test;

namespace {

struct Loaded {
    std::unique_ptr<GgufFile> file;
    ModelPlan plan;
};

Loaded load(const TinyModel& model) {
    static const QTemporaryDir folder;
    static int number = 0;
    const std::string path = folder.filePath(QString::number(++number)).toStdString() + ".gguf";
    Loaded loaded;
    if (!model.write(path))
        qFatal("cannot write a model to the temporary folder");
    auto file = GgufFile::open(path);
    if (!file)
        qFatal("%s", file.error().message.c_str());
    loaded.file = std::move(*file);
    auto plan = buildPlan(*loaded.file);
    if (!plan)
        qFatal("%s", plan.error().message.c_str());
    loaded.plan = std::move(*plan);
    return loaded;
}

using Maker = decltype(&makeCpuBackend);

std::unique_ptr<Backend> make(Maker maker, const ModelPlan& plan, const BackendOptions& options) {
    auto made = maker(plan, options, {});
    if (!made)
        qFatal("%s", made.error().message.c_str());
    return std::move(*made);
}

std::vector<TokenId> tokensFor(const ModelPlan& plan, std::size_t count, std::uint64_t seed = 7) {
    RandomBits random(seed);
    std::vector<TokenId> tokens(count);
    for (TokenId& token : tokens)
        token = static_cast<TokenId>(random.below(plan.vocabulary));
    return tokens;
}

/// Blocks for so many positions, not in order.
std::vector<std::uint32_t> blocksFor(std::size_t positions, std::uint32_t from) {
    std::vector<std::uint32_t> blocks((positions + kKvBlockTokens - 1) / kKvBlockTokens);
    std::iota(blocks.rbegin(), blocks.rend(), from);
    return blocks;
}

/// Logits (tokens, vocabulary) of a sequence that is fed in chunks of these sizes, the last size again and again.
std::vector<float> feed(Backend& backend, const std::vector<TokenId>& tokens, const std::vector<std::size_t>& chunks,
                        const std::vector<std::uint32_t>& blocks, std::size_t from = 0) {
    std::vector<float> logits;
    for (std::size_t at = from, chunk = 0; at < tokens.size(); ++chunk) {
        const std::size_t size = std::min(chunks[std::min(chunk, chunks.size() - 1)], tokens.size() - at);
        const SequenceSlice slice{std::span(tokens).subspan(at, size), static_cast<std::uint32_t>(at), blocks, 0};
        const auto output = backend.step({&slice, 1});
        if (!output)
            qFatal("%s", output.error().message.c_str());
        logits.insert(logits.end(), output->logits.begin(), output->logits.end());
        at += size;
    }
    return logits;
}

double relativeError(std::span<const float> a, std::span<const float> b) {
    double difference = 0;
    double size = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
        difference += std::pow(double{a[i]} - b[i], 2);
        size += std::pow(double{b[i]}, 2);
    }
    return std::sqrt(difference / size);
}

BackendOptions optionsWith(int threads, KvType kvType = KvType::f16) {
    BackendOptions options;
    options.threads = threads;
    options.kvBlocks = 64;
    options.maxRows = 512;
    options.maxLogitsRows = 512;
    options.kvType = kvType;
    return options;
}

bool isFloat(TensorType type) {
    return type == TensorType::f32 || type == TensorType::f16 || type == TensorType::bf16;
}

} // namespace

Q_DECLARE_METATYPE(decodescope::engine::TensorType)

class TestCpuBackend : public QObject {
    Q_OBJECT

private slots:
    void cleanup() { qunsetenv("DECODESCOPE_ISA"); }
    void agreesWithTheOracle_data();
    void agreesWithTheOracle();
    void everyWayOfFeedingGivesTheSameBits_data();
    void everyWayOfFeedingGivesTheSameBits();
    void bytesInTheCacheComeClose();
    void aSharedPrefixGoesOnAsItsOwner();
    void staleBlocksDoNotShine();
    void headSizesThatFillNoVector();
    void logitsForTheRowsThatAskedAlone();
    void timingsAddUp();
    void stepsThatDoNotFitAreRefused();
    void tooMuchMemoryIsAnError();
    void loadingCanBeStopped();
    void threadsAreTunedWithinTheMachine();
};

void TestCpuBackend::agreesWithTheOracle_data() {
    QTest::addColumn<QString>("architecture");
    QTest::addColumn<TensorType>("type");
    QTest::addColumn<QString>("isa");
    for (const char* architecture : {"llama", "qwen2", "qwen3", "gemma3"})
        for (const TensorType type : supportedTypes())
            for (const Isa isa : isasHere())
                QTest::addRow("%s %s %s", architecture, tensorTypeInfo(type).name.data(), toString(isa).data())
                    << architecture << type << QString::fromStdString(std::string(toString(isa)));
}

void TestCpuBackend::agreesWithTheOracle() {
    QFETCH(QString, architecture);
    QFETCH(TensorType, type);
    QFETCH(QString, isa);
    const Loaded loaded = load(TinyModel::of(architecture.toStdString(), type));
    const std::vector<TokenId> tokens = tokensFor(loaded.plan, 40);
    const std::vector<std::uint32_t> blocks = blocksFor(tokens.size(), 3);
    static std::map<QString, std::vector<float>> oracles; // one of all instruction sets
    std::vector<float>& expected = oracles[architecture + QString::number(static_cast<int>(type))];
    if (expected.empty()) {
        const auto reference = make(makeReferenceBackend, loaded.plan, optionsWith(1));
        expected = feed(*reference, tokens, {512}, blocks);
    }
    qputenv("DECODESCOPE_ISA", isa.toUtf8());
    const auto backend = make(makeCpuBackend, loaded.plan, optionsWith(2));
    const std::vector<float> logits = feed(*backend, tokens, {37, 1}, blocks);
    QCOMPARE(logits.size(), expected.size());
    // Inputs of quantised planes are rounded to 8 bits: 1 / 254 of the greatest of 32, in every layer anew.
    const double tolerance = isFloat(type) ? 2e-3 : 3e-2;
    const double error = relativeError(logits, expected);
    QVERIFY2(error < tolerance, qPrintable(QString::number(error)));
}

void TestCpuBackend::everyWayOfFeedingGivesTheSameBits_data() {
    QTest::addColumn<QString>("architecture");
    QTest::addColumn<TensorType>("type");
    QTest::addColumn<QString>("isa");
    QTest::addColumn<bool>("bytes");
    const auto add = [](const char* architecture, TensorType type, Isa isa, bool bytes) {
        QTest::addRow("%s %s %s %s", architecture, tensorTypeInfo(type).name.data(), toString(isa).data(),
                      bytes ? "q8" : "f16")
            << architecture << type << QString::fromStdString(std::string(toString(isa))) << bytes;
    };
    for (const Isa isa : isasHere()) {
        for (const TensorType type : supportedTypes())
            add("llama", type, isa, false);
        add("qwen3", TensorType::q4_k, isa, true);
        add("gemma3", TensorType::q8_0, isa, false);
        add("qwen2", TensorType::f16, isa, true);
    }
}

void TestCpuBackend::everyWayOfFeedingGivesTheSameBits() {
    QFETCH(QString, architecture);
    QFETCH(TensorType, type);
    QFETCH(QString, isa);
    QFETCH(bool, bytes);
    qputenv("DECODESCOPE_ISA", isa.toUtf8());
    TinyModel model = TinyModel::of(architecture.toStdString(), type);
    model.layers = 2;
    const Loaded loaded = load(model);
    const KvType kvType = bytes ? KvType::q8 : KvType::f16;
    constexpr std::size_t kTokens = 290; // more than a chunk of attention
    const std::vector<TokenId> tokens = tokensFor(loaded.plan, kTokens);
    const std::vector<std::uint32_t> blocks = blocksFor(kTokens, 5);
    const auto one = make(makeCpuBackend, loaded.plan, optionsWith(1, kvType));
    const std::vector<float> whole = feed(*one, tokens, {512}, blocks);
    QVERIFY(std::isfinite(std::accumulate(whole.begin(), whole.end(), 0.0F)));
    QVERIFY(feed(*one, tokens, {250, 1}, blocks) == whole); // over the end of the chunk, one by one
    QVERIFY(feed(*one, tokens, {33, 5, 19, 2, 64}, blocks) == whole);
    const auto three = make(makeCpuBackend, loaded.plan, optionsWith(3, kvType));
    QVERIFY(feed(*three, tokens, {512}, blocks) == whole);
    QVERIFY(feed(*three, tokens, {254, 1, 2, 1, 28, 2, 1}, blocks) == whole);

    // Beside others: prompts of other lengths, and a sequence that decodes at its own position.
    const std::vector<TokenId> other = tokensFor(loaded.plan, 66, 8);
    const std::vector<std::uint32_t> otherBlocks = blocksFor(other.size(), 30);
    const std::vector<float> otherAlone = feed(*one, other, {512}, otherBlocks);
    static_cast<void>(feed(*three, {other.begin(), other.begin() + 60}, {512}, otherBlocks));
    static_cast<void>(feed(*three, {tokens.begin(), tokens.begin() + 100}, {512}, blocks));
    std::vector<float> mine, others;
    const std::size_t vocabulary = loaded.plan.vocabulary;
    constexpr std::size_t kSteps = 6;
    for (std::size_t i = 0; i < kSteps; ++i) {
        const std::array slices{
            SequenceSlice{std::span(other).subspan(60 + i, 1), static_cast<std::uint32_t>(60 + i), otherBlocks, 0},
            SequenceSlice{std::span(tokens).subspan(100 + 4 * i, 4), static_cast<std::uint32_t>(100 + 4 * i), blocks,
                          0}};
        const auto output = three->step(slices);
        QVERIFY(output.has_value());
        const auto middle = output->logits.begin() + static_cast<std::ptrdiff_t>(vocabulary);
        others.insert(others.end(), output->logits.begin(), middle);
        mine.insert(mine.end(), middle, output->logits.end());
    }
    QVERIFY(
        std::equal(others.begin(), others.end(), otherAlone.begin() + static_cast<std::ptrdiff_t>(60 * vocabulary)));
    QVERIFY(std::equal(mine.begin(), mine.end(), whole.begin() + static_cast<std::ptrdiff_t>(100 * vocabulary)));
}

void TestCpuBackend::bytesInTheCacheComeClose() {
    const Loaded loaded = load(TinyModel::of("qwen3", TensorType::f32));
    const std::vector<TokenId> tokens = tokensFor(loaded.plan, 100);
    const std::vector<std::uint32_t> blocks = blocksFor(tokens.size(), 0);
    const auto reference = make(makeReferenceBackend, loaded.plan, optionsWith(1));
    const auto bytes = make(makeCpuBackend, loaded.plan, optionsWith(1, KvType::q8));
    const double error = relativeError(feed(*bytes, tokens, {512}, blocks), feed(*reference, tokens, {512}, blocks));
    QVERIFY2(error < 2e-2, qPrintable(QString::number(error)));
    QVERIFY(error > 1e-5); // it is the smaller cache that ran
    QVERIFY(bytes->facts().kvBytesPerToken <
            make(makeCpuBackend, loaded.plan, optionsWith(1))->facts().kvBytesPerToken * 2 / 3);
}

void TestCpuBackend::aSharedPrefixGoesOnAsItsOwner() {
    const Loaded loaded = load(TinyModel::of("llama", TensorType::q4_1));
    const auto backend = make(makeCpuBackend, loaded.plan, optionsWith(2));
    const std::vector<TokenId> tokens = tokensFor(loaded.plan, 70);
    const std::vector<std::uint32_t> blocks{4, 9, 2};
    const std::vector<float> whole = feed(*backend, tokens, {512}, blocks);
    backend->copyBlock(9, 20, 10); // 42 positions shared: one block as it is, 10 of the next
    const std::vector<std::uint32_t> sharing{4, 20, 21};
    const std::vector<float> rest = feed(*backend, tokens, {3, 1}, sharing, 42);
    QVERIFY(std::equal(rest.begin(), rest.end(), whole.end() - static_cast<std::ptrdiff_t>(rest.size())));
}

void TestCpuBackend::staleBlocksDoNotShine() {
    const Loaded loaded = load(TinyModel::of("gemma3", TensorType::q8_0));
    const auto backend = make(makeCpuBackend, loaded.plan, optionsWith(1));
    const std::vector<TokenId> tokens = tokensFor(loaded.plan, 33);
    const std::vector<std::uint32_t> blocks{7, 8};
    const std::vector<float> fresh = feed(*backend, tokens, {512}, blocks);
    static_cast<void>(feed(*backend, tokensFor(loaded.plan, 64, 99), {512}, {8, 7}));
    QVERIFY(feed(*backend, tokens, {512}, blocks) == fresh);
}

void TestCpuBackend::headSizesThatFillNoVector() {
    for (const std::uint32_t headSize : {8U, 24U, 80U}) {
        TinyModel model = TinyModel::of("qwen3", TensorType::f16);
        model.headSize = headSize;
        model.heads = 6;
        model.kvHeads = 2;
        const Loaded loaded = load(model);
        const std::vector<TokenId> tokens = tokensFor(loaded.plan, 50);
        const std::vector<std::uint32_t> blocks = blocksFor(tokens.size(), 0);
        const auto reference = make(makeReferenceBackend, loaded.plan, optionsWith(1));
        const std::vector<float> expected = feed(*reference, tokens, {512}, blocks);
        for (const KvType kvType : {KvType::f16, KvType::q8}) {
            const auto backend = make(makeCpuBackend, loaded.plan, optionsWith(2, kvType));
            QVERIFY(relativeError(feed(*backend, tokens, {30, 1}, blocks), expected) <
                    (kvType == KvType::f16 ? 2e-3 : 2e-2));
        }
    }
}

void TestCpuBackend::logitsForTheRowsThatAskedAlone() {
    const Loaded loaded = load(TinyModel::of("llama", TensorType::q4_k));
    const std::vector<TokenId> tokens = tokensFor(loaded.plan, 40);
    const std::vector<std::uint32_t> blocks = blocksFor(40, 0);
    const std::size_t vocabulary = loaded.plan.vocabulary;
    for (const int threads : {1, 2}) {
        const auto backend = make(makeCpuBackend, loaded.plan, optionsWith(threads));
        const std::vector<float> whole = feed(*backend, tokens, {512}, blocks);
        const std::vector<std::uint32_t> others = blocksFor(40, 10);
        const std::array slices{SequenceSlice{std::span(tokens).first(30), 0, blocks, 30}, // none
                                SequenceSlice{tokens, 0, others, 38}};                     // two
        const auto output = backend->step(slices);
        QVERIFY(output.has_value());
        QCOMPARE(output->logits.size(), 2 * vocabulary);
        QVERIFY(std::equal(output->logits.begin(), output->logits.end(),
                           whole.end() - static_cast<std::ptrdiff_t>(2 * vocabulary)));
        // Rows that wanted nothing are in the cache all the same.
        const SequenceSlice none{std::span(tokens).subspan(30, 9), 30, blocks, 9};
        const auto nothing = backend->step({&none, 1});
        QVERIFY(nothing.has_value());
        QVERIFY(nothing->logits.empty());
        const SequenceSlice next{std::span(tokens).last(1), 39, blocks, 0};
        const auto after = backend->step({&next, 1});
        QVERIFY(std::equal(after->logits.begin(), after->logits.end(),
                           whole.end() - static_cast<std::ptrdiff_t>(vocabulary)));
        QVERIFY(nothing->timings.weightBytes < after->timings.weightBytes);
    }
}

void TestCpuBackend::timingsAddUp() {
    const Loaded loaded = load(TinyModel::of("gemma3", TensorType::q4_0));
    const auto backend = make(makeCpuBackend, loaded.plan, optionsWith(2));
    const TokenId token = 1;
    const std::uint32_t block = 0;
    const SequenceSlice slice{{&token, 1}, 0, {&block, 1}, 0};
    const StepTimings timings = backend->step({&slice, 1})->timings;
    QCOMPARE(timings.spans.size(), 2 * std::size_t{loaded.plan.layers} + 2);
    std::int64_t at = timings.beginNs;
    std::int64_t attention = 0;
    for (const PhaseSpan& span : timings.spans) {
        QCOMPARE(span.beginNs, at);
        QVERIFY(span.endNs >= span.beginNs);
        at = span.endNs;
        if (span.phase == PhaseSpan::Phase::attention)
            attention += span.endNs - span.beginNs;
    }
    QVERIFY(timings.endNs >= at);
    QCOMPARE(timings.attentionNs, attention);
    QCOMPARE(timings.weightBytes, backend->facts().weightBytes);
    QCOMPARE(timings.kvBytes, backend->facts().kvBytesPerToken);
    backend->recordSpans(false);
    const StepTimings without = backend->step({&slice, 1})->timings;
    QVERIFY(without.spans.empty());
    QVERIFY(without.feedForwardNs > 0);
}

void TestCpuBackend::stepsThatDoNotFitAreRefused() {
    const Loaded loaded = load(TinyModel::of("llama", TensorType::q8_0));
    const auto backend = make(makeCpuBackend, loaded.plan, optionsWith(1));
    const std::vector<TokenId> tokens = tokensFor(loaded.plan, 10);
    const std::vector<std::uint32_t> blocks{0};
    const auto refused = [&](const SequenceSlice& slice) {
        const auto output = backend->step({&slice, 1});
        return !output && output.error().code == ErrorCode::internal;
    };
    const TokenId tooLarge = static_cast<TokenId>(loaded.plan.vocabulary);
    const TokenId negative = -1;
    const std::uint32_t noBlock = 64;
    QVERIFY(refused({{&tooLarge, 1}, 0, blocks, 0}));
    QVERIFY(refused({{&negative, 1}, 0, blocks, 0}));
    QVERIFY(refused({tokens, 23, blocks, 0}));
    QVERIFY(refused({tokens, 0, {&noBlock, 1}, 0}));
    QVERIFY(refused({tokens, 0, blocks, 11}));
    QVERIFY(refused({{}, 0, blocks, 0}));
    QVERIFY(!backend->step({}));
    QVERIFY(!refused({tokens, 22, blocks, 10}));
}

void TestCpuBackend::tooMuchMemoryIsAnError() {
    const Loaded loaded = load(TinyModel::of("llama", TensorType::q8_0));
    BackendOptions options = optionsWith(1);
    for (const std::uint32_t blocks : {4'000'000'000U, 400'000'000U}) {
        options.kvBlocks = blocks;
        const auto backend = makeCpuBackend(loaded.plan, options);
        QVERIFY(!backend);
        QVERIFY(backend.error().code == ErrorCode::memory);
        QVERIFY(backend.error().message.find("smaller context") != std::string::npos);
    }
}

void TestCpuBackend::loadingCanBeStopped() {
    const Loaded loaded = load(TinyModel::of("llama", TensorType::q8_0));
    std::uint64_t last = 0;
    std::uint64_t all = 0;
    QVERIFY(makeCpuBackend(loaded.plan, optionsWith(2), [&](std::uint64_t done, std::uint64_t total) {
        last = done;
        all = total;
        return true;
    }));
    QVERIFY(all > 0);
    QCOMPARE(last, all);
    const auto stopped =
        makeCpuBackend(loaded.plan, optionsWith(2), [](std::uint64_t, std::uint64_t) { return false; });
    QVERIFY(!stopped);
    QVERIFY(stopped.error().code == ErrorCode::cancelled);
}

void TestCpuBackend::threadsAreTunedWithinTheMachine() {
    const Loaded loaded = load(TinyModel::of("llama", TensorType::q8_0));
    const BackendFacts facts = make(makeCpuBackend, loaded.plan, optionsWith(0))->facts();
    QVERIFY(facts.threads >= 1);
    QVERIFY(facts.threads <= std::max(1, QThread::idealThreadCount()));
    QVERIFY(facts.readBandwidthGBps > 0);
    QVERIFY(facts.memoryBytes > facts.weightBytes);
    QVERIFY(facts.device.starts_with("cpu: "));
}

QTEST_APPLESS_MAIN(TestCpuBackend)
#include "tst_cpu_backend.moc"
