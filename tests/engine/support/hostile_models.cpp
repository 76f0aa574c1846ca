#include "tests/engine/support/hostile_models.h"

#include "tests/engine/support/random_blocks.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

namespace decodescope::engine::test {

namespace {

constexpr std::uint64_t kHuge[] = {1ULL << 31, 1ULL << 32, (1ULL << 42) + 1, 1ULL << 61,
                                   1ULL << 63, ~0ULL,      ~0ULL - 7,        ~0ULL - 31};

TinyVocabulary fewTokens(TokenizerFamily family) {
    TinyVocabulary out;
    out.family = family;
    const auto add = [&out](const std::string& token, TokenKind kind) {
        out.tokens.push_back(token);
        out.kinds.push_back(kind);
        if (out.family == TokenizerFamily::spm)
            out.scores.push_back(-static_cast<float>(out.tokens.size()));
    };
    if (family == TokenizerFamily::spm) {
        add("<unk>", TokenKind::unknown);
        add("<s>", TokenKind::control);
        add("</s>", TokenKind::control);
        for (const char* const token : {"<0x20>", "<0x41>", "<0xFF>", "<0xC3>"})
            add(token, TokenKind::byte);
        for (const char* const token :
             {"\xE2\x96\x81", "t", "h", "e", "\xE2\x96\x81t", "he", "\xE2\x96\x81the", "o", "l", "lo", "hello"})
            add(token, TokenKind::normal);
        out.unknown = 0;
        out.addBos = true;
    } else {
        out.pre = "gpt-2";
        for (const char* const token : {"\xC4\xA0", "<|end|>", "<|im_start|>", "t", "h", "e", "\xC4\xA0t", "he",
                                        "\xC4\xA0the", "1", "2", "\xC3\x83", "\xC2\xA9"})
            add(token, token[0] == '<' ? TokenKind::control : TokenKind::normal);
        out.merges = {"\xC4\xA0 t", "h e", "\xC4\xA0t he"};
    }
    out.bos = 1;
    out.eos = 2;
    return out;
}

/// Bytes of the writer's file with one field overwritten.
std::string patched(const GgufWriter& writer, const std::string& what, std::uint64_t value) {
    std::string bytes = writer.bytes();
    for (const WrittenField& field : writer.fields())
        if (field.what == what)
            std::memcpy(bytes.data() + field.offset, &value, std::min(field.size, sizeof value));
    return bytes;
}

class Corpus {
public:
    void add(const std::string& name, Fate fate, std::string bytes) {
        m_models.push_back({name, std::move(bytes), fate});
    }
    /// A change to a fresh valid model.
    void change(const std::string& name, Fate fate, const std::function<void(GgufWriter&)>& how,
                TokenizerFamily family = TokenizerFamily::spm) {
        GgufWriter writer = smallestModel(family).writer();
        how(writer);
        add(name, fate, writer.bytes());
    }
    void patch(const std::string& name, Fate fate, const std::string& what, std::uint64_t value) {
        add(name, fate, patched(smallestModel().writer(), what, value));
    }
    /// A key written anew.
    void u32(const std::string& key, std::uint32_t value, Fate fate) {
        change(key + " is " + std::to_string(value), fate, [&](GgufWriter& w) {
            w.drop(key);
            w.u32(key, value);
        });
    }
    void f32(const std::string& key, float value, Fate fate) {
        change(key + " is " + std::to_string(value), fate, [&](GgufWriter& w) {
            w.drop(key);
            w.f32(key, value);
        });
    }
    [[nodiscard]] std::vector<HostileModel> take() { return std::move(m_models); }

private:
    std::vector<HostileModel> m_models;
};

void addPreamble(Corpus& corpus) {
    corpus.add("nothing", Fate::notOpened, "");
    corpus.patch("another magic", Fate::notOpened, "magic", 0x46465547);
    for (const std::uint64_t version : {0U, 1U, 4U, 0x03000000U, 0x02000000U, 0xFFFFFFFFU})
        corpus.patch("version " + std::to_string(version), Fate::notOpened, "version", version);
    for (const char* const count : {"tensor count", "key count"}) {
        corpus.patch(std::string(count) + " one more", Fate::notOpened, count, 1'000);
        corpus.patch(std::string(count) + " beyond the cap", Fate::notOpened, count, 65'537);
        for (const std::uint64_t huge : kHuge)
            corpus.patch(std::string(count) + " " + std::to_string(huge), Fate::notOpened, count, huge);
    }
}

void addLengths(Corpus& corpus) {
    for (const char* const what :
         {"general.architecture: key length", "general.architecture: length", "tokenizer.ggml.tokens: count",
          "tokenizer.ggml.scores: count", "blk.0.attn_q.weight: name length", "blk.0.attn_q.weight: size 0",
          "blk.0.attn_q.weight: size 1"})
        for (const std::uint64_t huge : kHuge)
            corpus.patch(std::string(what) + " " + std::to_string(huge), Fate::notOpened, what, huge);
    // Lengths that wrap when a header's own size is added.
    corpus.patch("token text of 2^64 - 1 bytes", Fate::notOpened, "tokenizer.ggml.tokens: value", ~0ULL);
    corpus.patch("token text of 2^63 bytes", Fate::notOpened, "tokenizer.ggml.tokens: value", 1ULL << 63);
    // The 43-byte file whose array is 2^63 long.
    corpus.add("array of 2^63 in 43 bytes", Fate::notOpened,
               "GGUF" + rawBytes<std::uint32_t>(3) + rawBytes<std::uint64_t>(0) + rawBytes<std::uint64_t>(1) +
                   rawText("a") + rawBytes<std::uint32_t>(9) + rawBytes<std::uint32_t>(0) +
                   rawBytes<std::uint64_t>(1ULL << 63).substr(0, 2));
    corpus.change("empty key", Fate::notOpened, [](GgufWriter& w) { w.u32("", 1); });
    corpus.change("key of 65536 bytes", Fate::notOpened, [](GgufWriter& w) { w.u32(std::string(65'536, 'k'), 1); });
    corpus.change("key of 65535 bytes", Fate::survives, [](GgufWriter& w) { w.u32(std::string(65'535, 'k'), 1); });
    corpus.change("string beyond the cap", Fate::notOpened,
                  [](GgufWriter& w) { w.text("long", std::string((16 << 20) + 1, 's')); });
    corpus.change("key twice", Fate::notOpened, [](GgufWriter& w) { w.u32("llama.block_count", 1); });
}

void addTypes(Corpus& corpus) {
    for (const std::uint64_t type : {13U, 255U, 0x7FFFFFFFU, 0xFFFFFFFFU}) {
        corpus.patch("value type " + std::to_string(type), Fate::notOpened, "general.architecture: type", type);
        corpus.patch("element type " + std::to_string(type), Fate::notOpened, "tokenizer.ggml.tokens: element type",
                     type);
    }
    corpus.patch("array of arrays", Fate::notOpened, "tokenizer.ggml.tokens: element type", 9);
    corpus.change("a bool of 2", Fate::notOpened,
                  [](GgufWriter& w) { w.value("flag", ValueType::boolean, std::string("\2")); });
    corpus.change("an array of bools with a 2", Fate::notOpened,
                  [](GgufWriter& w) { w.array("flags", ValueType::boolean, 3, std::string("\1\2\0", 3)); });
}

void addAlignment(Corpus& corpus) {
    for (const std::uint32_t alignment : {0U, 1U, 4U, 7U, 24U, 33U, 131'072U, 0x80000000U, 0xFFFFFFFFU})
        corpus.change("alignment " + std::to_string(alignment), Fate::notOpened,
                      [&](GgufWriter& w) { w.u32("general.alignment", alignment); });
    corpus.change("alignment is text", Fate::notOpened, [](GgufWriter& w) { w.text("general.alignment", "32"); });
    corpus.change("alignment is real", Fate::notOpened, [](GgufWriter& w) { w.f32("general.alignment", 32); });
    corpus.change("alignment is an array", Fate::notOpened, [](GgufWriter& w) { w.i32s("general.alignment", {32}); });
    corpus.change("alignment is negative", Fate::notOpened, [](GgufWriter& w) { w.i32("general.alignment", -32); });
}

void addTensors(Corpus& corpus) {
    const std::string name = "blk.0.attn_q.weight";
    for (const std::uint64_t dimensions : {0U, 5U, 1'000'000U, 0xFFFFFFFFU})
        corpus.patch("dimensions " + std::to_string(dimensions), Fate::notOpened, name + ": dimensions", dimensions);
    corpus.patch("a size of 0", Fate::notOpened, name + ": size 1", 0);
    corpus.patch("a row that blocks do not divide", Fate::notOpened, name + ": size 0", 33);
    corpus.patch("a shape larger than the file", Fate::notOpened, name + ": size 1", 1 << 20);
    corpus.patch("offset beyond the end", Fate::notOpened, name + ": offset", 1 << 20);
    corpus.patch("offset that no alignment has", Fate::notOpened, name + ": offset", 33);
    corpus.patch("offset into another tensor", Fate::notOpened, name + ": offset", 0);
    for (const std::uint64_t huge : kHuge)
        corpus.patch("offset " + std::to_string(huge), Fate::notOpened, name + ": offset", huge & ~31ULL);
    corpus.patch("a type nobody has", Fate::noPlan, name + ": tensor type", 4'711);
    corpus.patch("a removed type", Fate::noPlan, name + ": tensor type", 4);
    corpus.patch("a type we do not decode", Fate::noPlan, name + ": tensor type", 20); // IQ4_NL, as large as Q4_0
    corpus.change("sizes whose sum wraps", Fate::notOpened, [](GgufWriter& w) {
        w.tensor("one", 0U, {1ULL << 61}, "");
        w.tensor("two", 0U, {1ULL << 61}, "");
    });
    corpus.change("a product that wraps", Fate::notOpened, [](GgufWriter& w) {
        w.tensor("x", 0U, {1ULL << 32, 1ULL << 32}, "");
    });
    corpus.change("a product that wraps to a few", Fate::notOpened, [](GgufWriter& w) {
        w.tensor("x", 0U, {(1ULL << 32) + 1, 1ULL << 32, 1, 1}, "1234");
    });
    corpus.change("bytes that wrap", Fate::notOpened,
                  [](GgufWriter& w) { w.tensor("x", 0U, {(1ULL << 62) + 1}, "1234"); });
    corpus.change("tensor twice", Fate::notOpened, [](GgufWriter& w) { w.tensor("output_norm.weight", {32}, {}); });
    corpus.change("tensor without a name", Fate::notOpened, [](GgufWriter& w) { w.tensor("", {1}, {1}); });
    corpus.change("tensor name of 64 bytes", Fate::notOpened,
                  [](GgufWriter& w) { w.tensor(std::string(64, 'n'), {1}, {1}); });
    for (const char* const missing : {"token_embd.weight", "output_norm.weight", "blk.0.ffn_down.weight"})
        corpus.change(std::string("without ") + missing, Fate::noPlan, [&](GgufWriter& w) { w.dropTensor(missing); });
    corpus.change("a norm of another size", Fate::noPlan, [](GgufWriter& w) {
        w.dropTensor("output_norm.weight");
        w.tensor("output_norm.weight", {31}, std::vector<float>(31, 1));
    });
    corpus.change("a norm in Q4_0", Fate::noPlan, [](GgufWriter& w) {
        w.dropTensor("output_norm.weight");
        w.tensor("output_norm.weight", TensorType::q4_0, {32}, std::string(18, '\1'));
    });
    corpus.change("an embedding table of other tokens", Fate::noPlan, [](GgufWriter& w) {
        w.dropTensor("token_embd.weight");
        w.tensor("token_embd.weight", TensorType::q4_0, {32, 3}, std::string(54, '\1'));
    });
}

void addNumbers(Corpus& corpus) {
    for (const std::uint32_t layers : {0U, 2U, 513U, 1'025U, 0x7FFFFFFFU, 0xFFFFFFFFU})
        corpus.u32("llama.block_count", layers, Fate::noPlan);
    for (const char* const key : {"llama.embedding_length", "llama.feed_forward_length", "llama.attention.head_count",
                                  "llama.attention.head_count_kv", "llama.attention.key_length"})
        for (const std::uint32_t value : {0U, 3U, 0x7FFFFFFFU, 0x80000000U, 0xFFFFFFFFU})
            corpus.u32(key, value, Fate::noPlan);
    for (const std::uint32_t value : {0U, 64U, 0xFFFFFFFFU})
        corpus.u32("llama.rope.dimension_count", value, value == 64 || value > 64 ? Fate::noPlan : Fate::survives);
    for (const std::uint32_t value : {0U, 0xFFFFFFFFU})
        corpus.u32("llama.context_length", value, Fate::survives);
    for (const float value : {std::nanf(""), INFINITY, -1.0F, 0.0F}) {
        corpus.f32("llama.rope.freq_base", value, std::isfinite(value) ? Fate::survives : Fate::noPlan);
        corpus.f32("llama.attention.layer_norm_rms_epsilon", value,
                   std::isfinite(value) ? Fate::survives : Fate::noPlan);
    }
    corpus.change("block_count is text", Fate::noPlan, [](GgufWriter& w) {
        w.drop("llama.block_count");
        w.text("llama.block_count", "1");
    });
    corpus.change("block_count is negative", Fate::noPlan, [](GgufWriter& w) {
        w.drop("llama.block_count");
        w.i32("llama.block_count", -1);
    });
    corpus.change("head_count is an array of another length", Fate::noPlan, [](GgufWriter& w) {
        w.drop("llama.attention.head_count");
        w.i32s("llama.attention.head_count", {1, 1, 1});
    });
    corpus.change("no architecture", Fate::noPlan, [](GgufWriter& w) { w.drop("general.architecture"); });
    for (const char* const architecture : {"", "mamba", "llama4", "llama\x1B[31m", "LLAMA"})
        corpus.change(std::string("architecture ") + architecture, Fate::noPlan, [&](GgufWriter& w) {
            w.drop("general.architecture");
            w.text("general.architecture", architecture);
        });
    for (const int count : {2, 1'025, 65'535}) {
        corpus.change("split.count " + std::to_string(count), Fate::notOpened, [&](GgufWriter& w) {
            w.value("split.no", ValueType::u16, rawBytes<std::uint16_t>(0));
            w.value("split.count", ValueType::u16, rawBytes(static_cast<std::uint16_t>(count)));
        });
    }
    corpus.change("split.no 9", Fate::notOpened,
                  [](GgufWriter& w) { w.value("split.no", ValueType::u16, rawBytes<std::uint16_t>(9)); });
}

void addVocabulary(Corpus& corpus) {
    const std::string scores = "tokenizer.ggml.scores";
    const std::string types = "tokenizer.ggml.token_type";
    const std::string tokens = "tokenizer.ggml.tokens";
    const std::size_t count = smallestModel().vocabulary.tokens.size();
    const auto anew = [&corpus](const std::string& name, const std::string& key, Fate fate,
                                const std::function<void(GgufWriter&)>& write,
                                TokenizerFamily family = TokenizerFamily::spm) {
        corpus.change(
            name, fate,
            [&](GgufWriter& w) {
                w.drop(key);
                write(w);
            },
            family);
    };
    anew("scores declared u8", scores, Fate::noTokenizer,
         [&](GgufWriter& w) { w.array(scores, ValueType::u8, count, std::string(count, '\1')); });
    anew("too few scores", scores, Fate::noTokenizer, [&](GgufWriter& w) { w.f32s(scores, {1, 2}); });
    anew("too many scores", scores, Fate::noTokenizer,
         [&](GgufWriter& w) { w.f32s(scores, std::vector<float>(count + 1)); });
    anew("scores are text", scores, Fate::noTokenizer, [&](GgufWriter& w) { w.text(scores, "1"); });
    anew("scores that are no numbers", scores, Fate::survives,
         [&](GgufWriter& w) { w.f32s(scores, std::vector<float>(count, std::nanf(""))); });
    anew("infinite scores", scores, Fate::survives,
         [&](GgufWriter& w) { w.f32s(scores, std::vector<float>(count, -INFINITY)); });
    anew("too few token types", types, Fate::noTokenizer, [&](GgufWriter& w) { w.i32s(types, {1}); });
    anew("token types are real", types, Fate::noTokenizer,
         [&](GgufWriter& w) { w.f32s(types, std::vector<float>(count, 1)); });
    anew("token types nobody has", types, Fate::survives,
         [&](GgufWriter& w) { w.i32s(types, std::vector<std::int32_t>(count, -77)); });
    for (const char* const byte : {"<0x-1>", "<0xZZ>", "<0x>", "<0x123>", "<0x1", "0x41", "<0x 1>", "<0x+1>", ""}) {
        TinyModel model = smallestModel();
        model.vocabulary.tokens[4] = byte;
        corpus.add(std::string("byte token ") + byte, Fate::survives, model.bytes());
    }
    anew("no tokens", tokens, Fate::noTokenizer, [](GgufWriter&) {});
    anew("an empty vocabulary", tokens, Fate::noTokenizer, [&](GgufWriter& w) { w.texts(tokens, {}); });
    anew("tokens are numbers", tokens, Fate::noTokenizer, [&](GgufWriter& w) { w.i32s(tokens, {1, 2, 3}); });
    anew("all tokens alike", tokens, Fate::survives,
         [&](GgufWriter& w) { w.texts(tokens, std::vector<std::string>(count, "a")); });
    anew("all tokens empty", tokens, Fate::survives,
         [&](GgufWriter& w) { w.texts(tokens, std::vector<std::string>(count)); });
    anew("a token of a megabyte", tokens, Fate::survives, [&](GgufWriter& w) {
        std::vector<std::string> made(count, "a");
        made[7] = std::string(1 << 20, 'b');
        w.texts(tokens, made);
    });
    for (const char* const id : {"bos_token_id", "eos_token_id", "unknown_token_id"})
        for (const std::uint32_t value : {static_cast<std::uint32_t>(count), 0x80000000U, 0xFFFFFFFFU})
            corpus.u32(std::string("tokenizer.ggml.") + id, value, Fate::survives);
    anew("a tokenizer nobody has", "tokenizer.ggml.model", Fate::noTokenizer,
         [](GgufWriter& w) { w.text("tokenizer.ggml.model", "bert\x1B]0;x\x07"); });
    const std::string merges = "tokenizer.ggml.merges";
    const auto bpe = TokenizerFamily::bpe;
    anew(
        "a merge without a space", merges, Fate::survives,
        [&](GgufWriter& w) {
            w.texts(merges, {"th", "", " ", "a "});
        },
        bpe);
    anew(
        "merges of tokens that are not there", merges, Fate::survives,
        [&](GgufWriter& w) {
            w.texts(merges, {"q z", "h e", "h e", "zz zz"});
        },
        bpe);
    anew(
        "merges are numbers", merges, Fate::noTokenizer, [&](GgufWriter& w) { w.i32s(merges, {1}); }, bpe);
    anew(
        "a pre-tokenizer nobody has", "tokenizer.ggml.pre", Fate::noTokenizer,
        [](GgufWriter& w) { w.text("tokenizer.ggml.pre", "\x1B[31m"); }, bpe);
}

void addText(Corpus& corpus) {
    const std::string escape = "\x1B]8;;http://example.invalid\x07\x1B[2J\xC2\x9B\xE2\x80\xAE";
    corpus.change("escapes in a key", Fate::survives, [&](GgufWriter& w) { w.u32(escape, 1); });
    corpus.change("escapes in a key that is there twice", Fate::notOpened, [&](GgufWriter& w) {
        w.u32(escape, 1);
        w.u32(escape, 1);
    });
    corpus.change("escapes in a tensor that has a size of 0", Fate::notOpened,
                  [&](GgufWriter& w) { w.tensor(escape, 0U, {0}, ""); });
    corpus.change("escapes in names", Fate::survives, [&](GgufWriter& w) {
        w.drop("general.name");
        w.text("general.name", escape);
        w.text("general.license", escape);
    });
    corpus.change("a template of code", Fate::survives, [](GgufWriter& w) {
        w.text("tokenizer.chat_template", "{% for i in range(10**9) %}{{ ().__class__.__base__.__subclasses__() }}"
                                          "{% for j in range(10**9) %}x{% endfor %}{% endfor %}");
    });
    corpus.change("a template of 4 MB", Fate::survives, [](GgufWriter& w) {
        std::string text;
        while (text.size() < 4 << 20)
            text += "{% if <|im_start|> [INST] %}";
        w.text("tokenizer.chat_template", text);
    });
}

} // namespace

TinyModel smallestModel(TokenizerFamily family) {
    TinyModel out = TinyModel::of("llama", TensorType::q4_0);
    out.layers = 1;
    out.embedding = 32;
    out.heads = 1;
    out.kvHeads = 1;
    out.headSize = 32;
    out.feedForward = 32;
    out.head = HeadKind::tied;
    out.vocabulary = fewTokens(family);
    return out;
}

std::vector<HostileModel> hostileModels() {
    Corpus corpus;
    addPreamble(corpus);
    addLengths(corpus);
    addTypes(corpus);
    addAlignment(corpus);
    addTensors(corpus);
    addNumbers(corpus);
    addVocabulary(corpus);
    addText(corpus);
    return corpus.take();
}

std::vector<HostileModel> fieldMutations(const GgufWriter& writer) {
    constexpr std::uint64_t kValues[] = {0,          1,          2,           3,           4,           5,
                                         7,          8,          12,          13,          15,          16,
                                         20,         30,         31,          32,          63,          64,
                                         65'535,     65'536,     0x7FFFFFFFU, 0x80000000U, 0xFFFFFFFFU, 1ULL << 32,
                                         1ULL << 42, 1ULL << 61, 1ULL << 62,  1ULL << 63,  ~0ULL,       ~0ULL - 31};
    std::vector<HostileModel> out;
    const std::string whole = writer.bytes();
    for (const WrittenField& field : writer.fields()) {
        if (field.size == 0)
            continue;
        for (const std::uint64_t value : kValues) {
            HostileModel made{field.what + " = " + std::to_string(value), whole, Fate::survives};
            std::memcpy(made.bytes.data() + field.offset, &value, std::min(field.size, sizeof value));
            out.push_back(std::move(made));
        }
    }
    return out;
}

} // namespace decodescope::engine::test
