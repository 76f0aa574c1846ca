#include "tests/ui/text/record_builder.h"
#include "ui/text/token_text.h"
#include "ui/theme/look.h"

#include <QTest>
#include <rapidcheck.h>

using namespace decodescope;

class TestTokenText : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { Look::instance().apply(ThemeChoice::dark); }
    void growingWrapsLikeAllAtOnce();
    void insertsWrapLikeAllAtOnce();
    void linesCoverTheWholeText();
    void noLineIsWiderThanItsWidth();
    void emptyLinesAndBreaks();
    void insertsAreNoText();
    void rightToLeftParagraphs();
    void longParagraphIsNotLaidOutAgain();
};

namespace {

const char* const kPieces[] = {" the",
                               " database",
                               " index",
                               "ing",
                               ",",
                               ".",
                               "\n",
                               "\n\n",
                               " a",
                               " 世界很大",
                               "你好，",
                               " שלום",
                               " עולם",
                               " مرحبا",
                               "ـا",
                               " 😀",
                               "👨‍👩‍👧",
                               "e\u0301",
                               "-",
                               "—",
                               "5",
                               "/path",
                               "    ",
                               "\t",
                               "\r\n",
                               "x",
                               "Donaudampfschifffahrt",
                               " fi",
                               "ffl",
                               "“",
                               "”",
                               "(",
                               ")",
                               " don’t",
                               "\u00A0"};

TokenText makeText(int width) {
    TokenText text;
    QFont label = Look::instance().font(Type::small);
    text.setFonts(Look::instance().font(Type::stream), label, 20);
    text.setWidth(width);
    return text;
}

QString describe(const TokenText& text) {
    QString lines;
    for (int i = 0; i < text.lineCount(); ++i)
        lines += QStringLiteral("%1-%2%3 ").arg(text.line(i).start).arg(text.line(i).end).arg(text.line(i).rightToLeft);
    return lines;
}

/// Latin letters, digits and the marks between them.
bool oneScript(const char* piece) {
    constexpr char16_t kFirstOther = 0x0370;
    constexpr char16_t kPunctuation = 0x2000;
    constexpr char16_t kPunctuationEnd = 0x2070;
    const QString text = QString::fromUtf8(piece);
    return std::all_of(text.begin(), text.end(), [](QChar c) {
        return c.unicode() < kFirstOther ||
               (c.unicode() >= kPunctuation && c.unicode() < kPunctuationEnd && c.unicode() != 0x200D);
    });
}

std::vector<const char*> randomPieces() {
    return *rc::gen::container<std::vector<const char*>>(
        rc::gen::map(rc::gen::inRange<std::size_t>(0, std::size(kPieces)), [](std::size_t i) { return kPieces[i]; }));
}

} // namespace

void TestTokenText::growingWrapsLikeAllAtOnce() {
    const bool held = rc::check("incremental wrapping equals wrapping everything", [] {
        const auto pieces = *rc::gen::resize(
            400, rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, std::size(kPieces))));
        const int width = *rc::gen::inRange(140, 420);
        RecordBuilder b;
        TokenText growing = makeText(width);
        for (const std::size_t piece : pieces) {
            // Where scripts meet, a line may break elsewhere: see TokenText.
            if (!oneScript(kPieces[piece]))
                continue;
            b.token(kPieces[piece]);
            const int before = growing.lineCount();
            const int first = growing.append(b.record());
            RC_ASSERT(first <= before);
        }
        TokenText whole = makeText(width);
        whole.append(b.record());
        RC_ASSERT(describe(growing).toStdString() == describe(whole).toStdString());
        TokenText resized = makeText(width + 50);
        resized.append(b.record());
        resized.setWidth(width);
        RC_ASSERT(describe(resized).toStdString() == describe(whole).toStdString());
    });
    QVERIFY(held);
}

void TestTokenText::insertsWrapLikeAllAtOnce() {
    const bool held = rc::check("inserts put in late wrap like inserts that were there", [] {
        RecordBuilder b;
        const int tokens = *rc::gen::inRange(1, 120);
        for (int i = 0; i < tokens; ++i)
            b.token(i % 17 == 16 ? "\n" : " words");
        const auto at = static_cast<std::uint32_t>(*rc::gen::inRange(0, tokens));
        TokenText late = makeText(300);
        late.append(b.record());
        std::vector<TextInsert> inserts{
            {TextInsert::Kind::stall, late.buffer().wordBegin(at), at, QStringLiteral("803 ms delivery")}};
        const QString plain = describe(late);
        late.setInserts(inserts);
        TokenText early = makeText(200);
        early.append(b.record());
        early.setInserts(inserts);
        early.setWidth(300);
        RC_ASSERT(describe(late).toStdString() == describe(early).toStdString());
        late.setInserts({});
        RC_ASSERT(describe(late).toStdString() == plain.toStdString());
    });
    QVERIFY(held);
}

void TestTokenText::linesCoverTheWholeText() {
    const bool held = rc::check("every unit of the text stands in one line or is a break", [] {
        const auto pieces = randomPieces();
        RecordBuilder b;
        for (const char* piece : pieces)
            b.token(piece);
        TokenText text = makeText(200);
        text.append(b.record());
        std::uint32_t next = 0;
        for (int i = 0; i < text.lineCount(); ++i) {
            const auto& line = text.line(i);
            if (line.start != next) {
                RC_ASSERT(line.start == next + 1);
                RC_ASSERT(text.buffer().text().at(next) == QLatin1Char('\n'));
            }
            RC_ASSERT(text.lineOf(line.start) == i);
            next = line.end;
        }
        RC_ASSERT(next == text.buffer().textSize());
    });
    QVERIFY(held);
}

void TestTokenText::noLineIsWiderThanItsWidth() {
    RecordBuilder b;
    for (int i = 0; i < 300; ++i)
        b.token(kPieces[static_cast<std::size_t>(i * 7) % std::size(kPieces)]);
    TokenText text = makeText(180);
    text.append(b.record());
    for (int i = 0; i < text.lineCount(); ++i) {
        const QTextLine line = text.layout(i).layout().lineAt(0);
        if (!line.isValid())
            continue;
        // Spaces at the end hang over.
        QString shown = text.layout(i).layout().text();
        while (!shown.isEmpty() && shown.back().isSpace())
            shown.chop(1);
        const qreal width = line.cursorToX(static_cast<int>(shown.size())) - line.cursorToX(0);
        QVERIFY2(qAbs(width) <= 181, qPrintable(shown));
    }
}

void TestTokenText::emptyLinesAndBreaks() {
    RecordBuilder b;
    b.token("one\n\ntwo\r\n").token("three\n");
    TokenText text = makeText(300);
    text.append(b.record());
    QCOMPARE(text.lineCount(), 5);
    QCOMPARE(describe(text), "0-30 4-40 5-90 10-150 16-160 ");
    QCOMPARE(text.lineOf(3), 0); // the break belongs to its line
    QCOMPARE(text.lineOf(4), 1);
}

void TestTokenText::insertsAreNoText() {
    RecordBuilder b;
    b.words("million single insertions");
    TokenText text = makeText(600);
    text.append(b.record());
    const std::uint32_t at = text.buffer().wordBegin(1);
    text.setInserts({{TextInsert::Kind::stall, at, 1, QStringLiteral("803 ms delivery")}});
    QCOMPARE(text.lineCount(), 1);
    LineLayout& layout = text.layout(0);
    QVERIFY(layout.layout().text().contains(QStringLiteral("delivery")));
    QVERIFY(!text.buffer().text().contains(QStringLiteral("delivery")));
    const auto [left, right] = layout.insertExtent(0);
    QVERIFY(right > left + 50);
    // What lies under the label is the place before its word; the word begins right of it.
    QCOMPARE(layout.positionAt((left + right) / 2, QTextLine::CursorOnCharacter), at);
    const auto word = layout.extents(at, at + 6);
    QCOMPARE(word.size(), std::size_t{1});
    QVERIFY(word[0].first >= right - 0.5);
    // A stretch across the label is two pieces.
    QCOMPARE(layout.extents(at - 3, at + 3).size(), std::size_t{2});
    for (std::uint32_t p = 0; p <= text.buffer().textSize(); ++p)
        QCOMPARE(layout.toText(layout.toLayout(p)), p);
}

void TestTokenText::rightToLeftParagraphs() {
    RecordBuilder b;
    b.token("English\n").token("שלום").token(" עולם");
    TokenText text = makeText(300);
    text.append(b.record());
    QCOMPARE(text.lineCount(), 2);
    QVERIFY(!text.line(0).rightToLeft);
    QVERIFY(text.line(1).rightToLeft);
    const auto first = text.layout(1).extents(8, 12), second = text.layout(1).extents(13, 17);
    QVERIFY(!first.empty() && !second.empty());
    QVERIFY(first[0].first > second[0].second - 1); // the first word is on the right
    QVERIFY(first[0].second <= 301);
}

void TestTokenText::longParagraphIsNotLaidOutAgain() {
    RecordBuilder b;
    TokenText text = makeText(378);
    for (int i = 0; i < 20000; ++i)
        b.token(" word");
    text.append(b.record());
    const int lines = text.lineCount();
    b.token(" more");
    QVERIFY(text.append(b.record()) >= lines - 2);
}

QTEST_MAIN(TestTokenText)
#include "tst_token_text.moc"
