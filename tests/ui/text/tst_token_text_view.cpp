#include "tests/ui/text/record_builder.h"
#include "ui/text/token_text_view.h"
#include "ui/theme/look.h"
#include "ui/theme/plain_tip.h"

#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QPainter>
#include <QScreen>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

using namespace decodescope;

class TestTokenTextView : public QObject {
    Q_OBJECT

private slots:
    void init();
    void cleanup() { m_view.reset(); }
    void copyGivesTheTranscript();
    void selectionByMouse();
    void doubleClickTakesAWord();
    void clickSelectsTheToken();
    void hoveringTellsTheOthers();
    void everyTokenIsFoundUnderItsPlace();
    void findGoesThroughTheMatches();
    void followsTheEndUnlessScrolledUp();
    void keysStepThroughTokensAndStalls();
    void aStallElsewhereIsRevealed();
    void anotherRecordBeginsAnew();
    void blitScrollingShowsWhatAFullPaintShows();
    void readingFollowsTheReader();
    void tipsAreEscaped();
    void tipsSayWhyItStalled();
    void screenReadersGetTheText();

private:
    QPoint pointOf(std::uint32_t token);
    void show(RecordBuilder& b, bool running = false) { m_view->advance(b.shared(), running); }
    static RunSummary summaryWith(double median, std::vector<Stall> stalls = {});

    ViewState m_state;
    std::unique_ptr<TokenTextView> m_view;
};

void TestTokenTextView::init() {
    Look::instance().apply(ThemeChoice::dark);
    m_state.clear();
    m_view = std::make_unique<TokenTextView>(m_state);
    m_view->setLane(7, 1);
    m_view->resize(380, 200);
    m_view->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
}

QPoint TestTokenTextView::pointOf(std::uint32_t token) {
    for (int y = 0; y < m_view->viewport()->height(); y += 5) {
        for (int x = 0; x < m_view->viewport()->width(); x += 2) {
            if (m_view->tokenAt({x, y}) == token)
                return {x, y};
        }
    }
    return {-1, -1};
}

RunSummary TestTokenTextView::summaryWith(double median, std::vector<Stall> stalls) {
    RunSummary summary;
    Distribution itl;
    itl.n = 10;
    itl.p50 = median;
    summary.itl = itl;
    summary.stalls = std::move(stalls);
    return summary;
}

void TestTokenTextView::copyGivesTheTranscript() {
    RecordBuilder b;
    b.token("Grüße,\t").token("世界").token(" 😀\r\n").token("bell\x07 end\n", 400);
    show(b);
    Stall stall;
    stall.lengthS = 0.4;
    stall.kind = StallKind::delivery;
    stall.eventIndex = 3;
    m_view->setSummary(summaryWith(0.02, {stall}));
    m_view->setEndMark(QStringLiteral("stream ends here"));
    QTest::keyClick(m_view.get(), Qt::Key_A, Qt::ControlModifier);
    QTest::keyClick(m_view.get(), Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QApplication::clipboard()->text(), QString::fromStdString(b.record().transcript));
}

void TestTokenTextView::selectionByMouse() {
    RecordBuilder b;
    b.words("one two three four");
    show(b);
    QSignalSpy changed(m_view.get(), &TokenTextView::selectionChanged);
    const QPoint from = pointOf(0), to = pointOf(2);
    QVERIFY(from.x() >= 0 && to.x() >= 0);
    QTest::mousePress(m_view->viewport(), Qt::LeftButton, {}, from);
    QTest::mouseMove(m_view->viewport(), (from + to) / 2);
    QTest::mouseMove(m_view->viewport(), to + QPoint(14, 0));
    QTest::mouseRelease(m_view->viewport(), Qt::LeftButton, {}, to + QPoint(14, 0));
    QVERIFY(changed.size() > 0);
    QVERIFY2(m_view->selectedText().startsWith(QLatin1String("one two ")), qPrintable(m_view->selectedText()));
    QVERIFY(!m_state.selected()); // a drag is no click
}

void TestTokenTextView::doubleClickTakesAWord() {
    RecordBuilder b;
    b.token("in").token("dex").token(" key");
    show(b);
    QTest::mouseDClick(m_view->viewport(), Qt::LeftButton, {}, pointOf(1));
    QCOMPARE(m_view->selectedText(), QStringLiteral("index"));
}

void TestTokenTextView::clickSelectsTheToken() {
    RecordBuilder b;
    b.words("one two three");
    show(b);
    QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, pointOf(1));
    QCOMPARE(m_state.selected(), std::optional(TokenRef{7, 1}));
    QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, QPoint(370, 10)); // beside the text
    QVERIFY(!m_state.selected());
}

void TestTokenTextView::hoveringTellsTheOthers() {
    RecordBuilder b;
    b.words("one two three");
    show(b);
    QTest::mouseMove(m_view->viewport(), pointOf(2));
    QCOMPARE(m_state.hovered(), std::optional(TokenRef{7, 2}));
    QTest::mouseMove(m_view->viewport(), QPoint(370, 10));
    QVERIFY(!m_state.hovered());
}

void TestTokenTextView::everyTokenIsFoundUnderItsPlace() {
    RecordBuilder b;
    b.words("An index is a second copy of some columns, kept in order. A write has to change it too.");
    b.token(" שלום").token(" עולם").token(" end");
    show(b);
    for (std::uint32_t token = 0; token < m_view->buffer().tokenCount(); ++token)
        QVERIFY2(pointOf(token).x() >= 0, qPrintable(QString::number(token)));
}

void TestTokenTextView::findGoesThroughTheMatches() {
    RecordBuilder b;
    for (int i = 0; i < 200; ++i)
        b.token(i % 40 == 20 ? " Needle" : " straw");
    show(b);
    FindResult result = m_view->find(QStringLiteral("needle"), FindStep::stay);
    QCOMPARE(result.count, 5);
    for (int i = 0; i < 4; ++i)
        result = m_view->find(QStringLiteral("needle"), FindStep::next);
    const std::uint32_t first = m_view->buffer().begin(20);
    while (result.current != 1)
        result = m_view->find(QStringLiteral("needle"), FindStep::next);
    const int line = m_view->text().lineOf(first);
    const int top = m_view->verticalScrollBar()->value();
    QVERIFY(line >= top && line < top + m_view->visibleLines());
    b.token(" needle");
    m_view->advance(b.shared(), true);
    QCOMPARE(m_view->findResult().count, 6);
    QCOMPARE(m_view->find(QString(), FindStep::stay).count, 0);
}

void TestTokenTextView::followsTheEndUnlessScrolledUp() {
    RecordBuilder b;
    for (int i = 0; i < 300; ++i)
        b.token(" word");
    show(b, true);
    QScrollBar* bar = m_view->verticalScrollBar();
    QVERIFY(bar->maximum() > 5);
    QCOMPARE(bar->value(), bar->maximum());
    QTest::keyClick(m_view.get(), Qt::Key_PageUp);
    QVERIFY(!m_view->following());
    const int there = bar->value();
    for (int i = 0; i < 100; ++i)
        b.token(" more");
    show(b, true);
    QCOMPARE(bar->value(), there);
    QTest::keyClick(m_view.get(), Qt::Key_End);
    QVERIFY(m_view->following());
    QTest::keyClick(m_view.get(), Qt::Key_Home);
    QCOMPARE(bar->value(), 0);
    // A new width keeps the place.
    const int middle = bar->maximum() / 2;
    bar->setValue(middle);
    const std::uint32_t seen = m_view->text().line(middle).start;
    m_view->resize(300, 200);
    const int line = m_view->text().lineOf(seen);
    QCOMPARE(bar->value(), line);
}

void TestTokenTextView::keysStepThroughTokensAndStalls() {
    RecordBuilder b;
    b.token("a").otherChoice().token(" b").token(" c", 500).token(" d").token(" e", 600);
    show(b);
    Stall first, second;
    first.kind = second.kind = StallKind::delivery;
    first.lengthS = second.lengthS = 0.5;
    first.eventIndex = 3;
    second.eventIndex = 5;
    m_view->setSummary(summaryWith(0.02, {first, second}));
    QTest::keyClick(m_view.get(), Qt::Key_Period);
    QCOMPARE(m_state.selected(), std::optional(TokenRef{7, 0}));
    QTest::keyClick(m_view.get(), Qt::Key_Period);
    QCOMPARE(m_state.selected(), std::optional(TokenRef{7, 2})); // nothing to see at 1
    QTest::keyClick(m_view.get(), Qt::Key_Comma);
    QCOMPARE(m_state.selected(), std::optional(TokenRef{7, 0}));
    QTest::keyClick(m_view.get(), Qt::Key_Comma);
    QCOMPARE(m_state.selected(), std::optional(TokenRef{7, 0})); // the first one
    QTest::keyClick(m_view.get(), Qt::Key_Greater, Qt::ShiftModifier);
    QCOMPARE(m_state.stall(), std::optional(StallRef{7, 0}));
    QCOMPARE(m_state.selected(), std::optional(TokenRef{7, 3}));
    QTest::keyClick(m_view.get(), Qt::Key_Greater, Qt::ShiftModifier);
    QCOMPARE(m_state.selected(), std::optional(TokenRef{7, 5}));
    QTest::keyClick(m_view.get(), Qt::Key_Less, Qt::ShiftModifier);
    QCOMPARE(m_state.selected(), std::optional(TokenRef{7, 3}));
}

void TestTokenTextView::aStallElsewhereIsRevealed() {
    RecordBuilder b;
    for (int i = 0; i < 400; ++i)
        b.token(" word", i == 10 ? 900 : 20);
    show(b, true);
    Stall stall;
    stall.kind = StallKind::generation;
    stall.lengthS = 0.9;
    stall.eventIndex = 10;
    m_view->setSummary(summaryWith(0.02, {stall}));
    QVERIFY(m_view->text().inserts().at(0).label.contains(QLatin1String("generation")));
    m_state.setStall(StallRef{8, 0}); // another lane's
    QVERIFY(!m_state.selected());
    m_state.setStall(StallRef{7, 0});
    QCOMPARE(m_state.selected(), std::optional(TokenRef{7, 10}));
    QVERIFY(pointOf(10).x() >= 0);
    QVERIFY(!m_view->following());
}

void TestTokenTextView::anotherRecordBeginsAnew() {
    RecordBuilder b;
    b.words("old text");
    show(b);
    m_view->selectAll();
    RecordBuilder next;
    next.words("new");
    show(next, true);
    QCOMPARE(m_view->buffer().text(), QStringLiteral("new"));
    QVERIFY(m_view->selectedText().isEmpty());
    m_view->advance(nullptr, false);
    QCOMPARE(m_view->buffer().tokenCount(), 0U);
}

void TestTokenTextView::blitScrollingShowsWhatAFullPaintShows() {
    RecordBuilder b;
    m_view->advance(b.shared(), true);
    m_view->setSummary(summaryWith(0.02));
    for (int step = 0; step < 120; ++step) {
        b.token(step % 19 == 18 ? "\n\n" : " token", step % 7 == 6 ? 100 : step % 5 == 4 ? 0 : 20);
        b.token("s", 20);
        if (step % 11 == 10)
            m_state.setSelected(TokenRef{7, static_cast<std::uint32_t>(step)});
        if (step % 13 == 12)
            m_view->verticalScrollBar()->setValue(m_view->verticalScrollBar()->value() - 2);
        if (step % 13 == 0)
            m_view->verticalScrollBar()->setValue(m_view->verticalScrollBar()->maximum());
        m_view->advance(b.shared(), true);
        QCoreApplication::processEvents();
        if (step % 6 != 5)
            continue;
        const QImage onScreen =
            m_view->screen()->grabWindow(m_view->winId()).toImage().convertToFormat(QImage::Format_RGB32);
        const QRect part(m_view->viewport()->pos(), m_view->viewport()->size());
        const QImage painted = m_view->grab().toImage().convertToFormat(QImage::Format_RGB32);
        QCOMPARE(onScreen.size(), painted.size());
        QVERIFY2(onScreen.copy(part) == painted.copy(part), qPrintable(QStringLiteral("step %1").arg(step)));
    }
}

void TestTokenTextView::readingFollowsTheReader() {
    RecordBuilder b;
    for (int i = 0; i < 400; ++i)
        b.token(" word");
    show(b, true);
    const auto marksAt = [&](std::uint32_t token) {
        const std::uint32_t begin = m_view->buffer().wordBegin(token), end = m_view->buffer().end(token);
        return ReadingMarks{{begin, end}, begin};
    };
    m_view->setReading(marksAt(10));
    QCOMPARE(m_view->verticalScrollBar()->value(), 0); // at once, not with the next word
    m_view->setReading(marksAt(11));
    QCOMPARE(m_view->verticalScrollBar()->value(), 0);
    QVERIFY(pointOf(11).x() >= 0);
    m_view->setReading(marksAt(200));
    QVERIFY(pointOf(200).x() >= 0);
    QVERIFY(m_view->following());
    m_view->setReading(std::nullopt);
    QCOMPARE(m_view->verticalScrollBar()->value(), m_view->verticalScrollBar()->maximum());
}

void TestTokenTextView::tipsAreEscaped() {
    RecordBuilder b;
    b.token("a").token("<img src='x'>&", 40);
    show(b);
    m_view->setSummary(summaryWith(0.02));
    const QString tip = plainTip(m_view->tip(1));
    QVERIFY(!tip.contains(QLatin1String("<img")));
    QVERIFY(tip.contains(QLatin1String("&lt;img")));
    QVERIFY(tip.contains(QString::fromUtf8("×2.0")));
    QVERIFY(tip.contains(QString::fromUtf8("40.0\u2009ms")));
}

void TestTokenTextView::tipsSayWhyItStalled() {
    RecordBuilder b;
    b.token("a").token(" late", 700).token(" on");
    show(b);
    RunSummary summary = summaryWith(0.02);
    Stall stall;
    stall.kind = StallKind::delivery;
    stall.eventIndex = 1;
    stall.lengthS = 0.7;
    stall.evidence = "30 of the <35> tokens came above the trend.";
    summary.stalls = {stall};
    m_view->setSummary(summary);
    const QString tip = m_view->tip(1);
    QVERIFY2(tip.contains(QStringLiteral("Delivery stall")) && tip.contains(QStringLiteral("<35> tokens")),
             qPrintable(tip));
    QVERIFY(!m_view->tip(2).contains(QStringLiteral("stall")));
    summary.stalls[0].kind = StallKind::client;
    m_view->setSummary(summary);
    QVERIFY(m_view->tip(1).contains(QStringLiteral("Our own machine")));
    QVERIFY(m_view->buffer().hatched(1));
}

void TestTokenTextView::screenReadersGetTheText() {
    RecordBuilder b;
    b.words("one two three");
    show(b);
    QAccessibleInterface* accessible = QAccessible::queryAccessibleInterface(m_view.get());
    QVERIFY(accessible && accessible->textInterface());
    QAccessibleTextInterface* text = accessible->textInterface();
    QCOMPARE(text->text(4, 7), QStringLiteral("two"));
    QCOMPARE(text->characterCount(), 13);
    QVERIFY(accessible->state().readOnly);
    text->setSelection(0, 8, 13);
    QCOMPARE(m_view->selectedText(), QStringLiteral("three"));
    const QRect letter = text->characterRect(5);
    QVERIFY(letter.width() > 2 && letter.height() == 20);
    QCOMPARE(text->offsetAtPoint(letter.center()), 3); // the token begins with its space
}

QTEST_MAIN(TestTokenTextView)
#include "tst_token_text_view.moc"
