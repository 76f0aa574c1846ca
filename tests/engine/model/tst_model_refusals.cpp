#include "engine/model/model_plan.h"
#include "tests/engine/support/tiny_model.h"
#include "tests/engine/support/written_model.h"

#include <QTest>

#include <functional>
#include <limits>

using namespace decodescope::engine;
using namespace decodescope::engine::test;

namespace {

struct Refusal {
    const char* name;
    std::string architecture;
    std::function<void(GgufWriter&)> damage;
    ErrorCode code;
    std::vector<std::string> said; ///< all in the message
};

void replaceU32(GgufWriter& writer, const std::string& key, std::uint32_t value) {
    writer.remove(key);
    writer.u32(key, value);
}

void replaceF32(GgufWriter& writer, const std::string& key, float value) {
    writer.remove(key);
    writer.f32(key, value);
}

std::vector<Refusal> refusals() {
    constexpr auto malformed = ErrorCode::malformed;
    constexpr auto unsupported = ErrorCode::unsupported;
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    const auto key = [](const char* name, std::uint32_t value) {
        return [=](GgufWriter& w) { replaceU32(w, name, value); };
    };
    const auto number = [](const char* name, float value) {
        return [=](GgufWriter& w) { replaceF32(w, name, value); };
    };
    const auto without = [](const char* name) { return [=](GgufWriter& w) { w.remove(name); }; };
    const auto text = [](const char* name, const char* value) { return [=](GgufWriter& w) { w.text(name, value); }; };
    return {
        // Features that no plan has, by name.
        {"another architecture",
         "llama",
         [](GgufWriter& w) {
             w.remove("general.architecture");
             w.text("general.architecture", "mamba\x1b[2J");
         },
         unsupported,
         {"\"mamba\\x1B[2J\"", "gemma3, llama, qwen2, qwen3"}},
        {"no architecture", "llama", without("general.architecture"), malformed, {"general.architecture"}},
        {"experts", "llama", key("llama.expert_count", 8), unsupported, {"mixture of experts", "llama.expert_count"}},
        {"score softcapping",
         "gemma3",
         number("gemma3.attn_logit_softcapping", 50),
         unsupported,
         {"softcapping of attention scores"}},
        {"logit softcapping",
         "gemma3",
         number("gemma3.final_logit_softcapping", 30),
         unsupported,
         {"softcapping of logits"}},
        {"clamped values", "llama", number("llama.attention.clamp_kqv", 8), unsupported, {"clamped"}},
        {"ALiBi", "llama", number("llama.attention.max_alibi_bias", 8), unsupported, {"ALiBi"}},
        {"attention scale", "llama", number("llama.attention.scale", 0.1F), unsupported, {"attention scale"}},
        {"temperature by position",
         "llama",
         number("llama.attention.temperature_scale", 0.1F),
         unsupported,
         {"temperature"}},
        {"embedding scale", "llama", number("llama.embedding_scale", 12), unsupported, {"embedding scale"}},
        {"residual scale", "llama", number("llama.residual_scale", 0.2F), unsupported, {"residuals"}},
        {"logit scale", "llama", number("llama.logit_scale", 8), unsupported, {"scaled logits"}},
        {"rope attention factor",
         "llama",
         number("llama.rope.scaling.attn_factor", 1.2F),
         unsupported,
         {"rope attention factor"}},
        {"YaRN",
         "qwen2",
         text("qwen2.rope.scaling.type", "yarn"),
         unsupported,
         {"\"yarn\"", "qwen2.rope.scaling.type"}},
        {"LongRoPE", "llama", text("llama.rope.scaling.type", "longrope"), unsupported, {"\"longrope\""}},
        {"not causal",
         "llama",
         [](GgufWriter& w) { w.flag("llama.attention.causal", false); },
         unsupported,
         {"not causal"}},
        {"keys unlike values", "llama", key("llama.attention.value_length", 8), unsupported, {"keys have 16", "8"}},
        {"local heads of another size",
         "gemma3",
         key("gemma3.attention.key_length_swa", 8),
         unsupported,
         {"key_length_swa"}},
        {"local rope of another size",
         "gemma3",
         key("gemma3.rope.dimension_count_swa", 8),
         unsupported,
         {"dimension_count_swa"}},
        {"layers with different heads",
         "llama",
         [](GgufWriter& w) {
             w.remove("llama.attention.head_count_kv");
             w.i32s("llama.attention.head_count_kv", {2, 4});
         },
         unsupported,
         {"differ", "llama.attention.head_count_kv"}},
        {"a tensor that nothing asks for",
         "llama",
         [](GgufWriter& w) { w.tensor("blk.0.attn_sinks.weight", {4}, std::vector<float>(4)); },
         unsupported,
         {"blk.0.attn_sinks.weight", "llama"}},
        {"a bias that the architecture does not have",
         "qwen3",
         [](GgufWriter& w) { w.tensor("blk.0.attn_q.bias", {64}, std::vector<float>(64)); },
         unsupported,
         {"blk.0.attn_q.bias"}},
        {"rope factors where there are none",
         "qwen3",
         [](GgufWriter& w) { w.tensor("rope_freqs.weight", {8}, std::vector<float>(8, 1)); },
         unsupported,
         {"rope_freqs.weight"}},
        {"a type that we do not decode",
         "llama",
         [](GgufWriter& w) {
             w.remove("blk.1.ffn_up.weight");
             w.tensor("blk.1.ffn_up.weight", 20, {64, 128}, std::string(std::size_t{64} * 128 / 32 * 18, 'x'));
         },
         unsupported,
         {"blk.1.ffn_up.weight", "IQ4_NL", "Q4_K_M"}},
        {"a norm in f16",
         "llama",
         [](GgufWriter& w) {
             w.remove("output_norm.weight");
             w.tensor("output_norm.weight", TensorType::f16, {64}, std::string(128, '\0'));
         },
         unsupported,
         {"output_norm.weight", "F16", "F32"}},
        // Files that contradict themselves.
        {"a missing tensor", "llama", without("blk.1.attn_k.weight"), malformed, {"lacks", "blk.1.attn_k.weight"}},
        {"a missing norm", "llama", without("blk.0.ffn_norm.weight"), malformed, {"blk.0.ffn_norm.weight"}},
        {"no embedding", "llama", without("token_embd.weight"), malformed, {"token_embd.weight"}},
        {"a missing post norm",
         "gemma3",
         without("blk.3.post_ffw_norm.weight"),
         malformed,
         {"blk.3.post_ffw_norm.weight"}},
        {"a missing bias", "qwen2", without("blk.0.attn_v.bias"), malformed, {"blk.0.attn_v.bias"}},
        {"a transposed matrix",
         "llama",
         [](GgufWriter& w) {
             w.remove("blk.0.ffn_up.weight");
             w.tensor("blk.0.ffn_up.weight", {128, 64}, std::vector<float>(std::size_t{128} * 64));
         },
         malformed,
         {"blk.0.ffn_up.weight", "128 x 64", "64 x 128"}},
        {"a norm that is too short",
         "llama",
         [](GgufWriter& w) {
             w.remove("blk.0.attn_norm.weight");
             w.tensor("blk.0.attn_norm.weight", {32}, std::vector<float>(32));
         },
         malformed,
         {"blk.0.attn_norm.weight", "is 32", "want 64"}},
        {"a bias of another length",
         "qwen2",
         [](GgufWriter& w) {
             w.remove("blk.0.attn_q.bias");
             w.tensor("blk.0.attn_q.bias", {65}, std::vector<float>(65));
         },
         malformed,
         {"blk.0.attn_q.bias"}},
        {"a rope factor of 0",
         "llama",
         [](GgufWriter& w) {
             w.tensor("rope_freqs.weight", {8}, {1, 1, 1, 0, 1, 1, 1, 1});
         },
         malformed,
         {"rope_freqs.weight", "at 3"}},
        {"a rope factor that is no number",
         "llama",
         [=](GgufWriter& w) { w.tensor("rope_freqs.weight", {8}, std::vector<float>(8, nan)); },
         malformed,
         {"rope_freqs.weight"}},
        {"a vocabulary that is not the embedding's",
         "llama",
         [](GgufWriter& w) {
             w.remove("tokenizer.ggml.tokens");
             w.texts("tokenizer.ggml.tokens", {"a", "b"});
         },
         malformed,
         {"token_embd.weight", "64 x 2"}},
        {"no vocabulary",
         "llama",
         [](GgufWriter& w) {
             w.remove("tokenizer.ggml.tokens");
             w.remove("llama.vocab_size");
         },
         malformed,
         {"llama.vocab_size"}},
        {"no layers", "llama", key("llama.block_count", 0), malformed, {"llama.block_count is 0", "1 to 1024"}},
        {"too many layers", "llama", key("llama.block_count", 1025), malformed, {"llama.block_count is 1025"}},
        {"one layer too many", "llama", key("llama.block_count", 3), malformed, {"blk.2.attn_norm.weight"}},
        {"one layer too few", "llama", key("llama.block_count", 1), unsupported, {"blk.1."}},
        {"no block count", "llama", without("llama.block_count"), malformed, {"lacks the key llama.block_count"}},
        {"no width", "llama", without("llama.embedding_length"), malformed, {"llama.embedding_length"}},
        {"no context", "llama", key("llama.context_length", 0), malformed, {"llama.context_length"}},
        {"no feed-forward", "llama", without("llama.feed_forward_length"), malformed, {"llama.feed_forward_length"}},
        {"no heads", "llama", key("llama.attention.head_count", 0), malformed, {"llama.attention.head_count"}},
        {"heads that key heads do not divide",
         "llama",
         key("llama.attention.head_count_kv", 3),
         malformed,
         {"4 query heads", "3 key heads"}},
        {"heads that do not divide the width",
         "llama",
         [](GgufWriter& w) {
             w.remove("llama.attention.key_length");
             replaceU32(w, "llama.attention.head_count", 6);
         },
         malformed,
         {"6 heads", "64"}},
        {"an odd rope", "llama", key("llama.rope.dimension_count", 7), malformed, {"must be even"}},
        {"a rope wider than the head",
         "llama",
         key("llama.rope.dimension_count", 18),
         malformed,
         {"llama.rope.dimension_count is 18"}},
        {"a rope base of 0", "llama", number("llama.rope.freq_base", 0), malformed, {"llama.rope.freq_base"}},
        {"a rope base that is no number",
         "llama",
         number("llama.rope.freq_base", nan),
         malformed,
         {"llama.rope.freq_base"}},
        {"a negative rope factor",
         "llama",
         number("llama.rope.scaling.factor", -1),
         malformed,
         {"llama.rope.scaling.factor"}},
        {"a rope factor without a reciprocal",
         "llama",
         number("llama.rope.scaling.factor", 1e-45F),
         malformed,
         {"llama.rope.scaling.factor"}},
        {"a local base of 0", "gemma3", number("gemma3.rope.freq_base_swa", 0), malformed, {"freq_base_swa"}},
        {"no epsilon", "llama", without("llama.attention.layer_norm_rms_epsilon"), malformed, {"is missing"}},
        {"a negative epsilon",
         "llama",
         number("llama.attention.layer_norm_rms_epsilon", -1e-6F),
         malformed,
         {"above 0"}},
        {"an epsilon that is no number",
         "llama",
         number("llama.attention.layer_norm_rms_epsilon", nan),
         malformed,
         {"not a finite number"}},
        // Keys of another type.
        {"a number as text",
         "llama",
         [](GgufWriter& w) {
             w.remove("llama.block_count");
             w.text("llama.block_count", "2");
         },
         malformed,
         {"llama.block_count is not a whole number"}},
        {"a negative number",
         "llama",
         [](GgufWriter& w) {
             w.remove("llama.embedding_length");
             w.i32("llama.embedding_length", -64);
         },
         malformed,
         {"llama.embedding_length"}},
        {"a scaling type that is no text", "llama", key("llama.rope.scaling.type", 1), malformed, {"is not a text"}},
        {"a list of another length",
         "llama",
         [](GgufWriter& w) {
             w.remove("llama.feed_forward_length");
             w.i32s("llama.feed_forward_length", {128, 128, 128});
         },
         malformed,
         {"3 values for 2 layers"}},
        {"a list of texts",
         "llama",
         [](GgufWriter& w) {
             w.remove("llama.feed_forward_length");
             w.texts("llama.feed_forward_length", {"128", "128"});
         },
         malformed,
         {"list of whole numbers"}},
        {"a list with a negative number",
         "llama",
         [](GgufWriter& w) {
             w.remove("llama.feed_forward_length");
             w.i32s("llama.feed_forward_length", {128, -1});
         },
         malformed,
         {"the value -1"}},
        {"a pattern that is neither number nor flags",
         "gemma3",
         text("gemma3.attention.sliding_window_pattern", "every sixth"),
         malformed,
         {"sliding_window_pattern"}},
        {"a pattern of other numbers",
         "gemma3",
         [](GgufWriter& w) {
             w.i32s("gemma3.attention.sliding_window_pattern", {1, 1, 1, 1, 1, 7});
         },
         malformed,
         {"the value 7"}},
    };
}

} // namespace

class TestModelRefusals : public QObject {
    Q_OBJECT
private slots:
    void refused_data();
    void refused();
    void neutralValuesAreNoFeature();
};

void TestModelRefusals::refused_data() {
    QTest::addColumn<int>("index");
    int index = 0;
    for (const Refusal& refusal : refusals())
        QTest::newRow(refusal.name) << index++;
}

void TestModelRefusals::refused() {
    QFETCH(int, index);
    const Refusal refusal = refusals()[static_cast<std::size_t>(index)];
    GgufWriter writer = TinyModel::of(refusal.architecture).writer();
    refusal.damage(writer);
    const WrittenModel written(writer);
    QCOMPARE(written.refusal(), std::string()); // the reader has nothing against it
    const auto plan = written.plan();
    QVERIFY(!plan);
    QVERIFY2(plan.error().code == refusal.code, plan.error().message.c_str());
    for (const std::string& words : refusal.said)
        QVERIFY2(plan.error().message.find(words) != std::string::npos, plan.error().message.c_str());
}

void TestModelRefusals::neutralValuesAreNoFeature() {
    GgufWriter writer = TinyModel::of("llama").writer();
    writer.u32("llama.expert_count", 0);
    writer.f32("llama.attn_logit_softcapping", 0);
    writer.f32("llama.embedding_scale", 1);
    writer.f32("llama.logit_scale", 0);
    writer.f32("llama.rope.scaling.attn_factor", 1);
    writer.f32("llama.rope.scaling.factor", 0);
    writer.flag("llama.attention.causal", true);
    const WrittenModel written(writer);
    const auto plan = written.plan();
    QVERIFY2(plan, plan ? "" : plan.error().message.c_str());
}

QTEST_GUILESS_MAIN(TestModelRefusals)
#include "tst_model_refusals.moc"
