#define PCRE2_CODE_UNIT_WIDTH 8
#include "engine/tokenizer/pre_tokenizer.h"
#include "tests/support/test_paths.h"

#include <QtTest>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>

#include <fstream>
#include <memory>
#include <pcre2.h>

using namespace decodescope::engine;

/// The hand-written scanners against the regular expressions that they stand for, as the tokenizers' authors publish
/// them, run by PCRE2.
class PreTokenizerTest : public QObject {
    Q_OBJECT

private slots:
    void equalsItsExpression_data();
    void equalsItsExpression();
    void longRunsAreLinear_data();
    void longRunsAreLinear();
    void namesAndManners();
};

namespace {

// PCRE2's \s holds U+180E, which Unicode no longer calls a blank.
#define BLANK "\\t-\\r\\x{85}\\p{Z}"
#define S "[" BLANK "]"
#define NEITHER "[^" BLANK "\\p{L}\\p{N}]"
#define ANY_CASE "(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
#define LAST_BLANKS S "+(?![^" BLANK "])|" S "+"
#define LINES S "*[\\r\\n]+|" LAST_BLANKS
#define HEAD "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]"
#define TAIL "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]"
#define LEAD "[^\\r\\n\\p{L}\\p{N}]?"

constexpr const char* kGpt2 = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?" NEITHER "+|" LAST_BLANKS;
constexpr const char* kLlama3 = ANY_CASE "|" LEAD "\\p{L}+|\\p{N}{1,3}| ?" NEITHER "+[\\r\\n]*|" LINES;
constexpr const char* kQwen2 = ANY_CASE "|" LEAD "\\p{L}+|\\p{N}| ?" NEITHER "+[\\r\\n]*|" LINES;
constexpr const char* kTekken = LEAD HEAD "*" TAIL "+|" LEAD HEAD "+" TAIL "*|\\p{N}| ?" NEITHER "+[\\r\\n/]*|" LINES;
constexpr const char* kGpt4o = LEAD HEAD "*" TAIL "+" ANY_CASE "?|" LEAD HEAD "+" TAIL "*" ANY_CASE
                                         "?|\\p{N}{1,3}| ?" NEITHER "+[\\r\\n/]*|" LINES;

class Expression {
public:
    explicit Expression(const char* pattern) {
        int error = 0;
        PCRE2_SIZE where = 0;
        m_code.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern), PCRE2_ZERO_TERMINATED, PCRE2_UTF | PCRE2_UCP,
                                   &error, &where, nullptr));
        if (m_code) {
            m_match.reset(pcre2_match_data_create_from_pattern(m_code.get(), nullptr));
        }
    }
    [[nodiscard]] bool valid() const { return m_code != nullptr; }

    /// The ends of the matches, and of what lies between matches, within each of the pieces.
    [[nodiscard]] std::vector<std::uint32_t> split(std::string_view text,
                                                   const std::vector<std::uint32_t>& pieces) const {
        std::vector<std::uint32_t> ends;
        std::uint32_t begin = 0;
        for (const std::uint32_t end : pieces) {
            std::uint32_t at = begin;
            while (at < end && pcre2_match(m_code.get(), reinterpret_cast<PCRE2_SPTR>(text.data() + begin), end - begin,
                                           at - begin, 0, m_match.get(), nullptr) > 0) {
                const PCRE2_SIZE* found = pcre2_get_ovector_pointer(m_match.get());
                if (begin + found[0] > at) {
                    ends.push_back(begin + static_cast<std::uint32_t>(found[0]));
                }
                at = begin + static_cast<std::uint32_t>(found[1]);
                ends.push_back(at);
            }
            if (at < end) {
                ends.push_back(end);
            }
            begin = end;
        }
        return ends;
    }

private:
    struct FreeCode {
        void operator()(pcre2_code* code) const { pcre2_code_free(code); }
    };
    struct FreeMatch {
        void operator()(pcre2_match_data* match) const { pcre2_match_data_free(match); }
    };
    std::unique_ptr<pcre2_code, FreeCode> m_code;
    std::unique_ptr<pcre2_match_data, FreeMatch> m_match;
};

std::vector<std::string> corpus() {
    std::ifstream file(decodescope::test::testData("engine/tokenizer/corpus.json"));
    std::vector<std::string> texts;
    const nlohmann::json whole = nlohmann::json::parse(file); // a temporary would be gone before its cases are
    for (const auto& entry : whole["cases"]) {
        texts.push_back(entry["text"]);
    }
    return texts;
}

/// Characters at the seams of the rules: every class, blanks of all kinds, contractions.
const std::vector<std::string>& alphabet() {
    static const std::vector<std::string> kCharacters{" ",          " ",      "  ",
                                                      "\n",         "\r",     "\t",
                                                      "\v",         "\u00A0", "\u2003",
                                                      "\u2028",     "\u0085", "\u180E",
                                                      "'",          "'s",     "'T",
                                                      "'re",        "'LL",    "'",
                                                      "a",          "b",      "s",
                                                      "A",          "Z",      "\u00E9",
                                                      "\u00C9",     "\u01C5", "\u02B0",
                                                      "\u05D0",     "\u4E2D", "\u30AB",
                                                      "\u0301",     "\u0903", "\u20DD",
                                                      "0",          "1",      "7",
                                                      "\u0661",     "\u00BD", "\u2167",
                                                      "\U0001D7D8", ".",      ",",
                                                      "/",          "-",      "$",
                                                      "+",          "^",      "`",
                                                      "|",          "\u3002", "\u20AC",
                                                      "\U0001F642", "\u200D", "\uFE0F",
                                                      "\u0378",     "\uE000", std::string(1, '\0'),
                                                      "_",          "{"};
    return kCharacters;
}

} // namespace

void PreTokenizerTest::equalsItsExpression_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QStringList>("expressions");
    QTest::newRow("gpt-2") << "gpt-2" << QStringList{kGpt2};
    QTest::newRow("smollm") << "smollm" << QStringList{"\\p{N}", kGpt2};
    QTest::newRow("llama-bpe") << "llama-bpe" << QStringList{kLlama3};
    QTest::newRow("qwen2") << "qwen2" << QStringList{kQwen2};
    QTest::newRow("tekken") << "tekken" << QStringList{kTekken};
    QTest::newRow("gpt-4o") << "gpt-4o" << QStringList{kGpt4o};
    QTest::newRow("default") << "default"
                             << QStringList{"[\\p{P}\\$\\+<=>\\^~\\|]+", kGpt2, "\\p{N}+", "[0-9][0-9][0-9]"};
}

void PreTokenizerTest::equalsItsExpression() {
    QFETCH(QString, name);
    QFETCH(QStringList, expressions);
    const PreTokenizer* rule = PreTokenizer::named(name.toStdString());
    QVERIFY(rule != nullptr);
    std::vector<Expression> passes;
    for (const QString& expression : expressions) {
        passes.emplace_back(expression.toUtf8().constData());
        QVERIFY(passes.back().valid());
    }
    std::vector<CharClass> classes;
    std::vector<std::uint32_t> ends;
    const auto agrees = [&](const std::string& text) {
        std::vector<std::uint32_t> wanted;
        if (!text.empty()) {
            wanted.push_back(static_cast<std::uint32_t>(text.size()));
        }
        for (const Expression& pass : passes) {
            wanted = pass.split(text, wanted);
        }
        rule->split(text, classes, ends);
        return ends == wanted;
    };
    for (const std::string& text : corpus()) {
        QVERIFY2(agrees(text), text.c_str());
    }
    QVERIFY(rc::check("texts made of the characters at the seams are cut alike", [&] {
        const auto parts = *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(alphabet()));
        std::string text;
        for (const std::string& part : parts) {
            text += part;
        }
        RC_ASSERT(agrees(text));
    }));
}

void PreTokenizerTest::longRunsAreLinear_data() {
    QTest::addColumn<QByteArray>("unit");
    QTest::newRow("letters") << QByteArray("a");
    QTest::newRow("capitals") << QByteArray("A");
    QTest::newRow("caseless after capitals") << QByteArray("\xE4\xB8\xADX");
    QTest::newRow("spaces") << QByteArray(" ");
    QTest::newRow("lines") << QByteArray("\n");
    QTest::newRow("marks") << QByteArray("\xCC\x81");
    QTest::newRow("apostrophes") << QByteArray("'");
    QTest::newRow("digits") << QByteArray("1");
    QTest::newRow("punctuation") << QByteArray("./");
}

/// Quadratic scanning of these would take minutes.
void PreTokenizerTest::longRunsAreLinear() {
    QFETCH(QByteArray, unit);
    const std::string text = unit.repeated(400'000).toStdString();
    std::vector<CharClass> classes;
    std::vector<std::uint32_t> ends;
    for (const char* name : {"gpt-2", "smollm", "llama-bpe", "qwen2", "tekken", "gpt-4o", "default"}) {
        PreTokenizer::named(name)->split(text, classes, ends);
        QCOMPARE(std::size_t{ends.back()}, text.size());
    }
}

void PreTokenizerTest::namesAndManners() {
    QVERIFY(PreTokenizer::named("deepseek-v3") == nullptr);
    QVERIFY(PreTokenizer::named("") == PreTokenizer::named("default"));
    QVERIFY(PreTokenizer::named("deepseek-r1-qwen") == PreTokenizer::named("qwen2"));
    QVERIFY(PreTokenizer::named("llama-bpe")->ignoresMerges());
    QVERIFY(PreTokenizer::named("llama-bpe")->addsBos());
    QVERIFY(!PreTokenizer::named("smollm")->ignoresMerges());
    QVERIFY(!PreTokenizer::named("smollm")->addsBos());
}

QTEST_APPLESS_MAIN(PreTokenizerTest)
#include "tst_pre_tokenizer.moc"
