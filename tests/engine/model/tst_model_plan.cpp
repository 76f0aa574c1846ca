#include "engine/model/model_plan.h"
#include "tests/engine/support/random_blocks.h"
#include "tests/engine/support/tiny_model.h"
#include "tests/engine/support/written_model.h"

#include <QTest>

#include <cmath>

using namespace decodescope::engine;
using namespace decodescope::engine::test;

namespace {

/// The op of that kind in that layer.
template <class Op> const Op& opOf(const ModelPlan& plan, std::uint32_t layer) {
    std::size_t index = 1 + std::size_t{layer} * 5;
    while (!std::holds_alternative<Op>(plan.ops.at(index)))
        ++index;
    return std::get<Op>(plan.ops[index]);
}

const EmbedOp& embedOf(const ModelPlan& plan) {
    return std::get<EmbedOp>(plan.ops.front());
}
const HeadOp& headOf(const ModelPlan& plan) {
    return std::get<HeadOp>(plan.ops.back());
}

} // namespace

class TestModelPlan : public QObject {
    Q_OBJECT
private slots:
    void numbersAndOrder();
    void llama();
    void llamaRopeFactorsAndScaling();
    void llamaOptionalBiases();
    void qwen2();
    void qwen3();
    void gemma3();
    void gemma3Patterns();
    void gemma3Of27B();
    void defaultsOfAbsentKeys();
    void layersOfDifferentWidth();
    void tiedHead();
    void namesAndQuantisation();
    void everyTypeOfEveryArchitecture();
};

void TestModelPlan::numbersAndOrder() {
    const TinyModel tiny = TinyModel::of("llama");
    const WrittenModel written(tiny.writer());
    const auto plan = written.plan();
    QVERIFY2(plan, plan ? "" : plan.error().message.c_str());
    QCOMPARE(plan->architecture, std::string("llama"));
    QCOMPARE(plan->layers, tiny.layers);
    QCOMPARE(plan->embedding, tiny.embedding);
    QCOMPARE(plan->heads, tiny.heads);
    QCOMPARE(plan->kvHeads, tiny.kvHeads);
    QCOMPARE(plan->headSize, tiny.headSize);
    QCOMPARE(plan->feedForward, tiny.feedForward);
    QCOMPARE(plan->vocabulary, static_cast<std::uint32_t>(tiny.vocabulary.tokens.size()));
    QCOMPARE(plan->contextLength, tiny.contextLength);
    QCOMPARE(plan->kvBytesPerToken(), std::uint64_t{2} * 2 * tiny.layers * tiny.kvHeads * tiny.headSize);

    std::uint64_t parameters = 0;
    for (const TensorView& tensor : written.file().tensors())
        parameters += tensor.elements();
    QCOMPARE(plan->parametersTotal, parameters);
    QCOMPARE(plan->parametersActive, parameters);

    QCOMPARE(plan->ops.size(), std::size_t{2} + 5 * tiny.layers);
    QVERIFY(std::holds_alternative<EmbedOp>(plan->ops.front()));
    QVERIFY(std::holds_alternative<HeadOp>(plan->ops.back()));
    for (std::uint32_t layer = 0; layer < tiny.layers; ++layer) {
        const std::size_t at = 1 + std::size_t{layer} * 5;
        QVERIFY(std::holds_alternative<QkvOp>(plan->ops[at]));
        QVERIFY(std::holds_alternative<AttentionOp>(plan->ops[at + 1]));
        QVERIFY(std::holds_alternative<AttentionOutputOp>(plan->ops[at + 2]));
        QVERIFY(std::holds_alternative<GateUpOp>(plan->ops[at + 3]));
        QVERIFY(std::holds_alternative<DownOp>(plan->ops[at + 4]));
        QCOMPARE(std::get<QkvOp>(plan->ops[at]).layer, layer);
        QCOMPARE(std::get<DownOp>(plan->ops[at + 4]).layer, layer);
    }
}

void TestModelPlan::llama() {
    const WrittenModel written(TinyModel::of("llama").writer());
    const auto plan = written.plan();
    QVERIFY(plan);
    const QkvOp& qkv = opOf<QkvOp>(*plan, 1);
    QCOMPARE(qkv.norm.weight->name, std::string_view("blk.1.attn_norm.weight"));
    QCOMPARE(qkv.norm.epsilon, 1e-6F);
    QCOMPARE(qkv.q.weight->name, std::string_view("blk.1.attn_q.weight"));
    QCOMPARE(qkv.q.outputs(), 64U);
    QCOMPARE(qkv.k.outputs(), 32U);
    QVERIFY(!qkv.q.bias && !qkv.k.bias && !qkv.v.bias);
    QVERIFY(!qkv.queryNorm.present() && !qkv.keyNorm.present());
    QVERIFY(qkv.rope.style == RopeStyle::adjacent);
    QCOMPARE(qkv.rope.dimensions, 16U);
    QCOMPARE(qkv.rope.base, 10000.0F);
    QCOMPARE(qkv.rope.frequencyScale, 1.0F);
    QVERIFY(!qkv.rope.factors);
    QCOMPARE(opOf<AttentionOp>(*plan, 1).scale, 0.25F);
    QCOMPARE(opOf<AttentionOp>(*plan, 1).slidingWindow, 0U);
    QVERIFY(!opOf<AttentionOutputOp>(*plan, 1).postNorm.present());
    QVERIFY(opOf<GateUpOp>(*plan, 1).activation == Activation::silu);
    QCOMPARE(opOf<GateUpOp>(*plan, 1).gate.weight->name, std::string_view("blk.1.ffn_gate.weight"));
    QCOMPARE(opOf<GateUpOp>(*plan, 1).up.weight->name, std::string_view("blk.1.ffn_up.weight"));
    QVERIFY(!opOf<DownOp>(*plan, 1).postNorm.present());
    QCOMPARE(embedOf(*plan).scale, 1.0F);
    QCOMPARE(headOf(*plan).head.weight->name, std::string_view("output.weight"));
    QCOMPARE(headOf(*plan).norm.weight->name, std::string_view("output_norm.weight"));
}

void TestModelPlan::llamaRopeFactorsAndScaling() {
    TinyModel tiny = TinyModel::of("llama");
    tiny.ropeFactors = true;
    GgufWriter writer = tiny.writer();
    writer.text("llama.rope.scaling.type", "linear");
    writer.f32("llama.rope.scaling.factor", 4);
    const WrittenModel written(writer);
    const auto plan = written.plan();
    QVERIFY(plan);
    for (std::uint32_t layer = 0; layer < 2; ++layer) {
        QCOMPARE(opOf<QkvOp>(*plan, layer).rope.frequencyScale, 0.25F);
        QCOMPARE(opOf<QkvOp>(*plan, layer).rope.factors, written.file().tensor("rope_freqs.weight"));
    }

    // The key's older name; a type "none" switches a factor off.
    GgufWriter older = TinyModel::of("llama").writer();
    older.f32("llama.rope.scale_linear", 2);
    const WrittenModel olderFile(older);
    const auto olderPlan = olderFile.plan();
    QVERIFY(olderPlan);
    QCOMPARE(opOf<QkvOp>(*olderPlan, 0).rope.frequencyScale, 0.5F);
    older.text("llama.rope.scaling.type", "none");
    const WrittenModel off(older);
    const auto offPlan = off.plan();
    QVERIFY(offPlan);
    QCOMPARE(opOf<QkvOp>(*offPlan, 0).rope.frequencyScale, 1.0F);
}

void TestModelPlan::llamaOptionalBiases() {
    GgufWriter writer = TinyModel::of("llama").writer();
    writer.tensor("blk.0.attn_k.bias", {32}, std::vector<float>(32, 1));
    writer.tensor("blk.1.attn_output.bias", {64}, std::vector<float>(64, 1));
    writer.tensor("blk.1.ffn_up.bias", {128}, std::vector<float>(128, 1));
    const WrittenModel written(writer);
    const auto plan = written.plan();
    QVERIFY2(plan, plan ? "" : plan.error().message.c_str());
    QVERIFY(opOf<QkvOp>(*plan, 0).k.bias && !opOf<QkvOp>(*plan, 0).q.bias && !opOf<QkvOp>(*plan, 1).k.bias);
    QVERIFY(opOf<AttentionOutputOp>(*plan, 1).output.bias);
    QVERIFY(opOf<GateUpOp>(*plan, 1).up.bias && !opOf<GateUpOp>(*plan, 1).gate.bias);
}

void TestModelPlan::qwen2() {
    const WrittenModel written(TinyModel::of("qwen2").writer());
    const auto plan = written.plan();
    QVERIFY2(plan, plan ? "" : plan.error().message.c_str());
    const QkvOp& qkv = opOf<QkvOp>(*plan, 0);
    QVERIFY(qkv.rope.style == RopeStyle::halves);
    QCOMPARE(qkv.rope.base, 1e6F);
    QCOMPARE(qkv.q.bias->name, std::string_view("blk.0.attn_q.bias"));
    QVERIFY(qkv.k.bias && qkv.v.bias);
    QVERIFY(!opOf<AttentionOutputOp>(*plan, 0).output.bias);
    QVERIFY(!qkv.queryNorm.present());
}

void TestModelPlan::qwen3() {
    TinyModel tiny = TinyModel::of("qwen3");
    tiny.headSize = 32; // twice the width's share: queries are wider than the residual
    const WrittenModel written(tiny.writer());
    const auto plan = written.plan();
    QVERIFY2(plan, plan ? "" : plan.error().message.c_str());
    QCOMPARE(plan->headSize, 32U);
    const QkvOp& qkv = opOf<QkvOp>(*plan, 1);
    QCOMPARE(qkv.q.outputs(), 128U);
    QCOMPARE(opOf<AttentionOutputOp>(*plan, 1).output.inputs(), 128U);
    QVERIFY(qkv.rope.style == RopeStyle::halves);
    QCOMPARE(qkv.queryNorm.weight->name, std::string_view("blk.1.attn_q_norm.weight"));
    QCOMPARE(qkv.keyNorm.weight->name, std::string_view("blk.1.attn_k_norm.weight"));
    QVERIFY(!qkv.q.bias);
    QCOMPARE(opOf<AttentionOp>(*plan, 1).scale, 1.0F / std::sqrt(32.0F));
}

void TestModelPlan::gemma3() {
    const TinyModel tiny = TinyModel::of("gemma3");
    GgufWriter writer = tiny.writer();
    writer.text("gemma3.rope.scaling.type", "linear");
    writer.f32("gemma3.rope.scaling.factor", 8);
    const WrittenModel written(writer);
    const auto plan = written.plan();
    QVERIFY2(plan, plan ? "" : plan.error().message.c_str());
    QCOMPARE(embedOf(*plan).scale, std::sqrt(static_cast<float>(tiny.embedding)));
    QCOMPARE(headOf(*plan).head.weight, embedOf(*plan).table);
    for (std::uint32_t layer = 0; layer < tiny.layers; ++layer) {
        const bool global = layer == 5;
        const QkvOp& qkv = opOf<QkvOp>(*plan, layer);
        QVERIFY(qkv.rope.style == RopeStyle::halves);
        QCOMPARE(qkv.rope.base, global ? 1e6F : 10000.0F);
        QCOMPARE(qkv.rope.frequencyScale, global ? 0.125F : 1.0F);
        QCOMPARE(opOf<AttentionOp>(*plan, layer).slidingWindow, global ? 0U : tiny.slidingWindow);
        QCOMPARE(opOf<AttentionOp>(*plan, layer).scale, 0.25F);
        QVERIFY(qkv.queryNorm.present() && qkv.keyNorm.present());
    }
    QCOMPARE(opOf<AttentionOutputOp>(*plan, 2).postNorm.weight->name,
             std::string_view("blk.2.post_attention_norm.weight"));
    QCOMPARE(opOf<DownOp>(*plan, 2).postNorm.weight->name, std::string_view("blk.2.post_ffw_norm.weight"));
    QVERIFY(opOf<GateUpOp>(*plan, 2).activation == Activation::geluTanh);
}

void TestModelPlan::gemma3Patterns() {
    const auto localLayers = [](const GgufWriter& writer) {
        const WrittenModel written(writer);
        const auto plan = written.plan();
        std::string out = plan ? "" : plan.error().message;
        for (std::uint32_t layer = 0; plan && layer < plan->layers; ++layer) {
            const bool local = opOf<AttentionOp>(*plan, layer).slidingWindow != 0;
            out += local ? 'l' : 'G';
            if (local != (opOf<QkvOp>(*plan, layer).rope.base == 10000.0F))
                out += '?'; // the base goes with the window
        }
        return out;
    };
    const TinyModel tiny = TinyModel::of("gemma3");
    const char* const key = "gemma3.attention.sliding_window_pattern";

    GgufWriter number = tiny.writer();
    number.u32(key, 2);
    QCOMPARE(localLayers(number), std::string("lGlGlG"));
    GgufWriter none = tiny.writer();
    none.u32(key, 1);
    QCOMPARE(localLayers(none), std::string("GGGGGG"));
    GgufWriter all = tiny.writer();
    all.u32(key, 0);
    QCOMPARE(localLayers(all), std::string("llllll"));
    GgufWriter flags = tiny.writer();
    flags.array(key, ValueType::boolean, 6, std::string("\1\0\0\1\1\0", 6));
    QCOMPARE(localLayers(flags), std::string("lGGllG"));
    TinyModel windowless = tiny;
    windowless.slidingWindow = 0;
    QCOMPARE(localLayers(windowless.writer()), std::string("GGGGGG"));

    GgufWriter base = tiny.writer();
    base.f32("gemma3.rope.freq_base_swa", 5000);
    const WrittenModel written(base);
    const auto plan = written.plan();
    QVERIFY(plan);
    QCOMPARE(opOf<QkvOp>(*plan, 0).rope.base, 5000.0F);
    QCOMPARE(opOf<QkvOp>(*plan, 5).rope.base, 1e6F);
}

void TestModelPlan::gemma3Of27B() {
    TinyModel tiny = TinyModel::of("gemma3");
    tiny.layers = 62;
    tiny.headSize = 8;
    const WrittenModel written(tiny.writer());
    const auto plan = written.plan();
    QVERIFY(plan);
    QCOMPARE(opOf<AttentionOp>(*plan, 61).scale, 0.25F); // 64 / 4 elements, not the head's 8
}

void TestModelPlan::defaultsOfAbsentKeys() {
    TinyModel tiny = TinyModel::of("llama");
    tiny.kvHeads = tiny.heads;
    GgufWriter writer = tiny.writer();
    for (const char* const key : {"attention.head_count_kv", "attention.key_length", "attention.value_length",
                                  "rope.dimension_count", "rope.freq_base", "vocab_size"})
        writer.remove(std::string("llama.") + key);
    const WrittenModel written(writer);
    const auto plan = written.plan();
    QVERIFY2(plan, plan ? "" : plan.error().message.c_str());
    QCOMPARE(plan->kvHeads, tiny.heads);
    QCOMPARE(plan->headSize, tiny.embedding / tiny.heads);
    QCOMPARE(opOf<QkvOp>(*plan, 0).rope.dimensions, plan->headSize);
    QCOMPARE(opOf<QkvOp>(*plan, 0).rope.base, 10000.0F);
    QCOMPARE(plan->vocabulary, static_cast<std::uint32_t>(tiny.vocabulary.tokens.size()));

    // A part of each head may be rotated alone.
    writer.u32("llama.rope.dimension_count", 8);
    const WrittenModel partial(writer);
    const auto partialPlan = partial.plan();
    QVERIFY(partialPlan);
    QCOMPARE(opOf<QkvOp>(*partialPlan, 0).rope.dimensions, 8U);
}

void TestModelPlan::layersOfDifferentWidth() {
    const TinyModel tiny = TinyModel::of("llama");
    GgufWriter writer = tiny.writer();
    for (const char* const name : {"ffn_gate", "ffn_up", "ffn_down"}) {
        writer.remove(std::string("blk.1.") + name + ".weight");
        const bool down = std::string_view(name) == "ffn_down";
        writer.tensor(std::string("blk.1.") + name + ".weight", {down ? 96U : 64U, down ? 64U : 96U},
                      std::vector<float>(std::size_t{96} * 64, 0.1F));
    }
    for (const char* const key : {"feed_forward_length", "attention.head_count", "attention.head_count_kv"})
        writer.remove(std::string("llama.") + key);
    writer.i32s("llama.feed_forward_length", {128, 96});
    writer.i32s("llama.attention.head_count", {4, 4});
    writer.i32s("llama.attention.head_count_kv", {2, 2});
    const WrittenModel written(writer);
    const auto plan = written.plan();
    QVERIFY2(plan, plan ? "" : plan.error().message.c_str());
    QCOMPARE(plan->feedForward, 128U);
    QCOMPARE(opOf<GateUpOp>(*plan, 0).gate.outputs(), 128U);
    QCOMPARE(opOf<GateUpOp>(*plan, 1).up.outputs(), 96U);
    QCOMPARE(opOf<DownOp>(*plan, 1).down.inputs(), 96U);
}

void TestModelPlan::tiedHead() {
    TinyModel tiny = TinyModel::of("llama");
    tiny.head = HeadKind::tied;
    const WrittenModel written(tiny.writer());
    const auto plan = written.plan();
    QVERIFY(plan);
    QCOMPARE(headOf(*plan).head.weight, embedOf(*plan).table);
    QVERIFY(!headOf(*plan).head.bias);

    tiny = TinyModel::of("qwen2");
    tiny.head = HeadKind::own;
    GgufWriter writer = tiny.writer();
    writer.tensor("output.bias", {tiny.vocabulary.tokens.size()}, std::vector<float>(tiny.vocabulary.tokens.size(), 1));
    const WrittenModel own(writer);
    const auto ownPlan = own.plan();
    QVERIFY2(ownPlan, ownPlan ? "" : ownPlan.error().message.c_str());
    QVERIFY(headOf(*ownPlan).head.bias);
}

void TestModelPlan::namesAndQuantisation() {
    TinyModel tiny = TinyModel::of("llama", TensorType::q4_0);
    GgufWriter writer = tiny.writer();
    const WrittenModel named(writer);
    QCOMPARE(named.plan()->name, std::string("Tiny llama"));
    QCOMPARE(named.plan()->quantization, std::string("Q4_0"));

    writer.remove("general.name");
    const WrittenModel unnamed(writer);
    QCOMPARE(unnamed.plan()->name, std::string("tiny.gguf"));
    writer.text("general.name", "evil \x1b]0;title\x07 name");
    const WrittenModel hostile(writer);
    QVERIFY(hostile.plan()->name.find('\x1b') == std::string::npos);
}

void TestModelPlan::everyTypeOfEveryArchitecture() {
    for (const std::string_view architecture : knownArchitectures())
        for (const TensorType type : supportedTypes()) {
            const WrittenModel written(TinyModel::of(std::string(architecture), type).writer());
            const auto plan = written.plan();
            QVERIFY2(plan, plan ? "" : plan.error().message.c_str());
            QCOMPARE(plan->architecture, std::string(architecture));
            QCOMPARE(plan->quantization, std::string(tensorTypeInfo(type).name));
        }
}

QTEST_GUILESS_MAIN(TestModelPlan)
#include "tst_model_plan.moc"
