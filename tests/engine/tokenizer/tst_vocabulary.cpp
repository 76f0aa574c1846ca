#include "engine/gguf/gguf_file.h"
#include "tests/engine/support/gguf_writer.h"
#include "tests/engine/tokenizer/made_vocabulary.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <functional>
#include <map>

using namespace decodescope::engine;
using namespace decodescope::engine::test;

/// What a file says of its vocabulary, and what it may not say.
class VocabularyTest : public QObject {
    Q_OBJECT

private slots:
    void readsBothFamilies();
    void refusesContradictions_data();
    void refusesContradictions();
    void toleratesWhatFilesHave();
    void refusesHostileVocabularies();
    void byteSpellingsAreStrict();

private:
    Result<std::unique_ptr<Tokenizer>> open(const GgufWriter& writer) {
        const std::string path = m_folder.filePath("vocabulary.gguf").toStdString();
        if (!writer.write(path)) {
            return fail(ErrorCode::disk, "not written");
        }
        return GgufFile::open(path).and_then([](const auto& file) { return Tokenizer::fromGguf(*file); });
    }

    QTemporaryDir m_folder;
};

namespace {

using Change = std::function<void(GgufWriter&)>;

/// What each key of a small vocabulary holds; a test replaces some or leaves them out.
struct Parts {
    std::map<std::string, Change> keys;

    [[nodiscard]] GgufWriter write() const {
        GgufWriter writer;
        writer.text("general.architecture", "llama");
        for (const auto& [key, change] : keys) {
            if (change) {
                change(writer);
            }
        }
        return writer;
    }
    void set(const std::string& name, std::function<void(GgufWriter&, const std::string&)> change) {
        const std::string key = "tokenizer.ggml." + name;
        keys[key] = [=](GgufWriter& writer) { change(writer, key); };
    }
    void remove(const std::string& name) { keys.erase("tokenizer.ggml." + name); }
    void text(const std::string& name, const std::string& value) {
        set(name, [=](GgufWriter& w, const std::string& key) { w.text(key, value); });
    }
    void texts(const std::string& name, const std::vector<std::string>& values) {
        set(name, [=](GgufWriter& w, const std::string& key) { w.texts(key, values); });
    }
    void u32(const std::string& name, std::uint32_t value) {
        set(name, [=](GgufWriter& w, const std::string& key) { w.u32(key, value); });
    }
    void i32s(const std::string& name, const std::vector<std::int32_t>& values) {
        set(name, [=](GgufWriter& w, const std::string& key) { w.i32s(key, values); });
    }
    void f32s(const std::string& name, const std::vector<float>& values) {
        set(name, [=](GgufWriter& w, const std::string& key) { w.f32s(key, values); });
    }
};

Parts spm() {
    Parts parts;
    parts.text("model", "llama");
    parts.texts("tokens", {"<unk>", "<s>", "</s>", "<0x41>", "a", "\u2581a"});
    parts.f32s("scores", {0, 0, 0, 0, -1, -2});
    parts.i32s("token_type", {2, 3, 3, 6, 1, 1});
    return parts;
}

Parts bpe() {
    Parts parts;
    parts.text("model", "gpt2");
    parts.text("pre", "qwen2");
    parts.texts("tokens", {"a", "b", "ab", "<|im_end|>"});
    parts.i32s("token_type", {1, 1, 1, 3});
    parts.texts("merges", {"a b"});
    parts.u32("eos_token_id", 3);
    return parts;
}

} // namespace

void VocabularyTest::readsBothFamilies() {
    const auto first = open(spm().write());
    QVERIFY2(first, first ? "" : first.error().message.c_str());
    QCOMPARE((*first)->kind(), std::string_view("spm"));
    QCOMPARE((*first)->size(), 6);
    QVERIFY((*first)->bos() == 1); // SentencePiece's own numbers
    QVERIFY((*first)->eos() == 2);
    QVERIFY((*first)->stripsLeadingSpace());
    QCOMPARE((*first)->encode("a", SpecialText::asText, true), (std::vector<TokenId>{1, 5}));

    const auto second = open(bpe().write());
    QVERIFY2(second, second ? "" : second.error().message.c_str());
    QCOMPARE((*second)->kind(), std::string_view("bpe, pre-tokenizer qwen2"));
    QVERIFY(!(*second)->bos());
    QVERIFY((*second)->endsGeneration(3));
    QCOMPARE((*second)->encode("ab", SpecialText::asText, true),
             (std::vector<TokenId>{2})); // the file is closed by now

    Parts unnamed = bpe();
    unnamed.remove("pre");
    const auto third = open(unnamed.write());
    QVERIFY(third);
    QCOMPARE((*third)->kind(), std::string_view("bpe, pre-tokenizer default (the file names none)"));

    Parts withBos = bpe();
    withBos.text("pre", "llama-bpe");
    withBos.u32("bos_token_id", 3);
    const auto fourth = open(withBos.write());
    QVERIFY(fourth);
    QCOMPARE((*fourth)->encode("a", SpecialText::asText, true), (std::vector<TokenId>{3, 0}));
}

void VocabularyTest::refusesContradictions_data() {
    QTest::addColumn<Parts>("parts");
    QTest::addColumn<bool>("unsupported");
    QTest::addColumn<QString>("said");
    const auto row = [](const char* name, Parts parts, const char* said, bool unsupported = false) {
        QTest::newRow(name) << std::move(parts) << unsupported << said;
    };
    const auto with = [](Parts parts, const std::function<void(Parts&)>& change) {
        change(parts);
        return parts;
    };
    row("no model", with(spm(), [](Parts& p) { p.remove("model"); }), "tokenizer.ggml.model");
    row("another model", with(spm(), [](Parts& p) { p.text("model", "rwkv"); }), "\"rwkv\"", true);
    row("another pre-tokenizer", with(bpe(), [](Parts& p) { p.text("pre", "pre\x1b[2Jx"); }), "pre\\x1B[2Jx", true);
    row("pre-tokenizer is a number", with(bpe(), [](Parts& p) { p.u32("pre", 1); }), "tokenizer.ggml.pre");
    row("no tokens", with(spm(), [](Parts& p) { p.remove("tokens"); }), "tokenizer.ggml.tokens");
    row("empty",
        with(spm(),
             [](Parts& p) {
                 p.texts("tokens", {});
                 p.f32s("scores", {});
                 p.i32s("token_type", {});
             }),
        "empty");
    row("tokens are numbers", with(spm(), [](Parts& p) { p.i32s("tokens", {1, 2}); }), "tokenizer.ggml.tokens");
    row("no scores", with(spm(), [](Parts& p) { p.remove("scores"); }), "tokenizer.ggml.scores");
    row("scores are bytes",
        with(spm(),
             [](Parts& p) {
                 p.set("scores", [](GgufWriter& w, const std::string& key) {
                     w.array(key, ValueType::u8, 6, std::string(6, '\1'));
                 });
             }),
        "tokenizer.ggml.scores");
    row("too few scores", with(spm(), [](Parts& p) { p.f32s("scores", {0, 0}); }), "tokenizer.ggml.scores");
    row("score is no number", with(spm(), [](Parts& p) { p.f32s("scores", {0, 0, 0, 0, NAN, 0}); }), "token 4");
    row("scores of bpe", with(bpe(), [](Parts& p) { p.f32s("scores", {0, 0}); }), "tokenizer.ggml.scores");
    row("too many types",
        with(spm(),
             [](Parts& p) {
                 p.i32s("token_type", {2, 3, 3, 6, 1, 1, 1});
             }),
        "tokenizer.ggml.token_type");
    row("types are texts", with(spm(), [](Parts& p) { p.texts("token_type", {"a"}); }), "tokenizer.ggml.token_type");
    row("type without meaning", with(spm(), [](Parts& p) { p.i32s("token_type", {2, 3, 3, 6, 77, 1}); }), "77");
    row("negative type", with(spm(), [](Parts& p) { p.i32s("token_type", {2, 3, 3, 6, -1, 1}); }), "-1");
    for (const char* spelling : {"<0x-1>", "<0xZZ>", "<0x4>", "<0x414>", "A", ""}) {
        row(("byte spelled " + std::string(spelling)).c_str(),
            with(spm(),
                 [=](Parts& p) {
                     p.texts("tokens", {"<unk>", "<s>", "</s>", spelling, "a", "\u2581a"});
                 }),
            "token 3");
    }
    row("same spelling twice",
        with(spm(),
             [](Parts& p) {
                 p.texts("tokens", {"<unk>", "<s>", "</s>", "<0x41>", "a", "a"});
             }),
        "tokens 4 and 5");
    for (const char* key : {"bos_token_id", "eos_token_id", "eot_token_id", "eom_token_id", "unknown_token_id"}) {
        row((std::string(key) + " out of range").c_str(), with(spm(), [=](Parts& p) { p.u32(key, 6); }), key);
        row((std::string(key) + " is a text").c_str(), with(spm(), [=](Parts& p) { p.text(key, "1"); }), key);
    }
    row("no merges", with(bpe(), [](Parts& p) { p.remove("merges"); }), "tokenizer.ggml.merges");
    row("merges are numbers", with(bpe(), [](Parts& p) { p.i32s("merges", {1}); }), "tokenizer.ggml.merges");
    for (const char* merge : {"", "ab", " ab", "ab ", " "}) {
        row(("merge \"" + std::string(merge) + "\"").c_str(),
            with(bpe(), [=](Parts& p) { p.texts("merges", {merge}); }), "Merge 0");
    }
    row("add_bos_token is a text", with(spm(), [](Parts& p) { p.text("add_bos_token", "yes"); }), "add_bos_token");
    row("add_space_prefix is a number", with(spm(), [](Parts& p) { p.u32("add_space_prefix", 1); }),
        "add_space_prefix");
}

void VocabularyTest::refusesContradictions() {
    QFETCH(Parts, parts);
    QFETCH(bool, unsupported);
    QFETCH(QString, said);
    const auto tokenizer = open(parts.write());
    QVERIFY(!tokenizer);
    QVERIFY(tokenizer.error().code == (unsupported ? ErrorCode::unsupported : ErrorCode::malformed));
    QVERIFY2(QString::fromStdString(tokenizer.error().message).contains(said), tokenizer.error().message.c_str());
}

void VocabularyTest::toleratesWhatFilesHave() {
    Parts parts = spm();
    parts.texts("tokens", {"<unk>", "", "</s>", "", "a", "b"}); // gaps in the numbering
    parts.i32s("token_type", {2, 3, 3, 1, 0, 5});
    const auto tokenizer = open(parts.write());
    QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().message.c_str());
    QVERIFY(!(*tokenizer)->spelled(""));
    QCOMPARE((*tokenizer)->bytesOf(5), std::string_view()); // unused: nothing to show
    QCOMPARE((*tokenizer)->bytesOf(99), std::string_view());
    parts = spm();
    parts.remove("token_type");
    QVERIFY(open(parts.write()));
    parts = bpe();
    parts.texts("merges", {"a b", "a b", "x y"});
    QVERIFY(open(parts.write()));
}

void VocabularyTest::refusesHostileVocabularies() {
    MadeVocabulary longToken(Vocabulary::Model::spm);
    longToken.add(std::string(70'000, 'x'));
    QVERIFY(!makeTokenizer(longToken.get()));

    MadeVocabulary marks(Vocabulary::Model::spm); // 3 MB of control tokens without a common beginning
    for (int at = 0; at < 3000; ++at) {
        marks.add(std::to_string(at) + std::string(1000, '.'), TokenType::control);
    }
    const auto made = makeTokenizer(marks.get());
    QVERIFY(!made);
    QVERIFY(made.error().code == ErrorCode::malformed);

    Vocabulary odd = MadeVocabulary(Vocabulary::Model::bpe).get();
    QVERIFY(!makeTokenizer(odd)); // empty
    odd.texts = {"a"};
    QVERIFY(!makeTokenizer(odd)); // no type for it
    odd.types = {TokenType::normal};
    QVERIFY(makeTokenizer(odd));
    odd.eos = -1;
    QVERIFY(!makeTokenizer(odd));
    odd.eos = 1;
    QVERIFY(!makeTokenizer(odd));
    odd.eos.reset();
    odd.preTokenizer = "of nobody";
    QVERIFY(!makeTokenizer(odd));
}

void VocabularyTest::byteSpellingsAreStrict() {
    QVERIFY(byteOfSpelling("<0x00>") == 0);
    QVERIFY(byteOfSpelling("<0xfF>") == 255);
    for (const char* spelling :
         {"<0x>", "<0x 1>", "<0x+1>", "<0x-1>", "<0xGG>", "<0X41>", "0x41", "<0x41", "<0x041>"}) {
        QVERIFY2(!byteOfSpelling(spelling), spelling);
    }
}

QTEST_APPLESS_MAIN(VocabularyTest)
#include "tst_vocabulary.moc"
