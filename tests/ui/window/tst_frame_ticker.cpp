#include "ui/window/frame_ticker.h"

#include <QTest>
#include <QWidget>

#include <memory>
#include <vector>

using namespace decodescope;

class FrameTickerTest : public QObject {
    Q_OBJECT

private slots:
    void everyViewCatchesUpOnceAChange() {
        int changes = 1;
        FrameTicker ticker([&] { return changes-- > 0; }, [] { return false; });
        QWidget parent;
        parent.show();
        int text = 0;
        std::vector<int> charts(5, 0);
        std::vector<std::unique_ptr<QWidget>> widgets;
        auto* textWidget = new QWidget(&parent);
        textWidget->show();
        ticker.addEveryTick(textWidget, [&] { ++text; });
        for (int& chart : charts) {
            auto* widget = new QWidget(&parent);
            widget->show();
            ticker.addStaggered(widget, [&chart] { ++chart; });
        }
        ticker.start();
        QTRY_COMPARE(charts, std::vector<int>(5, 1));
        QCOMPARE(text, 1);
        QTest::qWait(100);
        QCOMPARE(charts, std::vector<int>(5, 1)); // and not again without news
    }

    void chartsTakeTurns() {
        FrameTicker ticker([] { return true; }, [] { return true; });
        QWidget parent;
        parent.show();
        int inThisTick = 0;
        int most = 0;
        for (int i = 0; i < 6; ++i) {
            auto* widget = new QWidget(&parent);
            widget->show();
            ticker.addStaggered(widget, [&] { ++inThisTick; });
        }
        int ticks = 0;
        ticker.onTick = [&](double, double) {
            most = std::max(most, inThisTick);
            inThisTick = 0;
            ++ticks;
        };
        ticker.start();
        QTRY_VERIFY(ticks > 8);
        QVERIFY2(most >= 2 && most <= 3, qPrintable(QString::number(most))); // six charts in two or three groups
    }

    void hiddenViewsWaitUntilTheyAreShown() {
        bool changed = true;
        FrameTicker ticker([&] { return std::exchange(changed, false); }, [] { return false; });
        QWidget parent;
        parent.show();
        auto* widget = new QWidget(&parent);
        widget->hide();
        int advanced = 0;
        ticker.addStaggered(widget, [&] { ++advanced; });
        ticker.start();
        QTest::qWait(80);
        QCOMPARE(advanced, 0);
        widget->show();
        QTRY_COMPARE(advanced, 1);
    }

    void anUnseenWindowIsStillDrained() {
        int drained = 0;
        int advanced = 0;
        FrameTicker ticker(
            [&] {
                ++drained;
                return true;
            },
            [] { return true; });
        QWidget widget;
        widget.show();
        ticker.addEveryTick(&widget, [&] { ++advanced; });
        ticker.setSeen(false);
        ticker.start();
        QTRY_VERIFY(drained > 3);
        QCOMPARE(advanced, 0);
        ticker.setSeen(true);
        QTRY_VERIFY(advanced > 0);
    }
};

QTEST_MAIN(FrameTickerTest)
#include "tst_frame_ticker.moc"
