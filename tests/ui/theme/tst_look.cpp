#include "ui/theme/look.h"

#include <QApplication>
#include <QFontInfo>
#include <QFontMetricsF>
#include <QIcon>
#include <QImage>
#include <QPainter>
#include <QSignalSpy>
#include <QTest>

#include <cmath>

using namespace decodescope;

class TestLook : public QObject {
    Q_OBJECT

private slots:
    void init() { Look::instance().apply(ThemeChoice::dark); }
    void themeChangesColoursPaletteAndSheet();
    void systemChoiceIsOneOfTheTwo();
    void heatStops_data();
    void heatStops();
    void digitsHaveOneWidth();
    void fontsAreTheCompiledInOnes();
    void textReachesItsContrast();
    void lanesRepeatWithAThickerLine();
    void dashesAreInPixels();
    void everyIconPaintsInItsColour();
    void iconsFollowTheTheme();
};

namespace {

double linear(double channel) {
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& c) {
    return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF());
}

double contrast(const QColor& a, const QColor& b) {
    const double la = luminance(a), lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

/// The strongest colour of an image, weighing alpha: what the icon was painted with.
QColor paintedColour(const QPixmap& pixmap) {
    const QImage image = pixmap.toImage().convertToFormat(QImage::Format_ARGB32);
    QColor strongest(0, 0, 0, 0);
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            const QColor here = QColor::fromRgba(image.pixel(x, y));
            if (here.alpha() > strongest.alpha())
                strongest = here;
        }
    }
    return strongest;
}

} // namespace

void TestLook::themeChangesColoursPaletteAndSheet() {
    Look& look = Look::instance();
    QSignalSpy changed(&look, &Look::changed);
    const QString darkSheet = qApp->styleSheet();
    QCOMPARE(look.colours().window, QColor("#0E1013"));
    look.apply(ThemeChoice::light);
    QCOMPARE(changed.size(), 1);
    QCOMPARE(look.theme(), Theme::light);
    QCOMPARE(look.colours().window, QColor("#E6E8EC"));
    QCOMPARE(QApplication::palette().color(QPalette::Window), QColor("#E6E8EC"));
    QVERIFY(qApp->styleSheet() != darkSheet);
    QVERIFY2(!qApp->styleSheet().contains(QLatin1Char('@')), "a token of the style sheet was not filled in");
    QVERIFY(!darkSheet.contains(QLatin1String("#000000")));
}

void TestLook::systemChoiceIsOneOfTheTwo() {
    Look& look = Look::instance();
    look.apply(ThemeChoice::system);
    QCOMPARE(look.choice(), ThemeChoice::system);
    const Theme first = look.theme();
    look.apply(first == Theme::dark ? ThemeChoice::light : ThemeChoice::dark);
    look.apply(ThemeChoice::system);
    QCOMPARE(look.theme(), first); // not what we ourselves had set meanwhile
}

void TestLook::heatStops_data() {
    QTest::addColumn<double>("ratio");
    QTest::addColumn<int>("stop");
    const double bounds[] = {0, std::sqrt(2), 2, 2 * std::sqrt(2), 4, 4 * std::sqrt(2), 8, 8 * std::sqrt(2), 16};
    for (int stop = 1; stop <= 8; ++stop) {
        QTest::addRow("at bound %d", stop) << bounds[stop] << stop;
        QTest::addRow("below bound %d", stop) << bounds[stop] * 0.999 << stop - 1;
    }
    QTest::newRow("median itself") << 1.0 << 0;
    QTest::newRow("far below") << 0.001 << 0;
    QTest::newRow("far above") << 10000.0 << 8;
    QTest::newRow("no gap") << 0.0 << 0;
}

void TestLook::heatStops() {
    QFETCH(double, ratio);
    QFETCH(int, stop);
    QCOMPARE(Look::heatStop(ratio * 0.02, 0.02), stop);
    QCOMPARE(Look::heatStop(ratio, 0), 0); // no median: no heat
}

void TestLook::digitsHaveOneWidth() {
    for (const Type type : {Type::small, Type::body, Type::title, Type::number, Type::stream}) {
        const QFontMetricsF metrics(Look::instance().font(type));
        const qreal ones = metrics.horizontalAdvance(QStringLiteral("11111"));
        for (char digit = '0'; digit <= '9'; ++digit)
            QCOMPARE(metrics.horizontalAdvance(QString(5, QLatin1Char(digit))), ones);
    }
}

void TestLook::fontsAreTheCompiledInOnes() {
    QCOMPARE(QFontInfo(Look::instance().font(Type::body)).family(), "Decodescope Sans");
    QCOMPARE(QFontInfo(Look::instance().font(Type::title)).weight(), static_cast<int>(QFont::DemiBold));
    QCOMPARE(QFontInfo(Look::instance().font(Type::number)).weight(), static_cast<int>(QFont::Medium));
    QCOMPARE(QFontInfo(Look::instance().font(Type::mono)).family(), "Decodescope Mono");
    // Bytes are shown as they came: two characters stay two glyphs.
    const QFontMetricsF mono(Look::instance().font(Type::mono));
    QCOMPARE(mono.horizontalAdvance(QStringLiteral("->!=")), 4 * mono.horizontalAdvance(QLatin1Char('-')));
}

void TestLook::textReachesItsContrast() {
    for (const ThemeChoice choice : {ThemeChoice::dark, ThemeChoice::light}) {
        Look::instance().apply(choice);
        const Colours& c = Look::instance().colours();
        for (const QColor& text : {c.ink, c.ink2, c.ink3}) {
            for (const QColor& ground : {c.window, c.surface, c.field, c.raised})
                QVERIFY(contrast(text, ground) >= 4.5);
        }
        QVERIFY(contrast(c.stall, c.stallFill) >= 4.5);
        QVERIFY(contrast(c.fail, c.failFill) >= 4.5);
        for (std::size_t i = 0; i < c.heat.size(); ++i)
            QVERIFY(contrast(c.heatInk[i], c.heat[i]) >= 4.5);
        for (int lane = 0; lane < 8; ++lane) {
            const LaneLook look = Look::instance().lane(lane);
            QVERIFY(contrast(look.ink, look.colour) >= 4.5);
            QVERIFY(contrast(look.colour, c.surface) >= 3.0);
        }
    }
}

void TestLook::lanesRepeatWithAThickerLine() {
    const LaneLook first = Look::instance().lane(1), ninth = Look::instance().lane(9);
    QCOMPARE(first.letter, QLatin1Char('B'));
    QCOMPARE(ninth.letter, QLatin1Char('J'));
    QCOMPARE(ninth.colour, first.colour);
    QCOMPARE(ninth.dashPx, first.dashPx);
    QCOMPARE(first.lineWidth, 1.5);
    QCOMPARE(ninth.lineWidth, 2.0);
    QCOMPARE(Look::instance().lane(-1).letter, QLatin1Char('A'));
}

void TestLook::dashesAreInPixels() {
    const QPen pen = Look::instance().lanePen(1, 2, true);
    QCOMPARE(pen.dashPattern(), (QList<qreal>{3, 1.5})); // 6 3 px in pen widths
    QCOMPARE(Look::instance().lanePen(1, 2, false).style(), Qt::SolidLine);
    QCOMPARE(Look::instance().lanePen(0, 2, true).style(), Qt::SolidLine);
}

void TestLook::everyIconPaintsInItsColour() {
    const QStringList names = Look::instance().iconNames();
    QVERIFY(names.size() >= 36);
    for (const QString& name : names) {
        const QPixmap pixmap = Look::instance().iconPixmap(name, 16, QColor("#FF7A6B"), 2);
        QCOMPARE(pixmap.size(), QSize(32, 32));
        const QColor painted = paintedColour(pixmap);
        QVERIFY2(painted.alpha() > 200, qPrintable(name));
        QVERIFY2(std::abs(painted.red() - 0xFF) < 6 && std::abs(painted.blue() - 0x6B) < 6, qPrintable(name));
    }
}

void TestLook::iconsFollowTheTheme() {
    const QIcon icon = Look::instance().icon(QStringLiteral("check"));
    const QColor dark = paintedColour(icon.pixmap(16));
    Look::instance().apply(ThemeChoice::light);
    const QColor light = paintedColour(icon.pixmap(16));
    QVERIFY(dark.lightness() > 180);
    QVERIFY(light.lightness() < 80);
    const QColor disabled = paintedColour(icon.pixmap(QSize(16, 16), QIcon::Disabled));
    QVERIFY(disabled.lightness() > light.lightness());
}

QTEST_MAIN(TestLook)
#include "tst_look.moc"
