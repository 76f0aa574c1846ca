#include "tests/ui/text/record_builder.h"
#include "ui/text/heat_strip.h"
#include "ui/theme/look.h"

#include <QTest>

using namespace decodescope;

class TestHeatStrip : public QObject {
    Q_OBJECT

private slots:
    void init();
    void hottestOfAColumnWins();
    void growingEqualsBuildingAnew();
    void scaleIsShared();
    void clickSelectsTheHottest();
    void stallsAndCutAreSeen();

private:
    void fill(int tokens, int hot = -1);

    ViewState m_state;
    std::unique_ptr<TokenTextView> m_text;
    std::unique_ptr<HeatStrip> m_strip;
    RecordBuilder m_builder;
};

void TestHeatStrip::init() {
    Look::instance().apply(ThemeChoice::dark);
    m_state.clear();
    m_builder = RecordBuilder();
    m_strip.reset();
    m_text = std::make_unique<TokenTextView>(m_state);
    m_text->setLane(3, 0);
    m_strip = std::make_unique<HeatStrip>(m_state, *m_text);
    m_strip->setLane(3);
    m_strip->resize(200, 22);
    m_strip->show();
}

void TestHeatStrip::fill(int tokens, int hot) {
    for (int i = 0; i < tokens; ++i)
        m_builder.token(" w", i == hot ? 700 : 20 + i % 3);
    m_text->advance(m_builder.shared(), true);
    m_strip->advance();
}

void TestHeatStrip::hottestOfAColumnWins() {
    fill(20000, 12345);
    int hottest = 0;
    for (int x = 1; x < m_strip->width(); ++x) {
        if (m_strip->columnGapS(x) > m_strip->columnGapS(hottest))
            hottest = x;
    }
    QVERIFY(qAbs(m_strip->columnGapS(hottest) - 0.7F) < 1e-4F);
    QCOMPARE(hottest, m_strip->cellLeft(12345));
    QCOMPARE(m_strip->tokenAt(hottest), std::optional<std::uint32_t>(12345));
}

void TestHeatStrip::growingEqualsBuildingAnew() {
    for (int i = 0; i < 400; ++i) {
        m_builder.token(" w", 20 + (i * 37) % 91);
        m_text->advance(m_builder.shared(), true);
        m_strip->advance();
    }
    HeatStrip fresh(m_state, *m_text);
    fresh.resize(200, 22);
    fresh.advance();
    for (int x = 0; x < 200; ++x)
        QCOMPARE(m_strip->columnGapS(x), fresh.columnGapS(x));
}

void TestHeatStrip::scaleIsShared() {
    fill(100);
    m_strip->setScale(400);
    QCOMPARE(m_strip->cellLeft(100), 50);
    QVERIFY(m_strip->columnGapS(49) >= 0);
    QVERIFY(m_strip->columnGapS(51) < 0);
    QVERIFY(!m_strip->tokenAt(51));
    m_strip->setScale(10); // never less than its own
    QCOMPARE(m_strip->cellLeft(100), 200);
}

void TestHeatStrip::clickSelectsTheHottest() {
    fill(5000, 2500);
    QTest::mouseClick(m_strip.get(), Qt::LeftButton, {}, QPoint(m_strip->cellLeft(2500), 15));
    QCOMPARE(m_state.selected(), std::optional(TokenRef{3, 2500}));
    QTest::mouseMove(m_strip.get(), QPoint(m_strip->cellLeft(2500), 15));
    QCOMPARE(m_state.hovered(), std::optional(TokenRef{3, 2500}));
}

void TestHeatStrip::stallsAndCutAreSeen() {
    fill(100, 50);
    RunSummary summary;
    Distribution itl;
    itl.p50 = 0.021;
    summary.itl = itl;
    m_text->setSummary(summary);
    m_strip->setSummary(summary);
    const QColor stall = Look::instance().colours().stall, fail = Look::instance().colours().fail;
    const QImage plain = m_strip->grab().toImage();
    const int x = m_strip->cellLeft(50);
    QVERIFY(plain.pixelColor(x + 1, 2) != stall);
    QCOMPARE(plain.pixelColor(x, 15), Look::instance().colours().heat[8]);
    // Each kind has its own shape of the one colour: filled for generation, open for delivery.
    const auto markOf = [&](StallKind kind) {
        Stall late;
        late.kind = kind;
        late.eventIndex = 50;
        late.lengthS = 0.7;
        summary.stalls = {late};
        m_strip->setSummary(summary);
        m_strip->setScale(200);
        m_strip->setCut(true);
        const QImage image = m_strip->grab().toImage();
        int pixels = 0;
        for (int dx = -5; dx <= 5; ++dx)
            for (int y = 0; y < 8; ++y)
                pixels += image.pixelColor(m_strip->cellLeft(50) + dx, y) == stall ? 1 : 0;
        return pixels;
    };
    const int open = markOf(StallKind::delivery);
    QVERIFY(open > 0);
    QVERIFY2(markOf(StallKind::generation) > open, qPrintable(QString::number(open)));
    const QImage marked = m_strip->grab().toImage();
    QCOMPARE(marked.pixelColor(m_strip->cellLeft(100), 15), fail);
    // What our own machine made has a mark as well, in grey.
    QCOMPARE(markOf(StallKind::client), 0);
    const QImage ours = m_strip->grab().toImage();
    int grey = 0;
    for (int dx = -5; dx <= 5; ++dx)
        for (int y = 0; y < 8; ++y)
            grey += ours.pixelColor(m_strip->cellLeft(50) + dx, y) != Look::instance().colours().surface ? 1 : 0;
    QVERIFY2(grey > 8, qPrintable(QString::number(grey)));
}

QTEST_MAIN(TestHeatStrip)
#include "tst_heat_strip.moc"
