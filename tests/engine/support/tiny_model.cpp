#include "tests/engine/support/tiny_model.h"

#include "tests/engine/support/random_blocks.h"

#include <cmath>

namespace decodescope::engine::test {

namespace {

constexpr const char* kChatMl =
    "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + "
    "'\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";
constexpr const char* kGemma =
    "{{ bos_token }}{% for message in messages %}{% if message['role'] == 'assistant' %}{% set role = 'model' %}{% "
    "else "
    "%}{% set role = message['role'] %}{% endif %}{{ '<start_of_turn>' + role + '\n' + message['content'] | trim + "
    "'<end_of_turn>\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<start_of_turn>model\n' }}{% endif %}";

/// Writes the tensors of a model one after another, all random numbers from one seed.
class TensorWriter {
public:
    TensorWriter(GgufWriter& out, const TinyModel& model)
        : m_out(out)
        , m_model(model)
        , m_random(model.seed) {}

    void matrix(const std::string& name, std::uint64_t inputs, std::uint64_t outputs, float gain = 1) {
        // Outputs as large as inputs, whatever the width.
        const float deviation = gain / std::sqrt(static_cast<float>(inputs));
        m_out.tensor(name + ".weight", m_model.type, {inputs, outputs},
                     randomBlocks(m_model.type, inputs * outputs, deviation, m_random));
    }
    void norm(const std::string& name, std::uint64_t size) {
        m_out.tensor(name + ".weight", {size}, randomFloats(size, 1, 0.1F, m_random));
    }
    void bias(const std::string& name, std::uint64_t size) {
        m_out.tensor(name + ".bias", {size}, randomFloats(size, 0, 0.2F, m_random));
    }

    void layer(std::uint32_t index) {
        const std::string blk = "blk." + std::to_string(index) + ".";
        const std::uint64_t queries = std::uint64_t{m_model.heads} * m_model.headSize;
        const std::uint64_t keys = std::uint64_t{m_model.kvHeads} * m_model.headSize;
        const bool gemma = m_model.architecture == "gemma3";
        norm(blk + "attn_norm", m_model.embedding);
        matrix(blk + "attn_q", m_model.embedding, queries);
        matrix(blk + "attn_k", m_model.embedding, keys);
        matrix(blk + "attn_v", m_model.embedding, keys);
        if (m_model.architecture == "qwen2") {
            bias(blk + "attn_q", queries);
            bias(blk + "attn_k", keys);
            bias(blk + "attn_v", keys);
        }
        if (m_model.architecture == "qwen3" || gemma) {
            norm(blk + "attn_q_norm", m_model.headSize);
            norm(blk + "attn_k_norm", m_model.headSize);
        }
        matrix(blk + "attn_output", queries, m_model.embedding);
        if (gemma)
            norm(blk + "post_attention_norm", m_model.embedding);
        norm(blk + "ffn_norm", m_model.embedding);
        matrix(blk + "ffn_gate", m_model.embedding, m_model.feedForward);
        matrix(blk + "ffn_up", m_model.embedding, m_model.feedForward);
        matrix(blk + "ffn_down", m_model.feedForward, m_model.embedding);
        if (gemma)
            norm(blk + "post_ffw_norm", m_model.embedding);
    }

    void model() {
        const std::uint64_t vocabulary = m_model.vocabulary.tokens.size();
        matrix("token_embd", m_model.embedding, vocabulary, 2);
        norm("output_norm", m_model.embedding);
        if (m_model.head == HeadKind::own)
            matrix("output", m_model.embedding, vocabulary, 2);
        if (m_model.ropeFactors) {
            std::vector<float> factors(m_model.headSize / 2);
            for (std::size_t i = 0; i < factors.size(); ++i) // 1 for the fast pairs, 8 for the slow ones
                factors[i] = 1 + 7 * static_cast<float>(i) / static_cast<float>(factors.size());
            m_out.tensor("rope_freqs.weight", {factors.size()}, factors);
        }
        for (std::uint32_t i = 0; i < m_model.layers; ++i)
            layer(i);
    }

private:
    GgufWriter& m_out;
    const TinyModel& m_model;
    RandomBits m_random;
};

} // namespace

TinyModel TinyModel::of(const std::string& architecture, TensorType type) {
    TinyModel out;
    out.architecture = architecture;
    out.type = type;
    if (tensorTypeInfo(type).blockElements == 256) {
        out.embedding = 256;
        out.headSize = 64;
        out.feedForward = 512;
    }
    if (architecture == "qwen2" || architecture == "qwen3") {
        out.vocabulary = TinyVocabulary::bpe("qwen2", {"<|endoftext|>", "<|im_end|>", "<|im_start|>"});
        out.chatTemplate = kChatMl;
        out.ropeBase = 1'000'000;
        out.head = architecture == "qwen2" ? HeadKind::tied : HeadKind::own;
    } else if (architecture == "gemma3") {
        out.vocabulary = TinyVocabulary::spm({"<bos>", "<eos>", "<start_of_turn>", "<end_of_turn>"});
        out.vocabulary.addSpacePrefix = false;
        out.chatTemplate = kGemma;
        out.ropeBase = 1'000'000;
        out.head = HeadKind::tied;
        out.slidingWindow = 16;
        out.layers = 6; // the sixth is the first without a window
    } else {
        out.vocabulary = TinyVocabulary::spm({"<s>", "</s>"});
    }
    return out;
}

GgufWriter TinyModel::writer() const {
    GgufWriter out;
    const std::string prefix = architecture + ".";
    out.text("general.architecture", architecture);
    out.text("general.name", "Tiny " + architecture);
    out.u32(prefix + "block_count", layers);
    out.u32(prefix + "context_length", contextLength);
    out.u32(prefix + "embedding_length", embedding);
    out.u32(prefix + "feed_forward_length", feedForward);
    out.u32(prefix + "attention.head_count", heads);
    out.u32(prefix + "attention.head_count_kv", kvHeads);
    out.u32(prefix + "attention.key_length", headSize);
    out.u32(prefix + "attention.value_length", headSize);
    out.f32(prefix + "attention.layer_norm_rms_epsilon", 1e-6F);
    out.u32(prefix + "rope.dimension_count", headSize);
    out.f32(prefix + "rope.freq_base", ropeBase);
    out.u32(prefix + "vocab_size", static_cast<std::uint32_t>(vocabulary.tokens.size()));
    if (slidingWindow != 0)
        out.u32(prefix + "attention.sliding_window", slidingWindow);
    vocabulary.write(out);
    if (!chatTemplate.empty())
        out.text("tokenizer.chat_template", chatTemplate);
    TensorWriter(out, *this).model();
    return out;
}

} // namespace decodescope::engine::test
