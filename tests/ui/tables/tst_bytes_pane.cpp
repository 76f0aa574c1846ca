#include "tests/support/run_builder.h"
#include "tests/support/shown_session.h"
#include "ui/tables/bytes_pane.h"
#include "ui/theme/look.h"

#include <QPlainTextEdit>
#include <QtTest>

#include <algorithm>

using namespace decodescope;
using test::RunBuilder;
using test::ShownSession;

namespace {

std::string message(const std::string& text) {
    return R"(data: {"choices":[{"index":0,"delta":{"content":")" + text + "\"}}]}\n\n";
}

std::string_view cutOf(const std::string& bytes, const std::optional<ByteRange>& range) {
    return range ? std::string_view(bytes).substr(range->first, range->second - range->first) : std::string_view();
}

/// Three reads: the head, one message, and two messages that came 0.8 s later.
void fill(ShownSession& shown) {
    RunBuilder run;
    run.record().reads = 1; // the head was read 0
    run.event(0.4, 1, "grows, ").event(1.2, 1, "single ").sameRead(1.2, 1, "insertion\xC3\xA9");
    shown.addLane("gateway/large", {run.build()},
                  {"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n", message("grows, "),
                   message("single ") + message("insertion\\u00e9")});
}

} // namespace

class TestBytesPane : public QObject {
    Q_OBJECT

private slots:
    void init() { Look::instance().apply(ThemeChoice::dark); }

    void controlBytesAreEscaped() {
        const ByteLines lines = showBytes("a\tb\r\nc\x01\xFF\xC3\xA9\xE2\x80\xAE", ByteForm::text, {});
        QCOMPARE(lines.text, QStringLiteral("a\\tb\\r\\n\nc\\x01\\xffé\\u202e"));
    }

    void hexHasOffsetsAndCharacters() {
        const ByteLines lines = showBytes("0123456789abcdefX\n", ByteForm::hex, ByteRange{16, 18});
        const QStringList rows = lines.text.split(QLatin1Char('\n'));
        QCOMPARE(rows.size(), 2);
        QVERIFY(rows[0].startsWith(QStringLiteral("000000  30 31 ")) &&
                rows[0].endsWith(QStringLiteral("0123456789abcdef")));
        QVERIFY(rows[1].startsWith(QStringLiteral("000010  58 0a ")) && rows[1].endsWith(QStringLiteral("X.")));
        QCOMPARE(lines.marked.size(), std::size_t{1});
        QCOMPARE(lines.text.mid(lines.marked[0].first, lines.marked[0].second), QStringLiteral("58 0a "));
    }

    void hexLinesFitWhereTheyStand() {
        QCOMPARE(hexRowFor(100), 16);
        QCOMPARE(hexRowFor(73), 16);
        QCOMPARE(hexRowFor(72), 8);
        QCOMPARE(hexRowFor(10), 4);
        for (const int row : {16, 8, 4}) {
            const ByteLines lines = showBytes("0123456789abcdefX", ByteForm::hex, {}, row);
            const QString first = lines.text.section(QLatin1Char('\n'), 0, 0);
            QVERIFY(first.endsWith(QStringLiteral("0123456789abcdef").left(row)));
            QCOMPARE(hexRowFor(static_cast<int>(first.size())), row);
            QCOMPARE(hexRowFor(static_cast<int>(first.size()) - 1), std::max(4, row / 2));
        }
    }

    void findsTheMessageOfATokenEvent() {
        const std::string read = message("the ") + message("same ") + message("same ") + message("q\\\"\\n");
        QCOMPARE(cutOf(read, findEvent(read, {"the "}, 0)), std::string_view(message("the ")));
        const auto first = findEvent(read, {"the ", "same "}, 1);
        const auto second = findEvent(read, {"the ", "same ", "same "}, 2);
        QVERIFY(first && second && first->second == second->first);
        QCOMPARE(cutOf(read, findEvent(read, {"the ", "same ", "same ", "q\"\n"}, 3)),
                 std::string_view(message("q\\\"\\n")));
        QVERIFY(!findEvent("\x1f\x8b compressed", {"the "}, 0));
        const std::string lines = "{\"response\":\"a\"}\n{\"response\":\"b\"}\n";
        QCOMPARE(cutOf(lines, findEvent(lines, {"a", "b"}, 1)), std::string_view("{\"response\":\"b\"}\n"));
        const std::string wide = message("\xC3\xA9") + message("\xF0\x9F\xA6\x89");
        QCOMPARE(cutOf(wide, findEvent(wide, {"\xC3\xA9", "\xF0\x9F\xA6\x89"}, 1)),
                 std::string_view(message("\xF0\x9F\xA6\x89")));
    }

    void showsReadSilenceAndTheReadBefore() {
        ShownSession shown;
        fill(shown);
        ViewState view;
        BytesPane pane(view);
        pane.advance(shown.session());
        QCOMPARE(pane.shownText(), QStringLiteral("Select a token to see the bytes that brought it."));
        view.setSelected(TokenRef{1, 2});
        pane.advance(shown.session());
        const QString text = pane.shownText();
        QVERIFY2(text.contains(QStringLiteral("Read 1 at 0.4000 s")), qPrintable(text));
        QVERIFY(text.contains(QStringLiteral("Read 2 at 1.2000 s")));
        QVERIFY(text.contains(QStringLiteral("800 ms of silence")));
        QVERIFY(text.contains(QStringLiteral("\"content\":\"single \"")));
        // The message of the chosen token alone is marked.
        QString marked;
        const QColor ground = Look::instance().colours().selection;
        for (const auto& selection : pane.editor()->extraSelections())
            if (selection.format.background().color() == ground)
                marked += selection.cursor.selectedText();
        QVERIFY2(marked.contains(QStringLiteral("insertion\\u00e9")) && !marked.contains(QStringLiteral("single")),
                 qPrintable(marked));
        pane.setForm(ByteForm::hex);
        pane.advance(shown.session());
        QVERIFY(pane.shownText().contains(QStringLiteral("000000  64 61 74 61 3a 20")));
        QVERIFY(pane.editor()->isReadOnly());
    }

    void theSilenceSaysWhy() {
        RunBuilder run;
        run.record().reads = 1;
        std::vector<std::string> reads{"HTTP/1.1 200 OK\r\n\r\n"};
        for (int i = 0; i < 120; ++i) {
            run.event(0.4 + i * 0.02 + (i >= 40 ? 0.7 : 0), 1, "w ");
            reads.push_back(message("w "));
        }
        ShownSession shown;
        shown.addLane("a", {run.usage(120).build()}, reads);
        ViewState view;
        BytesPane pane(view);
        view.setSelected(TokenRef{1, 40});
        pane.advance(shown.session());
        const QString text = pane.shownText();
        QVERIFY2(text.contains(QStringLiteral("ms of silence\nGeneration stall, 720 ms")), qPrintable(text));
        QVERIFY(text.contains(QStringLiteral("No catch-up")));
        view.setSelected(TokenRef{1, 41});
        pane.advance(shown.session());
        QVERIFY(!pane.shownText().contains(QStringLiteral("stall")));
    }

    void aTokenWithoutBytesSaysSo() {
        ShownSession shown;
        shown.addLane("a", {RunBuilder().tokens(5).until(1).build()});
        ViewState view;
        BytesPane pane(view);
        view.setSelected(TokenRef{1, 3});
        pane.advance(shown.session());
        QCOMPARE(pane.shownText(), QStringLiteral("The bytes of read 3 are not kept in memory."));
        view.setSelected(TokenRef{1, 300});
        pane.advance(shown.session());
        QCOMPARE(pane.shownText(), QStringLiteral("This token is no longer shown."));
        view.setSelected(TokenRef{7, 0});
        pane.advance(shown.session());
        QCOMPARE(pane.shownText(), QStringLiteral("This token is no longer shown."));
    }

    void hugeReadsAreCutAroundTheEvent() {
        RunBuilder run;
        run.event(0.4, 1, "needle");
        ShownSession shown;
        shown.addLane("a", {run.build()},
                      {std::string(300'000, 'x') + "\n\n" + message("needle") + std::string(300'000, 'y')});
        ViewState view;
        BytesPane pane(view);
        view.setSelected(TokenRef{1, 0});
        pane.advance(shown.session());
        QVERIFY(pane.shownText().size() < 40'000);
        QVERIFY(pane.shownText().contains(QStringLiteral("\"content\":\"needle\"")));
        QVERIFY(pane.shownText().contains(QStringLiteral("bytes before are not shown")));
    }

    void markupStaysText() {
        RunBuilder run;
        run.event(0.4, 1, "<b>x</b>");
        ShownSession shown;
        shown.addLane("a", {run.build()}, {message("<b>x</b>")});
        ViewState view;
        BytesPane pane(view);
        view.setSelected(TokenRef{1, 0});
        pane.advance(shown.session());
        QVERIFY(pane.shownText().contains(QStringLiteral("<b>x</b>")));
    }

    void pictures_data() {
        QTest::addColumn<bool>("light");
        QTest::newRow("dark") << false;
        QTest::newRow("light") << true;
    }
    void pictures() {
        QFETCH(bool, light);
        Look::instance().apply(light ? ThemeChoice::light : ThemeChoice::dark);
        ShownSession shown;
        fill(shown);
        ViewState view;
        BytesPane pane(view);
        pane.resize(560, 220);
        pane.show();
        view.setSelected(TokenRef{1, 2});
        const QString folder = qEnvironmentVariable("DECODESCOPE_PICTURES");
        for (const ByteForm form : {ByteForm::text, ByteForm::hex}) {
            pane.setForm(form);
            pane.advance(shown.session());
            QCoreApplication::processEvents();
            if (!folder.isEmpty())
                QVERIFY(pane.grab().save(folder +
                                         QStringLiteral("/bytes-%1-%2.png")
                                             .arg(form == ByteForm::hex ? "hex" : "text", light ? "light" : "dark")));
        }
        QVERIFY(!pane.accessibleName().isEmpty());
    }
};

QTEST_MAIN(TestBytesPane)
#include "tst_bytes_pane.moc"
