#include "engine/tokenizer/char_class.h"

#include <QtTest>

using namespace decodescope::engine;

/// The classes against Qt's Unicode tables, which are of another origin than ours (both are of Unicode 14).
class CharClassTest : public QObject {
    Q_OBJECT

private slots:
    void agreesWithQt();
    void bytesOfACharacter();
};

namespace {

CharClass expected(char32_t point) {
    if (point == '\n' || point == '\r') {
        return kNewline;
    }
    if ((point >= 0x09 && point <= 0x0D) || point == 0x85) {
        return kSpace;
    }
    switch (QChar::category(point)) {
    case QChar::Letter_Uppercase:
    case QChar::Letter_Titlecase:
        return kUpper;
    case QChar::Letter_Lowercase:
        return kLower;
    case QChar::Letter_Modifier:
    case QChar::Letter_Other:
        return kCaseless;
    case QChar::Mark_NonSpacing:
    case QChar::Mark_SpacingCombining:
    case QChar::Mark_Enclosing:
        return kMark;
    case QChar::Number_DecimalDigit:
    case QChar::Number_Letter:
    case QChar::Number_Other:
        return kNumber;
    case QChar::Separator_Space:
    case QChar::Separator_Line:
    case QChar::Separator_Paragraph:
        return kSpace;
    case QChar::Punctuation_Connector:
    case QChar::Punctuation_Dash:
    case QChar::Punctuation_Open:
    case QChar::Punctuation_Close:
    case QChar::Punctuation_InitialQuote:
    case QChar::Punctuation_FinalQuote:
    case QChar::Punctuation_Other:
        return kPunctuation;
    case QChar::Symbol_Math:
    case QChar::Symbol_Currency:
    case QChar::Symbol_Modifier:
    case QChar::Symbol_Other:
        return kSymbol;
    default:
        return kOther;
    }
}

} // namespace

void CharClassTest::agreesWithQt() {
    int differing = 0;
    for (char32_t point = 0; point < 0x110000; ++point) {
        if (charClass(point) != expected(point) && ++differing < 10) {
            qWarning("U+%04X: ours %x, Qt's %x", static_cast<unsigned>(point), charClass(point), expected(point));
        }
    }
    QCOMPARE(differing, 0);
    QCOMPARE(charClass(0x110000), kOther);
}

void CharClassTest::bytesOfACharacter() {
    std::vector<CharClass> classes;
    classify("a \xC3\x89\xE2\x82\xAC", classes);
    QVERIFY((classes ==
             std::vector<CharClass>{kLower, kSpace, kUpper, kContinuation, kSymbol, kContinuation, kContinuation}));
}

QTEST_APPLESS_MAIN(CharClassTest)
#include "tst_char_class.moc"
