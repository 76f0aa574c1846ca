#include "tests/support/shown_session.h"
#include "tests/ui/tables/race_runs.h"
#include "ui/tables/score_paint.h"
#include "ui/tables/scoreboard.h"
#include "ui/tables/table_text.h"
#include "ui/theme/look.h"

#include <QHeaderView>
#include <QSignalSpy>
#include <QTableView>
#include <QtTest>

using namespace decodescope;
using test::RacePace;
using test::raceRun;
using test::RunBuilder;
using test::ShownSession;

namespace {

QString cell(const Scoreboard& board, ScoreMetric metric, int column, int role = Qt::DisplayRole) {
    return board.model().index(static_cast<int>(metric), column).data(role).toString();
}

/// Pictures are left where DECODESCOPE_PICTURES says, for a person to look at.
void picture(QWidget& widget, const char* name) {
    const QString folder = qEnvironmentVariable("DECODESCOPE_PICTURES");
    if (!folder.isEmpty())
        QVERIFY(widget.grab().save(QStringLiteral("%1/%2.png").arg(folder, QLatin1String(name))));
}

} // namespace

class TestScoreboard : public QObject {
    Q_OBJECT

private slots:
    void init() { Look::instance().apply(ThemeChoice::dark); }

    void bestIsMarkedOthersCarryRatios() {
        ShownSession shown;
        shown.addLane("local", {RunBuilder().ttft(0.1).tokens(200).until(2.09).build()});
        shown.addLane("remote", {RunBuilder().ttft(0.4).tokens(200).until(4.38).build()});
        ViewState view;
        Scoreboard board(view);
        board.advance(shown.session());
        QCOMPARE(cell(board, ScoreMetric::ttft, 1), QStringLiteral("100"));
        QVERIFY(board.model().index(0, 1).data(ScoreModel::bestRole).toBool());
        QCOMPARE(cell(board, ScoreMetric::ttft, 1, ScoreModel::ratioRole), QString());
        QCOMPARE(cell(board, ScoreMetric::ttft, 2, ScoreModel::ratioRole), QStringLiteral("×4.0"));
        QCOMPARE(cell(board, ScoreMetric::decodeRate, 1), QStringLiteral("100.0"));
        QCOMPARE(cell(board, ScoreMetric::decodeRate, 2, ScoreModel::ratioRole), QStringLiteral("×2.0"));
        QCOMPARE(cell(board, ScoreMetric::total, 1), QStringLiteral("2.09"));
        QCOMPARE(cell(board, ScoreMetric::total, 0), QStringLiteral("Total, s"));
        QCOMPARE(cell(board, ScoreMetric::outputTokens, 2), QStringLiteral("200"));
        QCOMPARE(board.model().scores().scope, QStringLiteral("this run, n = 1"));
        QCOMPARE(plainNotes(board.model().scores().notes), QStringLiteral("A leads at every length."));
    }

    void breakEvenIsTold() {
        ShownSession shown;
        shown.addLane("slow start", {RunBuilder().ttft(4).tokens(200).until(4 + 199.0 / 200).build()});
        shown.addLane("slow flow", {RunBuilder().ttft(0.15).tokens(200).until(0.15 + 199.0 / 50).build()});
        const Scores scores =
            makeScores({scoreLane(*shown.session().lanes()[0]), scoreLane(*shown.session().lanes()[1])});
        QCOMPARE(plainNotes(scores.notes), QStringLiteral("A finishes before B from 258 tokens on (break-even)."));
    }

    void otherModelsAreComparedByCharacters() {
        ShownSession shown;
        RunBuilder other = RunBuilder().ttft(0.15).tokens(200).until(0.15 + 199.0 / 50);
        other.record().spec.endpoint.model = "another";
        shown.addLane("a", {RunBuilder().ttft(4).tokens(200).until(4 + 199.0 / 200).build()});
        shown.addLane("b", {other.build()});
        const Scores scores =
            makeScores({scoreLane(*shown.session().lanes()[0]), scoreLane(*shown.session().lanes()[1])});
        QVERIFY(plainNotes(scores.notes).contains(QStringLiteral("characters on (break-even)")));
    }

    void stallsOfOurOwnAreCountedApart() {
        ShownSession shown;
        auto run = raceRun({0.1, 0.02, 60}, 1);
        run.event(3.0, 1, "late").event(3.02, 1).clock(ClockSource::user).hiccup(1.32, 3.0);
        shown.addLane("a", {run.usage(62).build()});
        ViewState view;
        Scoreboard board(view);
        board.advance(shown.session());
        QCOMPARE(cell(board, ScoreMetric::stalls, 1), QStringLiteral("0"));
        QVERIFY(cell(board, ScoreMetric::longestGap, 1).toDouble() < 100);
        QVERIFY(cell(board, ScoreMetric::stalls, 1, Qt::ToolTipRole)
                    .contains(QStringLiteral("1 more gap was of our own machine")));
    }

    void noRowIsCutInHalfByTheNotes() {
        ShownSession shown;
        shown.addLane("a", {RunBuilder().ttft(0.1).tokens(200).until(2).build()});
        ViewState view;
        Scoreboard board(view);
        board.advance(shown.session());
        board.show();
        auto* table = board.findChild<QTableView*>();
        for (int height = 300; height < 420; height += 7) {
            board.resize(390, height);
            QCoreApplication::processEvents();
            const int rows = table->verticalHeader()->length();
            const bool roomForAll = table->viewport()->height() >= kScoreMetrics * 16;
            QVERIFY2(!roomForAll || rows <= table->viewport()->height(), qPrintable(QString::number(height)));
        }
    }

    void failedAndCutLanesAreShownNotRanked() {
        ShownSession shown;
        shown.addLane("good", {RunBuilder().ttft(0.1).tokens(200).until(2.09).build()});
        shown.addLane("refused",
                      {RunBuilder().failed(ErrorKind::auth, "Incorrect API key", 401).finishedAt(0.2).build()});
        shown.addLane("cut",
                      {RunBuilder().ttft(0.05).tokens(90).until(1).outcome(Outcome::truncated).finish({}).build()});
        ViewState view;
        Scoreboard board(view);
        board.advance(shown.session());
        QCOMPARE(cell(board, ScoreMetric::ttft, 2), QStringLiteral("–"));
        QCOMPARE(cell(board, ScoreMetric::ttft, 3), QStringLiteral("50"));
        for (int m = 0; m < kScoreMetrics; ++m)
            for (int c = 1; c <= 3; ++c) {
                QVERIFY(!board.model().index(m, c).data(ScoreModel::bestRole).toBool());
                QVERIFY(board.model().index(m, c).data(ScoreModel::ratioRole).toString().isEmpty());
            }
        QVERIFY(board.model().index(0, 3).data(ScoreModel::dimRole).toBool());
        QCOMPARE(board.model().scores().scope, QStringLiteral("1 of 3 lanes complete"));
        QVERIFY(plainNotes(board.model().scores().notes)
                    .startsWith(QStringLiteral("Only A is complete: nothing is ranked.")));
        QVERIFY(cell(board, ScoreMetric::ttft, 2, Qt::ToolTipRole).contains(QStringLiteral("No token has come.")));
        QCOMPARE(cell(board, ScoreMetric::total, 2), QStringLiteral("–"));
        QVERIFY(cell(board, ScoreMetric::total, 3) != QStringLiteral("–"));
    }

    void runningTotalsCarryAnEllipsis() {
        ShownSession shown;
        shown.addLane("done", {RunBuilder().ttft(0.1).tokens(200).until(2.09).build()});
        shown.addLane("running", {raceRun({0.2, 0.02, 120}, 3).outcome(Outcome::running).finish({}).build()});
        ViewState view;
        Scoreboard board(view);
        board.advance(shown.session());
        QCOMPARE(cell(board, ScoreMetric::total, 2), QStringLiteral("–"));
        QCOMPARE(cell(board, ScoreMetric::endToEndRate, 2), QStringLiteral("–"));
        QVERIFY(cell(board, ScoreMetric::total, 2, Qt::ToolTipRole).contains(QStringLiteral("before the run ends")));
        QCOMPARE(cell(board, ScoreMetric::outputTokens, 2), QStringLiteral("120…"));
        QVERIFY(!cell(board, ScoreMetric::ttft, 2, ScoreModel::ratioRole).isEmpty());
    }

    void repeatsGiveMediansAndIntervals() {
        ShownSession shown;
        std::vector<RunRecord> a, b;
        for (int i = 0; i < 5; ++i) {
            a.push_back(RunBuilder().ttft(0.1 + 0.01 * i).tokens(100).until(1.1).repeat(i + 1).build());
            b.push_back(RunBuilder().ttft(0.1 + 0.011 * i).tokens(100).until(2.1).repeat(i + 1).build());
        }
        a.push_back(RunBuilder().ttft(9).tokens(100).until(10).warmup().build());
        shown.addLane("a", a);
        shown.addLane("b", b);
        ViewState view;
        Scoreboard board(view);
        board.advance(shown.session());
        QCOMPARE(board.model().scores().scope, QStringLiteral("medians, n = 5"));
        QCOMPARE(cell(board, ScoreMetric::ttft, 1), QStringLiteral("120"));
        QVERIFY(cell(board, ScoreMetric::ttft, 2, Qt::ToolTipRole).contains(QStringLiteral("No difference shown.")));
        const QString total = cell(board, ScoreMetric::total, 2, Qt::ToolTipRole);
        QVERIFY(total.contains(QStringLiteral("n = 5 and 5")) && !total.contains(QStringLiteral("No difference")));
    }

    void aClickOrdersTheLanes() {
        ShownSession shown;
        shown.addLane("slow", {RunBuilder().ttft(0.5).tokens(100).until(3).build()});
        shown.addLane("fast", {RunBuilder().ttft(0.1).tokens(100).until(4).build()});
        ViewState view;
        Scoreboard board(view);
        board.resize(376, 340);
        board.show();
        board.advance(shown.session());
        auto* table = board.findChild<QTableView*>();
        const auto click = [&](int row, int column) {
            QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                              table->visualRect(board.model().index(row, column)).center());
        };
        click(0, 0);
        QCOMPARE(cell(board, ScoreMetric::ttft, 1), QStringLiteral("100"));
        click(0, 0);
        QCOMPARE(cell(board, ScoreMetric::ttft, 1), QStringLiteral("500"));
        click(0, 2);
        QCOMPARE(view.front(), std::optional<LaneId>(2));
    }

    void copiesAsText() {
        ShownSession shown;
        shown.addLane("a|b", {RunBuilder().ttft(0.1).tokens(100).until(1).build()});
        ViewState view;
        Scoreboard board(view);
        board.advance(shown.session());
        const QString tsv = tableText(board.model(), TableFormat::tsv);
        QCOMPARE(tsv.count(QLatin1Char('\n')), kScoreMetrics + 1);
        QVERIFY(tsv.contains(QStringLiteral("TTFT, ms\t100\n")));
        const QString markdown = tableText(board.model(), TableFormat::markdown);
        QVERIFY(markdown.startsWith(QStringLiteral("| × ratio to the best lane | A a\\|b |\n|---|---|\n")));
    }

    void pictures_data() {
        QTest::addColumn<bool>("light");
        QTest::newRow("dark") << false;
        QTest::newRow("light") << true;
    }
    void pictures() {
        QFETCH(bool, light);
        Look::instance().apply(light ? ThemeChoice::light : ThemeChoice::dark);
        const auto paint = [&](ShownSession& shown, QSize size, const char* name) {
            ViewState view;
            Scoreboard board(view);
            board.resize(size);
            board.show();
            board.advance(shown.session());
            QCoreApplication::processEvents();
            picture(board,
                    qPrintable(QStringLiteral("score-%1-%2").arg(QLatin1String(name), light ? "light" : "dark")));
            QVERIFY(!board.accessibleName().isEmpty());
        };
        ShownSession race;
        race.addLane("SmolLM2-135M Q4_1", {raceRun({0.118, 0.0101, 242}, 1).clock(ClockSource::kernel).build()});
        race.addLane("llama-3.1-8b", {raceRun({0.412, 0.0235, 297, 210, 0.62}, 2)
                                          .clock(ClockSource::kernel)
                                          .outcome(Outcome::running)
                                          .finish({})
                                          .build()});
        race.addLane("gateway/large",
                     {raceRun({0.846, 0.012, 437, 300, 0.8, 60}, 3).clock(ClockSource::kernel).build()});
        paint(race, {376, 332}, "race");
        ShownSession errors;
        errors.addLane("good", {raceRun({0.118, 0.0101, 242}, 1).build()});
        errors.addLane("refused",
                       {RunBuilder().failed(ErrorKind::auth, "Incorrect API key", 401).finishedAt(0.2).build()});
        errors.addLane("cut", {raceRun({0.436, 0.023, 210}, 4).outcome(Outcome::truncated).finish({}).build()});
        paint(errors, {376, 332}, "errors");
        ShownSession eight;
        for (unsigned i = 0; i < 8; ++i)
            eight.addLane("lane", {raceRun({0.1 + 0.05 * i, 0.01 + 0.004 * i, 200}, i).build()});
        paint(eight, {640, 340}, "eight");
        ShownSession none;
        none.addLane("a", {});
        none.addLane("b", {});
        paint(none, {376, 332}, "empty");
    }
};

QTEST_MAIN(TestScoreboard)
#include "tst_scoreboard.moc"
