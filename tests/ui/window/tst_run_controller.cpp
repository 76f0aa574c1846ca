#include "tests/ui/window/window_fixture.h"
#include "ui/window/recordings_folder.h"
#include "ui/window/run_controller.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QSignalSpy>
#include <QTest>

using namespace decodescope;

namespace {

bool pumpUntil(RunController& runs, const std::function<bool()>& done, int ms = 8000) {
    QElapsedTimer timer;
    timer.start();
    while (!done() && timer.elapsed() < ms) {
        runs.pump();
        QTest::qWait(2);
    }
    return done();
}

RaceSettings shortRace() {
    RaceSettings race;
    race.plan.warmups = 0;
    return race;
}

} // namespace

class RunControllerTest : public QObject {
    Q_OBJECT

private slots:
    void aRunIsRecordedByItself() {
        WindowFixture fixture;
        RunController runs(fixture.services());
        QSignalSpy saved(&runs, &RunController::recordingSaved);
        runs.setRace(shortRace());
        runs.lanes().add(WindowFixture::lane("steady"));
        runs.lanes().add(WindowFixture::lane("refused"));
        QVERIFY(runs.canRun());
        runs.run();
        QVERIFY(runs.running());
        QVERIFY(!runs.canRun());
        QVERIFY(pumpUntil(runs, [&] { return !runs.running(); }));
        QCOMPARE(runs.session().lanes()[0]->state(), LaneState::done);
        QCOMPARE(runs.session().lanes()[1]->state(), LaneState::failed);
        QVERIFY(pumpUntil(runs, [&] { return saved.count() == 1; })); // nobody waits for the disk
        const QString path = saved.at(0).at(0).toString();
        QVERIFY(!(QFileInfo(path).permissions() & (QFile::ReadGroup | QFile::ReadOther)));
        const auto recording = openRecordingFile(path);
        QVERIFY(recording.has_value());
        QCOMPARE(recording->lanes.size(), std::size_t(2));
        QCOMPARE(recording->runs.size(), std::size_t(2));
        QVERIFY(runs.recordingTrouble().isEmpty());
    }

    void closingWhileItStreamsTellsTheRecording() {
        WindowFixture fixture;
        RunController runs(fixture.services());
        QSignalSpy saved(&runs, &RunController::recordingSaved);
        runs.setRace(shortRace());
        runs.lanes().add(WindowFixture::lane("steady"));
        const LaneId removed = runs.lanes().add(WindowFixture::lane("steady"));
        runs.lanes().add(WindowFixture::lane("steady"));
        runs.lanes().remove(removed); // the letters have a hole now
        runs.run();
        QVERIFY(pumpUntil(runs, [&] { return runs.session().lanes()[0]->state() == LaneState::running; }));
        runs.finish();
        QCOMPARE(saved.count(), 1);
        const auto recording = openRecordingFile(saved.at(0).at(0).toString());
        QVERIFY(recording.has_value());
        QCOMPARE(looksOf(*recording), (std::vector<int>{0, 2}));
        runs.finish();
        QCOMPARE(saved.count(), 1);
    }

    void f45_stopWorksInEveryState_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<int>("afterMs");
        QTest::newRow("at once") << "long" << 0;
        QTest::newRow("streaming") << "long" << 150;
        QTest::newRow("never answered") << "silent" << 60;
        QTest::newRow("already over") << "refused" << 60;
    }
    void f45_stopWorksInEveryState() {
        QFETCH(QString, model);
        QFETCH(int, afterMs);
        WindowFixture fixture;
        RunController runs(fixture.services());
        runs.setRace(shortRace());
        runs.lanes().add(WindowFixture::lane(model.toStdString()));
        runs.run();
        pumpUntil(
            runs, [] { return false; }, afterMs);
        runs.stop();
        runs.stop();
        QVERIFY(pumpUntil(runs, [&] { return !runs.running(); }));
        QVERIFY(runs.canRun());
        const int before = fixture.sourcesMade;
        runs.run(); // and again
        runs.run(); // pressed twice: one run
        QCOMPARE(fixture.sourcesMade, before + 1);
        runs.stop();
        QVERIFY(pumpUntil(runs, [&] { return !runs.running(); }));
    }

    void f49_editsDuringARunDoNotTouchIt() {
        WindowFixture fixture;
        RunController runs(fixture.services());
        runs.setRace(shortRace());
        const LaneId lane = runs.lanes().add(WindowFixture::lane("long"));
        runs.lanes().add(WindowFixture::lane("steady"));
        runs.run();
        QVERIFY(pumpUntil(runs, [&] { return runs.session().lane(lane)->state() == LaneState::running; }));
        RaceSettings other = shortRace();
        other.prompt = "Something else";
        runs.setRace(other);
        RunSpec edited = WindowFixture::lane("steady");
        runs.lanes().edit(lane, edited);
        runs.lanes().move(lane, 1);
        QVERIFY(runs.session().lane(lane)->inFlight());
        QVERIFY(runs.session().lane(lane)->current()->record->spec.prompt != "Something else");
        QCOMPARE(runs.session().lane(lane)->current()->record->spec.endpoint.model, std::string("long"));
        runs.lanes().remove(lane); // closing a streaming lane
        QVERIFY(runs.session().lane(lane) == nullptr);
        QVERIFY(pumpUntil(runs, [&] { return !runs.running(); }));
        runs.lanes().undoStack().undo();
        QVERIFY(runs.session().lane(lane) != nullptr);
    }

    void f46_nothingElseIsShownWhileARunStreams() {
        WindowFixture fixture;
        const QString other = fixture.recording();
        RunController runs(fixture.services());
        QSignalSpy failed(&runs, &RunController::failed);
        runs.setRace(shortRace());
        const LaneId lane = runs.lanes().add(WindowFixture::lane("long"));
        runs.run();
        const auto events = [&] { return runs.session().lane(lane)->current()->record->events.size(); };
        QVERIFY(
            pumpUntil(runs, [&] { return runs.session().lane(lane)->state() == LaneState::running && events() > 5; }));
        const std::shared_ptr<const RunRecord> record = runs.session().lane(lane)->current()->record;
        const auto started = record->started;
        const std::size_t before = events();
        QVERIFY(!runs.openRecording(other)); // told, and the run goes on
        QCOMPARE(failed.count(), 1);
        runs.lanes().add(WindowFixture::lane("steady"));
        QVERIFY(pumpUntil(runs, [&] { return events() > before + 5; }));
        QVERIFY(runs.session().lane(lane)->current()->record == record); // the very run, from its own start
        QVERIFY(record->started == started);
        runs.stop();
        QVERIFY(pumpUntil(runs, [&] { return !runs.running(); }));
    }

    void keysComeFromTheKeychainForTheirOwnOriginAlone() {
        WindowFixture fixture;
        WindowServices services = fixture.services();
        std::vector<std::string> asked;
        KeyAnswer answer;
        services.keychainFetch = [&](const std::string& origin, KeyAnswer told) {
            asked.push_back(origin);
            answer = std::move(told);
        };
        RunController runs(services);
        QSignalSpy failed(&runs, &RunController::failed);
        runs.setRace(shortRace());
        RunSpec spec = WindowFixture::lane("steady");
        spec.endpoint.url = "https://api.example/v1";
        spec.endpoint.key = {KeyReference::Kind::keychain, "https://api.example:443"};
        const LaneId lane = runs.lanes().add(spec);
        QVERIFY(asked.empty()); // nobody is asked before Run
        runs.run();
        runs.run(); // pressed again while the keychain is being unlocked
        QCOMPARE(asked, std::vector<std::string>{"https://api.example:443"});
        QCOMPARE(fixture.sourcesMade, 0);
        answer(fail(ErrorCode::io, "No keychain answers."));
        QCOMPARE(failed.count(), 1);
        QVERIFY(failed.at(0).at(0).toString().contains("No keychain answers"));
        runs.run();
        answer(std::make_shared<const Secret>(std::string("DSCANARY-kept")));
        QCOMPARE(fixture.sourcesMade, 1);
        QCOMPARE(fixture.keySeen, std::string("DSCANARY-kept"));
        runs.stop();
        QVERIFY(pumpUntil(runs, [&] { return !runs.running(); }));
        runs.run(); // asked for again: it may have been changed there
        QCOMPARE(asked.size(), std::size_t(3));
        answer(std::make_shared<const Secret>(std::string("DSCANARY-changed")));
        QCOMPARE(fixture.keySeen, std::string("DSCANARY-changed"));
        runs.stop();
        QVERIFY(pumpUntil(runs, [&] { return !runs.running(); }));
        spec.key = std::make_shared<const Secret>(std::string("DSCANARY-typed")); // and kept there, by the editor
        runs.lanes().edit(lane, spec);
        runs.run();
        QCOMPARE(asked.size(), std::size_t(3));
        QCOMPARE(fixture.keySeen, std::string("DSCANARY-typed"));
        runs.stop();
        QVERIFY(pumpUntil(runs, [&] { return !runs.running(); }));
        spec.key.reset();
        spec.endpoint.url = "https://evil.example/v1"; // its reference still names the first one
        runs.lanes().edit(lane, spec);
        runs.run();
        QCOMPARE(fixture.sourcesMade, 3);
        QCOMPARE(asked.size(), std::size_t(3));
        QVERIFY(failed.last().at(0).toString().contains("https://api.example:443"));
    }

    void keysComeFromTheirReferenceAndNoneIsSentAbroadInClear() {
        WindowFixture fixture;
        RunController runs(fixture.services());
        QSignalSpy failed(&runs, &RunController::failed);
        runs.setRace(shortRace());
        RunSpec spec = WindowFixture::lane("steady");
        spec.endpoint.key = {KeyReference::Kind::environment, "SOME_KEY"};
        const LaneId lane = runs.lanes().add(spec);
        runs.run();
        QCOMPARE(failed.count(), 1); // the variable is not set
        QCOMPARE(fixture.sourcesMade, 0);
        fixture.environment["SOME_KEY"] = "DSCANARY-run";
        runs.run();
        QCOMPARE(fixture.keySeen, std::string("DSCANARY-run"));
        QVERIFY(pumpUntil(runs, [&] { return !runs.running(); }));

        spec.endpoint.url = "http://far.example";
        runs.lanes().edit(lane, spec);
        runs.run();
        QCOMPARE(failed.count(), 2);
        QCOMPARE(fixture.sourcesMade, 1);
        QVERIFY(!failed.at(1).at(0).toString().contains("DSCANARY"));
        spec.endpoint.allowPlainHttpWithKey = true;
        runs.lanes().edit(lane, spec);
        runs.run();
        QCOMPARE(fixture.sourcesMade, 2);
        QVERIFY(pumpUntil(runs, [&] { return !runs.running(); }));
        const auto journal = runs.journalState();
        QVERIFY(journal.has_value());
        QFile file(QString::fromStdString(journal->path));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(!file.readAll().contains("DSCANARY"));
    }

    void aRunGoesOnWhereNothingCanBeRecorded() {
        WindowFixture fixture;
        WindowServices services = fixture.services();
        QFile blocker(fixture.path("recordings"));
        QVERIFY(blocker.open(QIODevice::WriteOnly)); // a file where the folder should be
        blocker.close();
        RunController runs(services);
        runs.setRace(shortRace());
        runs.lanes().add(WindowFixture::lane("steady"));
        runs.run();
        QVERIFY(runs.running());
        QVERIFY(!runs.recordingTrouble().isEmpty());
        QVERIFY(pumpUntil(runs, [&] { return !runs.running(); }));
        QCOMPARE(runs.session().lanes()[0]->state(), LaneState::done);
        const QString other = fixture.path("elsewhere");
        runs.recordElsewhere(other); // what is in memory is kept after all
        QVERIFY2(runs.recordingTrouble().isEmpty(), qPrintable(runs.recordingTrouble()));
        const QStringList files = QDir(other).entryList({"*.decodescope"});
        QCOMPARE(files.size(), 1);
        const auto recording = openRecordingFile(other + '/' + files.constFirst());
        QVERIFY(recording.has_value());
        QCOMPARE(recording->runs.size(), std::size_t(1));
        const RunSummary kept = summarize(*rebuild(*recording->runs.front()));
        QCOMPARE(kept.tokenEvents, runs.session().lanes()[0]->current()->summary->tokenEvents);
        QCOMPARE(*kept.ttft, *runs.session().lanes()[0]->current()->summary->ttft);
    }

    void savingFromMemoryReplacesAFileOrLeavesItAsItWas() {
        WindowFixture fixture;
        WindowServices services = fixture.services();
        QFile blocker(fixture.path("recordings"));
        QVERIFY(blocker.open(QIODevice::WriteOnly)); // nothing is recorded by itself
        RunController runs(services);
        QSignalSpy failed(&runs, &RunController::failed);
        runs.setRace(shortRace());
        runs.lanes().add(WindowFixture::lane("steady"));
        runs.run();
        QVERIFY(pumpUntil(runs, [&] { return !runs.running(); }));
        const QString path = fixture.path("over.decodescope");
        for (const QString& stale : {path, path + ".new"}) {
            QFile file(stale);
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write("before") == 6);
        }
        runs.saveRecording(path);
        QCOMPARE(failed.count(), 0);
        QVERIFY(!QFile::exists(path + ".new"));
        const auto recording = openRecordingFile(path);
        QVERIFY(recording.has_value());
        QCOMPARE(recording->runs.size(), std::size_t(1));
        runs.saveRecording(fixture.path("nowhere/over.decodescope"));
        QCOMPARE(failed.count(), 1);
        QVERIFY(openRecordingFile(path).has_value());
    }

    void anOpenedRecordingShowsAllAndReplays() {
        WindowFixture fixture;
        const QString path = fixture.recording();
        RunController runs(fixture.services());
        runs.lanes().add(WindowFixture::lane("steady"));
        QVERIFY(runs.openRecording(path));
        QVERIFY(runs.shown() == RunController::Shown::recording);
        QVERIFY(!runs.canRun());
        QCOMPARE(runs.session().lanes().size(), std::size_t(2));
        const RunSummary whole = *runs.session().lanes()[1]->current()->summary;
        QCOMPARE(whole.tokenEvents, std::uint64_t(60));
        QCOMPARE(whole.stalls.size(), std::size_t(2));

        ReplayController& replay = runs.replay();
        QVERIFY(replay.available());
        replay.setSpeed(0.5); // slow enough to be caught in between on a busy machine
        replay.restart();
        QVERIFY(replay.playing());
        QVERIFY(pumpUntil(runs, [&] { return runs.session().lanes()[1]->state() == LaneState::running; }));
        replay.togglePause();
        runs.pump();
        const double held = replay.positionS();
        const auto events = runs.session().lanes()[1]->current()->record->events.size();
        pumpUntil(
            runs, [] { return false; }, 60);
        QCOMPARE(replay.positionS(), held);
        QCOMPARE(runs.session().lanes()[1]->current()->record->events.size(), events);
        replay.step();
        QVERIFY(replay.positionS() > held);
        replay.seek(replay.durationS() * 0.9);
        replay.seek(replay.durationS() * 0.2); // backwards
        QVERIFY(replay.positionS() < replay.durationS() * 0.5);
        replay.setSpeed(8);
        if (!replay.playing())
            replay.togglePause();
        QVERIFY(pumpUntil(runs, [&] { return replay.atEnd() && !runs.session().active(); }));
        const RunSummary replayed = *runs.session().lanes()[1]->current()->summary;
        QCOMPARE(replayed.tokenEvents, whole.tokenEvents);
        QCOMPARE(*replayed.ttft, *whole.ttft);
        QCOMPARE(*replayed.decodeTps, *whole.decodeTps);

        runs.stop(); // everything at once again
        QCOMPARE(runs.session().lanes()[1]->current()->summary->tokenEvents, whole.tokenEvents);
        runs.closeRecording();
        QCOMPARE(runs.session().lanes().size(), std::size_t(1));
        QVERIFY(runs.canRun());
    }

    void lanesOfARecordingAreTakenOverWithoutKeys() {
        WindowFixture fixture;
        RunController runs(fixture.services());
        QVERIFY(runs.openRecording(fixture.recording()));
        runs.adoptLanes();
        QVERIFY(runs.shown() == RunController::Shown::own);
        QCOMPARE(runs.lanes().lanes().size(), std::size_t(2));
        for (const LaneConfig& lane : runs.lanes().lanes())
            QVERIFY(lane.spec.endpoint.key.kind == KeyReference::Kind::none && !lane.spec.key);
        runs.lanes().undoStack().undo();
        QVERIFY(runs.lanes().lanes().empty());
    }

    void filesThatAreNoRecordingsAreRefusedInWords_data() {
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("text") << QByteArray("hello\n");
        QTest::newRow("json") << QByteArray("{\"a\":1}\n");
    }
    void filesThatAreNoRecordingsAreRefusedInWords() {
        QFETCH(QByteArray, content);
        WindowFixture fixture;
        const QString path = fixture.path("x.decodescope");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
        file.close();
        RunController runs(fixture.services());
        QSignalSpy failed(&runs, &RunController::failed);
        QVERIFY(!runs.openRecording(path));
        QVERIFY(!runs.openRecording(path + ".not-there"));
        QCOMPARE(failed.count(), 2);
        QVERIFY(failed.at(0).at(0).toString().size() > 10);
        QVERIFY(runs.shown() == RunController::Shown::own);
    }

    void recordingsAreCopiedWhenSaved() {
        WindowFixture fixture;
        RunController runs(fixture.services());
        QVERIFY(runs.openRecording(fixture.recording()));
        const QString copy = fixture.path("copy.decodescope");
        runs.saveRecording(copy);
        const auto recording = openRecordingFile(copy);
        QVERIFY(recording.has_value());
        QCOMPARE(recording->runs.size(), std::size_t(2));
    }
};

QTEST_MAIN(RunControllerTest)
#include "tst_run_controller.moc"
