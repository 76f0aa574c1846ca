#include "tests/engine/tokenizer/made_vocabulary.h"

#include <QtTest>

using namespace decodescope::engine;
using namespace decodescope::engine::test;

class SpmTokenizerTest : public QObject {
    Q_OBJECT

private slots:
    void init();
    void mergesByScore();
    void spacesAndTheirPrefix();
    void tokensThatCrossASpace();
    void bytesWhereNothingFits();
    void unknownWhereThereAreNoBytes();
    void neitherControlNorByteTokensFromText();
    void userDefinedTokensAreTakenFromTheRawText();
    void brokenTextComesBack();
    void oneLongWord();

private:
    std::vector<TokenId> ids(std::string_view text, SpecialText special = SpecialText::asText) {
        return m_made->tokenizer()->encode(text, special, false);
    }
    TokenId id(std::string_view spelling) { return m_made->tokenizer()->spelled(spelling).value_or(-1); }

    std::optional<MadeVocabulary> m_made;
};

void SpmTokenizerTest::init() {
    m_made.emplace(Vocabulary::Model::spm);
    m_made->add("<unk>", TokenType::unknown);
    m_made->add("<s>", TokenType::control);
    m_made->add("</s>", TokenType::control);
    m_made->addBytes();
    for (const char* letter : {"a", "b", "c", "d", "<", "s", ">", "\u2581"}) {
        m_made->add(letter, TokenType::normal, -100);
    }
    m_made->add("ab", TokenType::normal, -2);
    m_made->add("bc", TokenType::normal, -1);
    m_made->add("cd", TokenType::normal, -2);
    m_made->add("\u2581a", TokenType::normal, -3);
    m_made->add("abc", TokenType::normal, -4);
    m_made->add("\u2581\u2581", TokenType::normal, -5);
    m_made->add("<s", TokenType::normal, -6);
    m_made->edit().unknown = 0;
}

void SpmTokenizerTest::mergesByScore() {
    QCOMPARE(ids("bcd"), (std::vector{id("bc"), id("d")}));
    QCOMPARE(ids("abcd"), (std::vector{id("abc"), id("d")})); // bc first: then neither ab nor cd is left
    QCOMPARE(ids("abab"), (std::vector{id("ab"), id("ab")}));
    QCOMPARE(ids("abc"), (std::vector{id("abc")})); // a + bc
    m_made->add("aa", TokenType::normal, -2);
    QCOMPARE(ids("aaa"), (std::vector{id("aa"), id("a")})); // of equal scores the leftmost
    QVERIFY(ids("").empty());
}

void SpmTokenizerTest::spacesAndTheirPrefix() {
    QCOMPARE(ids("a a"), (std::vector{id("a"), id("\u2581a")}));
    QCOMPARE(ids("a  "), (std::vector{id("a"), id("\u2581\u2581")}));
    QVERIFY(!m_made->tokenizer()->stripsLeadingSpace());
    m_made->edit().addSpacePrefix = true;
    QVERIFY(m_made->tokenizer()->stripsLeadingSpace());
    QCOMPARE(ids("a"), (std::vector{id("\u2581a")}));
    // After a special token too.
    QCOMPARE(ids("a</s>a", SpecialText::parse), (std::vector{id("\u2581a"), id("</s>"), id("\u2581a")}));
    QCOMPARE(m_made->tokenizer()->decode({id("\u2581a"), id("\u2581\u2581")}), std::string(" a  "));
}

void SpmTokenizerTest::tokensThatCrossASpace() {
    QCOMPARE(ids("b c"), (std::vector{id("b"), id("\u2581"), id("c")}));
    m_made->add("\u2581c", TokenType::normal, -1);
    m_made->add("b\u2581c", TokenType::normal, -8);
    QCOMPARE(ids("b c"), (std::vector{id("b\u2581c")}));
    QCOMPARE(ids("a c"), (std::vector{id("a"), id("\u2581c")}));
}

void SpmTokenizerTest::bytesWhereNothingFits() {
    QCOMPARE(ids("a\u00E9"), (std::vector{id("a"), id("<0xC3>"), id("<0xA9>")}));
    QCOMPARE(m_made->tokenizer()->decode(ids("\u00E9\n")), std::string("\u00E9\n"));
}

void SpmTokenizerTest::unknownWhereThereAreNoBytes() {
    MadeVocabulary small(Vocabulary::Model::spm);
    const TokenId unknown = small.add("<unk>", TokenType::unknown);
    const TokenId a = small.add("a");
    QCOMPARE(small.tokenizer()->encode("ab", SpecialText::asText, false), (std::vector{a}));
    small.edit().unknown = unknown;
    QCOMPARE(small.tokenizer()->encode("ab", SpecialText::asText, false), (std::vector{a, unknown}));
}

void SpmTokenizerTest::neitherControlNorByteTokensFromText() {
    QCOMPARE(ids("<s>"), (std::vector{id("<s"), id(">")})); // although merging could spell <s>
    QCOMPARE(ids("<s>", SpecialText::parse), (std::vector{id("<s>")}));
    for (const char* text : {"<unk>", "</s>", "<0x41>"}) {
        for (const TokenId found : ids(text)) {
            QVERIFY(!m_made->tokenizer()->isControl(found));
            QVERIFY(found != id("<0x41>"));
        }
        QCOMPARE(m_made->tokenizer()->decode(ids(text)), std::string(text));
    }
}

void SpmTokenizerTest::userDefinedTokensAreTakenFromTheRawText() {
    m_made->add("   ", TokenType::userDefined);
    m_made->add("\n", TokenType::userDefined);
    QCOMPARE(ids("a   \na"), (std::vector{id("a"), id("   "), id("\n"), id("a")}));
    QCOMPARE(m_made->tokenizer()->decode(ids("a   \na")), std::string("a   \na"));
}

void SpmTokenizerTest::brokenTextComesBack() {
    for (const std::string text : {"\xFF", "a\xE2", "\xE2\x82", "\x80\x80", "b\xF0\x9F\x99", "\xC3\xC3\xA9"}) {
        QCOMPARE(m_made->tokenizer()->decode(ids(text)), text);
    }
}

void SpmTokenizerTest::oneLongWord() {
    for (int length = 2; length <= 4096; length *= 2) {
        m_made->add(std::string(static_cast<std::size_t>(length), 'd'), TokenType::normal, static_cast<float>(-length));
    }
    const auto found = ids(std::string(100'000, 'd'));
    QCOMPARE(found.size(), std::size_t{24 + 4}); // 100000 = 24 * 4096 + 1024 + 512 + 128 + 32
    QCOMPARE(found.front(), id(std::string(4096, 'd')));
}

QTEST_APPLESS_MAIN(SpmTokenizerTest)
#include "tst_spm_tokenizer.moc"
