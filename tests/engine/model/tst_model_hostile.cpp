#include "engine/model/model_plan.h"
#include "tests/engine/support/random_blocks.h"
#include "tests/engine/support/tiny_model.h"
#include "tests/engine/support/written_model.h"

#include <QTest>

#include <limits>

using namespace decodescope::engine;
using namespace decodescope::engine::test;

namespace {

/// Whether every tensor of the plan is as large as the plan's numbers say, so that no backend can read beside one.
bool sound(const ModelPlan& plan) {
    const std::uint64_t queries = std::uint64_t{plan.heads} * plan.headSize;
    const std::uint64_t keys = std::uint64_t{plan.kvHeads} * plan.headSize;
    const auto linear = [](const Linear& l, std::uint64_t in, std::uint64_t out) {
        return l.present() && l.weight->elements() == in * out && l.inputs() == in &&
               (!l.bias || l.bias->elements() == out);
    };
    const auto norm = [](const RmsNorm& n, std::uint64_t width) {
        return !n.present() || (n.weight->elements() == width && n.weight->bytes == width * sizeof(float));
    };
    for (const PlanOp& op : plan.ops) {
        bool good = true;
        if (const auto* embed = std::get_if<EmbedOp>(&op))
            good = embed->table->elements() == std::uint64_t{plan.vocabulary} * plan.embedding;
        else if (const auto* qkv = std::get_if<QkvOp>(&op))
            good = norm(qkv->norm, plan.embedding) && linear(qkv->q, plan.embedding, queries) &&
                   linear(qkv->k, plan.embedding, keys) && linear(qkv->v, plan.embedding, keys) &&
                   norm(qkv->queryNorm, plan.headSize) && norm(qkv->keyNorm, plan.headSize) &&
                   qkv->rope.dimensions <= plan.headSize && qkv->rope.dimensions % 2 == 0 &&
                   (!qkv->rope.factors || qkv->rope.factors->elements() == qkv->rope.dimensions / 2);
        else if (const auto* output = std::get_if<AttentionOutputOp>(&op))
            good = linear(output->output, queries, plan.embedding) && norm(output->postNorm, plan.embedding);
        else if (const auto* gateUp = std::get_if<GateUpOp>(&op))
            good = gateUp->gate.outputs() <= plan.feedForward &&
                   linear(gateUp->up, plan.embedding, gateUp->gate.outputs());
        else if (const auto* head = std::get_if<HeadOp>(&op))
            good = norm(head->norm, plan.embedding) && linear(head->head, plan.embedding, plan.vocabulary);
        if (!good)
            return false;
    }
    return plan.heads % plan.kvHeads == 0 && plan.ops.size() == 2 + std::size_t{5} * plan.layers;
}

constexpr std::array kNumbers{"block_count",
                              "context_length",
                              "embedding_length",
                              "feed_forward_length",
                              "attention.head_count",
                              "attention.head_count_kv",
                              "attention.key_length",
                              "attention.value_length",
                              "attention.sliding_window",
                              "attention.sliding_window_pattern",
                              "rope.dimension_count",
                              "vocab_size"};

} // namespace

/// Every number of the header pushed to its edges, one and several at a time: a refusal, or a plan that fits its
/// tensors.
class TestModelHostile : public QObject {
    Q_OBJECT
private slots:
    void oneNumberAtATime();
    void severalNumbers();
    void largestNumbersAreRefusedAtOnce();
};

void TestModelHostile::oneNumberAtATime() {
    constexpr std::array<std::uint64_t, 14> values{
        0, 1, 2, 3, 15, 16, 17, 64, 1024, 1025, 1U << 16U, 1U << 31U, 0xFFFF'FFFFU, std::uint64_t{1} << 63U};
    for (const std::string architecture : {"llama", "gemma3"}) { // the others read no number of their own
        const GgufWriter whole = TinyModel::of(architecture).writer();
        for (const char* const name : kNumbers)
            for (const std::uint64_t value : values) {
                GgufWriter writer = whole;
                const std::string key = architecture + "." + name;
                writer.remove(key);
                writer.u64(key, value);
                const WrittenModel written(writer);
                const auto plan = written.plan();
                QVERIFY2(!plan || sound(*plan), (key + " = " + std::to_string(value)).c_str());
            }
    }
}

void TestModelHostile::severalNumbers() {
    RandomBits random(3);
    const GgufWriter llama = TinyModel::of("llama").writer();
    const GgufWriter gemma3 = TinyModel::of("gemma3").writer();
    int accepted = 0;
    for (int round = 0; round < 300; ++round) {
        const std::string architecture = round % 2 ? "llama" : "gemma3";
        GgufWriter writer = round % 2 ? llama : gemma3;
        for (int change = 0; change < 3; ++change) {
            const std::string key = architecture + "." + kNumbers[random.below(kNumbers.size())];
            writer.remove(key);
            writer.u64(key, std::uint64_t{1} << random.below(40));
        }
        const WrittenModel written(writer);
        const auto plan = written.plan();
        QVERIFY(!plan || sound(*plan));
        accepted += plan.has_value();
    }
    QVERIFY(accepted > 0); // some numbers may change without harm: the check above has seen plans too
}

void TestModelHostile::largestNumbersAreRefusedAtOnce() {
    GgufWriter writer = TinyModel::of("llama").writer();
    for (const char* const name : kNumbers) {
        writer.remove(std::string("llama.") + name);
        writer.u64(std::string("llama.") + name, std::numeric_limits<std::uint64_t>::max());
    }
    const WrittenModel written(writer);
    const auto plan = written.plan();
    QVERIFY(!plan);
    QVERIFY(plan.error().code == ErrorCode::malformed);
}

QTEST_GUILESS_MAIN(TestModelHostile)
#include "tst_model_hostile.moc"
