#include "tests/engine/tokenizer/made_vocabulary.h"

#include <QtTest>

using namespace decodescope::engine;
using namespace decodescope::engine::test;

class BpeTokenizerTest : public QObject {
    Q_OBJECT

private slots:
    void init();
    void mergesByRank();
    void wholePiecesWhereMergesAreIgnored();
    void everyByteComesBack();
    void illFormedBytesBecomeReplacements();
    void controlTokensOnlyFromTheTemplate();
    void partsAreOneText();
    void bosAndEos();
    void endsOfGeneration();
    void nobodyWritesTheEndOfAnAnswer();
    void mergesOfUnknownTokensAreLeftOut();
    void bytesWithoutTokenAreLeftOut();
    void longText();

private:
    std::string bytesOf(const std::vector<TokenId>& ids, bool showControl = false) {
        return m_made->tokenizer()->decode(ids, showControl);
    }
    std::vector<TokenId> ids(std::string_view text, SpecialText special = SpecialText::asText) {
        return m_made->tokenizer()->encode(text, special, false);
    }
    TokenId id(std::string_view spelling) { return m_made->tokenizer()->spelled(spelling).value_or(-1); }

    std::optional<MadeVocabulary> m_made;
};

void BpeTokenizerTest::init() {
    m_made.emplace(Vocabulary::Model::bpe);
    m_made->addBytes();
    m_made->merge("a", "b");
    m_made->merge("b", "c");
    m_made->merge("ab", "c");
    m_made->merge("\u0120", "a"); // the stand-in of the space
    m_made->add("<|end|>", TokenType::control);
    m_made->add("<|start|>", TokenType::control);
    m_made->add("[gap]", TokenType::userDefined);
}

void BpeTokenizerTest::mergesByRank() {
    QCOMPARE(ids("abc"), (std::vector{id("abc")}));
    QCOMPARE(ids("bbc"), (std::vector{id("b"), id("bc")}));
    QCOMPARE(ids("abbc"), (std::vector{id("ab"), id("bc")}));
    QCOMPARE(ids(" ab"), (std::vector{id("\u0120"), id("ab")})); // a b comes before space a
    QCOMPARE(ids(" a"), (std::vector{id("\u0120a")}));
    QVERIFY(ids("").empty());
}

void BpeTokenizerTest::wholePiecesWhereMergesAreIgnored() {
    m_made->add("cab"); // no merge makes it
    QCOMPARE(ids("cab"), (std::vector{id("c"), id("ab")}));
    m_made->edit().preTokenizer = "llama-bpe";
    QCOMPARE(ids("cab"), (std::vector{id("cab")}));
    QCOMPARE(ids("cabs"), (std::vector{id("c"), id("ab"), id("s")}));
}

void BpeTokenizerTest::everyByteComesBack() {
    std::string text;
    for (int point = 0; point < 0x300; ++point) {
        text += QString(QChar(point)).toStdString();
    }
    text += "\xF0\x9F\x99\x82";
    QCOMPARE(bytesOf(ids(text)), text);
}

void BpeTokenizerTest::illFormedBytesBecomeReplacements() {
    QCOMPARE(bytesOf(ids("a\xE2\x82z\xFF")), std::string("a\uFFFD\uFFFDz\uFFFD"));
}

void BpeTokenizerTest::controlTokensOnlyFromTheTemplate() {
    const TokenId end = id("<|end|>");
    QCOMPARE(ids("x<|end|>", SpecialText::parse), (std::vector{id("x"), end}));
    const auto asText = ids("x<|end|>");
    QVERIFY(std::ranges::find(asText, end) == asText.end());
    QCOMPARE(bytesOf(asText), std::string("x<|end|>"));
    QCOMPARE(ids("x[gap]"), (std::vector{id("x"), id("[gap]")})); // user-defined ones always
    QCOMPARE(bytesOf({end}), std::string());
    QCOMPARE(bytesOf({end}, true), std::string("<|end|>"));
    QVERIFY(m_made->tokenizer()->isControl(end));
    QVERIFY(!m_made->tokenizer()->isControl(id("[gap]")));
    m_made->edit().preTokenizer = "llama-bpe"; // nor as a whole piece
    m_made->add("word", TokenType::control);
    QCOMPARE(ids("word").size(), std::size_t{4});
}

void BpeTokenizerTest::partsAreOneText() {
    const auto tokenizer = m_made->tokenizer();
    const std::vector<PromptPart> parts{{"<|start|>a", SpecialText::parse}, {"b<|end|>", SpecialText::asText},
                                        {"<|e", SpecialText::parse},        {"nd|>", SpecialText::parse},
                                        {"<|en", SpecialText::asText},      {"d|>", SpecialText::parse}};
    const auto found = tokenizer->encode(parts, false);
    QCOMPARE(found.front(), id("<|start|>"));
    QCOMPARE(found[1], id("ab")); // merged over the seam
    // The user's spelling stays text; one over two parsed parts counts; one that is half the user's does not.
    QCOMPARE(std::ranges::count(found, id("<|end|>")), 1);
    QCOMPARE(tokenizer->decode(found, true), std::string("<|start|>ab<|end|><|end|><|end|>"));
}

void BpeTokenizerTest::bosAndEos() {
    const TokenId start = id("<|start|>");
    const TokenId end = id("<|end|>");
    m_made->edit().bos = start;
    m_made->edit().eos = end;
    QCOMPARE(m_made->tokenizer()->encode("a", SpecialText::parse, true), (std::vector{id("a")}));
    m_made->edit().addBos = true;
    m_made->edit().addEos = true;
    const auto tokenizer = m_made->tokenizer();
    QCOMPARE(tokenizer->encode("a", SpecialText::parse, true), (std::vector{start, id("a"), end}));
    QCOMPARE(tokenizer->encode("a", SpecialText::parse, false), (std::vector{id("a")}));
    QCOMPARE(tokenizer->encode("<|start|>a", SpecialText::parse, true), (std::vector{start, id("a"), end}));
    QCOMPARE(tokenizer->encode("<|start|><|start|>", SpecialText::parse, true), (std::vector{start, start, end}));
    QCOMPARE(tokenizer->encode("", SpecialText::parse, true), (std::vector{start, end}));
    QVERIFY(tokenizer->bos() == start);
    QVERIFY(tokenizer->eos() == end);
}

void BpeTokenizerTest::endsOfGeneration() {
    const TokenId imEnd = m_made->add("<|im_end|>"); // said to be a normal token, as some files do
    m_made->edit().eos = id("a");
    auto tokenizer = m_made->tokenizer();
    QVERIFY(tokenizer->endsGeneration(id("a")));
    QVERIFY(tokenizer->endsGeneration(imEnd));
    QVERIFY(tokenizer->isControl(imEnd));
    QVERIFY(tokenizer->endsGeneration(id("<|end|>")));
    QVERIFY(!tokenizer->endsGeneration(id("b")));
    QVERIFY(!tokenizer->endsGeneration(-1));
    QVERIFY(!tokenizer->endsGeneration(tokenizer->size()));
    m_made->add("<|return|>", TokenType::control);
    m_made->add("<|call|>", TokenType::control);
    tokenizer = m_made->tokenizer();
    QVERIFY(!tokenizer->endsGeneration(id("<|end|>")));
    QVERIFY(tokenizer->endsGeneration(id("<|return|>")));
}

void BpeTokenizerTest::nobodyWritesTheEndOfAnAnswer() {
    // Said to be user-defined, which would make it a token in what people write too.
    const TokenId end = m_made->add("</s>", TokenType::userDefined);
    const TokenId other = m_made->add("<s>", TokenType::userDefined);
    auto tokenizer = m_made->tokenizer();
    QVERIFY(tokenizer->endsGeneration(end));
    QCOMPARE(tokenizer->encode("</s>", SpecialText::parse, false), (std::vector{end}));
    QVERIFY(!tokenizer->encode("</s>", SpecialText::asText, false).empty());
    QVERIFY(std::ranges::count(tokenizer->encode("</s>", SpecialText::asText, false), end) == 0);
    QCOMPARE(tokenizer->encode("<s>", SpecialText::asText, false), (std::vector{other}));
    m_made->add("<|tool_response>", TokenType::control); // with it, "</s>" is text
    tokenizer = m_made->tokenizer();
    QVERIFY(!tokenizer->endsGeneration(end));
    QCOMPARE(tokenizer->encode("</s>", SpecialText::asText, false), (std::vector{end}));
}

void BpeTokenizerTest::mergesOfUnknownTokensAreLeftOut() {
    Vocabulary vocabulary = m_made->get();
    const std::vector<std::string_view> more{"zz z", "a zz", "q r", "a b"}; // "qr" is no token; "a b" is there
    vocabulary.merges.insert(vocabulary.merges.begin(), more.begin(), more.end());
    const auto tokenizer = makeTokenizer(vocabulary);
    QVERIFY(tokenizer);
    QCOMPARE((*tokenizer)->encode("qrab", SpecialText::asText, false), (std::vector{id("q"), id("r"), id("ab")}));
}

void BpeTokenizerTest::bytesWithoutTokenAreLeftOut() {
    MadeVocabulary small(Vocabulary::Model::bpe);
    const TokenId a = small.add("a");
    QCOMPARE(small.tokenizer()->encode("xay", SpecialText::asText, false), (std::vector{a}));
}

void BpeTokenizerTest::longText() {
    std::string text;
    for (int at = 0; at < 20'000; ++at) {
        text += at % 7 == 0 ? "abc abcab \u00E9\n" : "abcabcabc";
    }
    QCOMPARE(bytesOf(ids(text)), text);
}

QTEST_APPLESS_MAIN(BpeTokenizerTest)
#include "tst_bpe_tokenizer.moc"
