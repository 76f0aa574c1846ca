#include "tests/support/shown_session.h"
#include "tests/ui/tables/race_runs.h"
#include "ui/panels/controls.h"
#include "ui/tables/stall_table.h"
#include "ui/tables/table_text.h"
#include "ui/theme/look.h"

#include <QLabel>
#include <QTableView>
#include <QtTest>

using namespace decodescope;
using test::raceRun;
using test::RunBuilder;
using test::ShownSession;

namespace {

/// Two lanes that stall at the same instant, and one that never does.
void fill(ShownSession& shown) {
    shown.addLane("SmolLM2-135M", {raceRun({0.1, 0.01, 240}, 1).build()});
    shown.addLane("llama-3.1-8b", {raceRun({0.4, 0.02, 300, 100, 0.6}, 2).build()});
    shown.addLane("gateway/large", {raceRun({0.8, 0.02, 300, 85, 0.9, 45}, 3).build()});
}

} // namespace

class TestStallTable : public QObject {
    Q_OBJECT

private slots:
    void init() { Look::instance().apply(ThemeChoice::dark); }

    void listsStallsOfAllLanes() {
        ShownSession shown;
        fill(shown);
        ViewState view;
        StallTable stalls(view);
        stalls.advance(shown.session());
        const auto& rows = stalls.model().rows();
        QCOMPARE(rows.size(), std::size_t{2});
        QCOMPARE(rows[0].ref.lane, LaneId{2});
        QVERIFY(rows[0].stall.kind == StallKind::generation);
        QCOMPARE(rows[0].ender->event, 100U);
        QVERIFY(rows[1].stall.kind == StallKind::delivery);
        QCOMPARE(rows[0].others, QStringLiteral("C"));
        QCOMPARE(rows[1].others, QStringLiteral("B"));
        QVERIFY(!rows[0].word.isEmpty());
        const QString text = tableText(*stalls.table()->model(), TableFormat::tsv);
        QVERIFY(
            text.startsWith(QStringLiteral("Lane\tStart s\tLength ms\tKind\tToken\tWord\tPeriodic\tAlso\tEvidence\n")));
        QVERIFY(text.contains(QStringLiteral("delivery")) && text.contains(QStringLiteral("above the trend")));
    }

    void lanesThatStallTogetherPointSomewhere() {
        ShownSession shown;
        const auto lane = [](const char* host, std::uint32_t seed) {
            RunBuilder run = raceRun({0.4, 0.02, 300, 100, 0.6}, seed);
            run.record().spec.endpoint.url = std::string("http://") + host + "/v1/chat/completions";
            return run.build();
        };
        shown.addLane("one", {lane("a:1", 2)});
        shown.addLane("two", {lane("b:1", 3)});
        ViewState view;
        StallTable stalls(view);
        stalls.advance(shown.session());
        const QAbstractItemModel& model = stalls.model();
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.index(0, StallModel::othersColumn).data().toString(), QStringLiteral("B: this side"));
        QVERIFY(
            model.index(1, StallModel::evidenceColumn).data().toString().contains(QStringLiteral("2 of the 2 lanes")));
    }

    void gapsOfOurOwnAreNamedSo() {
        ShownSession shown;
        RunBuilder run = raceRun({0.4, 0.02, 300, 100, 0.6}, 2);
        const double late = toSeconds(run.record().events[100].at - *run.record().started);
        run.clock(ClockSource::user).hiccup(late - 0.55, late);
        shown.addLane("one", {run.build()});
        ViewState view;
        StallTable stalls(view);
        stalls.advance(shown.session());
        const QModelIndex kind = stalls.model().index(0, StallModel::kindColumn);
        QCOMPARE(kind.data().toString(), QStringLiteral("own machine"));
        QVERIFY(kind.data(Qt::ForegroundRole).value<QColor>() == Look::instance().colours().ink3);
    }

    void aClickSelectsStallAndToken() {
        ShownSession shown;
        fill(shown);
        ViewState view;
        StallTable stalls(view);
        stalls.resize(900, 160);
        stalls.show();
        stalls.advance(shown.session());
        QTableView* table = stalls.table();
        const QModelIndex last = table->model()->index(1, StallModel::kindColumn);
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(last).center());
        QVERIFY(view.stall() && view.selected());
        const int row = stalls.model().rowOf(*view.stall());
        QVERIFY(row >= 0);
        QVERIFY(view.selected() == stalls.model().rows()[static_cast<std::size_t>(row)].ender);
        QTest::keyClick(table, Qt::Key_Up);
        QVERIFY2(stalls.model().rowOf(*view.stall()) != row, "the keyboard chooses as well");
    }

    void whyItStalledIsReadWholeInANarrowPanelToo() {
        ShownSession shown;
        fill(shown);
        ViewState view;
        StallTable stalls(view);
        stalls.resize(360, 260);
        stalls.show();
        stalls.advance(shown.session());
        QVERIFY(stalls.account()->text().contains(QStringLiteral("Choose a stall"))); // no column of evidence
        for (int column = 0; column < StallModel::columns; ++column) {
            const QModelIndex cell = stalls.table()->model()->index(0, column);
            if (!stalls.table()->isColumnHidden(column))
                QVERIFY2(stalls.table()->visualRect(cell).right() <= stalls.table()->viewport()->width(),
                         qPrintable(QStringLiteral("column %1 is cut off").arg(column)));
        }
        QVERIFY(!stalls.table()->isColumnHidden(StallModel::kindColumn));
        view.setStall(StallRef{2, 0});
        const QString words = stalls.account()->text();
        QVERIFY2(words.startsWith(QStringLiteral("B: Generation stall, 6")), qPrintable(words));
        QVERIFY2(words.contains(QStringLiteral("No catch-up")) && words.contains(QStringLiteral("stalled together")),
                 qPrintable(words));
        QVERIFY(!stalls.account()->isHidden());
        view.setStall(StallRef{3, 0});
        QVERIFY(stalls.account()->text().startsWith(QStringLiteral("C: Delivery stall")));
        view.clear();
        QVERIFY(stalls.account()->text().contains(QStringLiteral("Choose a stall")));
        stalls.resize(980, 260);
        QVERIFY(!stalls.table()->isColumnHidden(StallModel::evidenceColumn));
        view.setStall(StallRef{3, 0});
        stalls.resize(360, 130); // a low panel: rows are seen first, the rest is a tooltip
        QTRY_VERIFY(stalls.table()->viewport()->height() >= 20);
        QVERIFY(stalls.account()->toolTip().contains(QStringLiteral("Delivery stall")));
        view.clear();
        view.setStall(StallRef{3, 0});
        const QTableView& table = *stalls.table();
        QVERIFY(table.viewport()->rect().contains(table.visualRect(table.currentIndex()).center()));
    }

    void followsASelectionFromElsewhere() {
        ShownSession shown;
        fill(shown);
        ViewState view;
        StallTable stalls(view);
        stalls.advance(shown.session());
        view.setStall(StallRef{3, 0});
        QCOMPARE(stalls.table()->selectionModel()->selectedRows().size(), 1);
        view.clear();
        QVERIFY(!stalls.table()->selectionModel()->hasSelection());
        view.setSelected(TokenRef{2, 100});
        QVERIFY(stalls.table()->selectionModel()->hasSelection());
        QVERIFY2(!view.stall(), "following selects nothing by itself");
    }

    void sortsByLength() {
        ShownSession shown;
        fill(shown);
        ViewState view;
        StallTable stalls(view);
        stalls.advance(shown.session());
        stalls.table()->sortByColumn(StallModel::lengthColumn, Qt::DescendingOrder);
        QCOMPARE(stalls.table()->model()->index(0, StallModel::kindColumn).data().toString(),
                 QStringLiteral("delivery"));
        stalls.table()->sortByColumn(StallModel::lengthColumn, Qt::AscendingOrder);
        QCOMPARE(stalls.table()->model()->index(0, StallModel::kindColumn).data().toString(),
                 QStringLiteral("generation"));
    }

    void responseTextIsNeverMarkup() {
        ShownSession shown;
        auto run = raceRun({0.1, 0.02, 60}, 1);
        run.event(3.0, 1, "<b>bold</b>").event(3.02, 1);
        shown.addLane("a", {run.usage(62).build()});
        ViewState view;
        StallTable stalls(view);
        stalls.advance(shown.session());
        const QModelIndex word = stalls.model().index(0, StallModel::wordColumn);
        QCOMPARE(word.data(Qt::DisplayRole).toString(), QStringLiteral("<b>bold</b>"));
        QVERIFY(word.data(Qt::ToolTipRole).toString().contains(QStringLiteral("&lt;b&gt;")));
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
        shown.addLane("regular", {raceRun({0.2, 0.02, 60}, 5)
                                      .event(3, 1, "late")
                                      .event(3.02)
                                      .event(5, 1, "again")
                                      .event(5.02)
                                      .event(7, 1, "third")
                                      .event(7.02)
                                      .build()});
        ViewState view;
        StallTable stalls(view);
        stalls.resize(980, 170);
        stalls.show();
        stalls.advance(shown.session());
        view.setStall(StallRef{3, 0});
        QCoreApplication::processEvents();
        const QString folder = qEnvironmentVariable("DECODESCOPE_PICTURES");
        if (!folder.isEmpty())
            QVERIFY(stalls.grab().save(folder + (light ? "/stalls-light.png" : "/stalls-dark.png")));
        QVERIFY(!stalls.table()->accessibleName().isEmpty());
    }
};

QTEST_MAIN(TestStallTable)
#include "tst_stall_table.moc"
