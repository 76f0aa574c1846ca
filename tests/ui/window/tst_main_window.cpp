#include "core/record/safe_file.h"
#include "tests/support/sealed_line.h"
#include "tests/support/shown_texts.h"
#include "tests/ui/window/window_fixture.h"
#include "ui/lane/failure_panel.h"
#include "ui/lane/lane_head.h"
#include "ui/panels/lane_editor.h"
#include "ui/panels/lanes_row.h"
#include "ui/panels/machine_dialog.h"
#include "ui/tables/bytes_pane.h"
#include "ui/tables/stall_table.h"
#include "ui/text/token_text_view.h"
#include "ui/theme/look.h"
#include "ui/window/dock_area.h"
#include "ui/window/main_window.h"
#include "ui/window/window_actions.h"

#include <QAbstractSpinBox>
#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDateTime>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPointer>
#include <QPushButton>
#include <QSlider>
#include <QSpinBox>
#include <QStandardPaths>
#include <QTest>
#include <QToolButton>

using namespace decodescope;

namespace {

void addLanes(MainWindow& window, const std::vector<std::string>& models) {
    for (const std::string& model : models)
        window.runs().lanes().add(WindowFixture::lane(model));
    window.showRace();
}

template <class T> T* named(QWidget& root, const QString& name) {
    for (T* widget : root.findChildren<T*>()) {
        if (widget->accessibleName() == name)
            return widget;
    }
    return nullptr;
}

bool shown(MainWindow& window) {
    window.resize(1600, 1000);
    window.show();
    window.activateWindow();
    return QTest::qWaitForWindowActive(&window);
}

/// Without warm-up, through the strip as a user would do it.
void noWarmup(MainWindow& window) {
    auto* box = named<QSpinBox>(window, "Warm-up");
    box->setValue(0);
}

QByteArray fileBytes(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// A recording as a later version might have written it: a higher schema, and lines that this one does not know.
QByteArray madeNewer(const QByteArray& recording) {
    QByteArray out;
    const QList<QByteArray> lines = recording.split('\n');
    for (qsizetype i = 0; i + 1 < lines.size(); ++i) {
        QByteArray line = lines[i] + '\n';
        if (i == 0) {
            line = lines[i]
                       .left(lines[i].lastIndexOf(",\"xx\":"))
                       .replace("\"schema\":1", "\"schema\":9,\"later\":{\"a\":[]}");
            line = QByteArray::fromStdString(test::sealedLine(line.toStdString()));
        }
        out += line;
        if (i % 5 == 0)
            out += QByteArray::fromStdString(test::sealedLine(R"({"type":"thermometer","celsius":42)"));
    }
    return out;
}

bool over(MainWindow& window) {
    return !window.runs().running();
}

} // namespace

class MainWindowTest : public QObject {
    Q_OBJECT

private slots:
    void theMainPathByKeyboard() {
        WindowFixture fixture;
        MainWindow window(fixture.services());
        QVERIFY(shown(window));
        QVERIFY(window.onStartPage());
        QTest::keyClick(&window, Qt::Key_N, Qt::ControlModifier);
        auto* editor = window.findChild<LaneEditor*>();
        QVERIFY(editor && editor->isVisible());
        QTest::keyClicks(named<QLineEdit>(*editor, "Endpoint address"), "http://127.0.0.1:8080");
        QTest::keyClicks(named<QLineEdit>(*editor, "Model"), "steady");
        QTest::keyClick(editor, Qt::Key_Return);
        QVERIFY(!window.onStartPage());
        QCOMPARE(window.runs().lanes().lanes().size(), std::size_t(1));
        QCOMPARE(fixture.modelsAsked, 0); // nothing is contacted unasked
        noWarmup(window);
        QTest::keyClick(&window, Qt::Key_F5);
        QVERIFY(window.runs().running());
        QTRY_VERIFY_WITH_TIMEOUT(over(window), 8000);
        const Lane& lane = *window.runs().session().lanes()[0];
        QCOMPARE(lane.state(), LaneState::done);
        QTRY_COMPARE(window.lanesRow().cards()[0]->text().buffer().tokenCount(), 60U);
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QTest::keyClick(&window, Qt::Key_1, Qt::ControlModifier); // to the lane
        QVERIFY(window.lanesRow().cards()[0]->text().hasFocus());
        QTest::keyClick(&window, Qt::Key_D, Qt::ControlModifier);
        QCOMPARE(window.runs().lanes().lanes().size(), std::size_t(2));
        QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(window.runs().lanes().lanes().size(), std::size_t(1));
        QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(window.runs().lanes().lanes().size(), std::size_t(2));
    }

    void aReplaysFiguresMoveWithIt() {
        WindowFixture fixture;
        MainWindow window(fixture.services());
        QVERIFY(shown(window));
        window.openFiles({fixture.recording()});
        QVERIFY(!window.onStartPage());
        window.runs().replay().setSpeed(0.1);
        window.runs().replay().restart();
        const auto* head = window.lanesRow().cards()[0]->findChild<LaneHead*>();
        QVERIFY(head);
        const auto events = [head] { return head->content().numbers[3].value.toInt(); };
        QTRY_VERIFY2(events() > 5 && events() < 60, "the card's figures stand still while the stream goes on");
    }

    void theMainPathByMouse() {
        WindowFixture fixture;
        MainWindow window(fixture.services());
        QVERIFY(shown(window));
        auto* address = named<QLineEdit>(window, "Endpoint address");
        QTest::keyClicks(address, "http://127.0.0.1:8080");
        QTest::mouseClick(named<QPushButton>(window, "Test"), Qt::LeftButton);
        QCOMPARE(fixture.modelsAsked, 1);
        QTest::mouseClick(named<QPushButton>(window, "Add lane"), Qt::LeftButton);
        QVERIFY(!window.onStartPage());
        QCOMPARE(window.runs().lanes().lanes()[0].spec.endpoint.model, std::string("alpha"));
        noWarmup(window);
        QTest::mouseClick(named<QPushButton>(window, "Run"), Qt::LeftButton);
        QVERIFY(window.runs().running());
        QTest::mouseClick(named<QPushButton>(window, "Stop"), Qt::LeftButton);
        QTRY_VERIFY(over(window));
    }

    void everyEndIsShownAndTheOthersGoOn() {
        WindowFixture fixture;
        MainWindow window(fixture.services());
        addLanes(window, {"steady", "refused", "cut", "silent", "stalls"});
        QVERIFY(shown(window));
        noWarmup(window);
        window.actions().run->trigger();
        const Session& session = window.runs().session();
        QTRY_VERIFY_WITH_TIMEOUT(
            session.lanes()[0]->state() == LaneState::done && session.lanes()[4]->state() == LaneState::done, 10000);
        QCOMPARE(session.lanes()[1]->state(), LaneState::failed);
        QCOMPARE(session.lanes()[2]->state(), LaneState::cut);
        QCOMPARE(session.lanes()[3]->state(), LaneState::waiting);
        window.actions().stop->trigger();
        QTRY_VERIFY(over(window));
        QCOMPARE(session.lanes()[3]->state(), LaneState::cancelled);
        const auto say = [&](const QString& words) {
            const auto labels = window.findChildren<QLabel*>();
            return std::any_of(labels.begin(), labels.end(),
                               [&](QLabel* label) { return label->text().contains(words); });
        };
        QTRY_VERIFY(say("2 of 5 lanes ended abnormally: B failed, C cut"));
        QVERIFY2(!say("D stopped") && say("1 lane stopped"), "a person's Stop is no fault");
        QTest::qWait(300); // every view draws all of these states
        QCOMPARE(window.lanesRow().cards().size(), std::size_t(5));
        // The key of a lane that failed whole leads to it as well: what is edited or run again is that lane.
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QTest::keyClick(&window, Qt::Key_2, Qt::ControlModifier);
        QCOMPARE(window.lanesRow().current(), session.lanes()[1]->config().id);
    }

    void f45_closingWhileStreamingLosesNothing() {
        WindowFixture fixture;
        QString recorded;
        {
            MainWindow window(fixture.services());
            addLanes(window, {"long", "silent"});
            QVERIFY(shown(window));
            noWarmup(window);
            window.actions().run->trigger();
            const Session& session = window.runs().session();
            QTRY_VERIFY(session.lanes()[0]->current() && session.lanes()[0]->current()->record->events.size() > 5);
            recorded = QString::fromStdString(window.runs().journalState()->path);
            window.close();
        }
        const auto recording = readRecording(recorded.toStdString());
        QVERIFY(recording.has_value());
        QCOMPARE(recording->runs.size(), std::size_t(2));
        QVERIFY(rebuild(*recording->runs[0])->events.size() > 5);
    }

    void aRecordingIsDroppedOnTheWindow() {
        WindowFixture fixture;
        MainWindow window(fixture.services());
        QVERIFY(shown(window));
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(fixture.recording())});
        QDragEnterEvent enter({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window, &drop);
        QVERIFY(window.runs().shown() == RunController::Shown::recording);
        QVERIFY(!window.onStartPage());
        QTRY_COMPARE(window.lanesRow().cards()[1]->text().buffer().tokenCount(), 60U);
        QTest::keyClick(&window, Qt::Key_Space);
        QVERIFY(window.runs().replay().playing());
        QTest::keyClick(&window, Qt::Key_Space);
        QVERIFY(!window.runs().replay().playing());
        window.actions().closeRecording->trigger();
        QVERIFY(window.onStartPage()); // there are no lanes of one's own
    }

    void damagedFilesAreTold() {
        WindowFixture fixture;
        MainWindow window(fixture.services());
        QVERIFY(shown(window));
        window.openFiles({fixture.path("not-there.decodescope")});
        QVERIFY(window.onStartPage());
        QVERIFY(!window.bannerText().isEmpty());
    }

    void theWindowRemembersButNoKey() {
        WindowFixture fixture;
        {
            MainWindow window(fixture.services());
            QVERIFY(shown(window));
            addLanes(window, {"steady"});
            RunSpec spec = WindowFixture::lane("second");
            spec.endpoint.key.kind = KeyReference::Kind::session;
            spec.key = std::make_shared<const Secret>("DSCANARY-window");
            window.runs().lanes().add(spec);
            named<QPlainTextEdit>(window, "Prompt")->setPlainText("What is a stall?");
            named<QSpinBox>(window, "Repeat")->setValue(7);
            for (QAction* action : window.docks().panelActions()) {
                if (action->text() == "Gap distribution")
                    action->trigger(); // hide it
            }
            window.close();
        }
        MainWindow again(fixture.services());
        QVERIFY(shown(again));
        again.showRace();
        QCOMPARE(again.runs().lanes().lanes().size(), std::size_t(2));
        QCOMPARE(again.runs().race().prompt, std::string("What is a stall?"));
        QCOMPARE(named<QSpinBox>(again, "Repeat")->value(), 7);
        for (QAction* action : again.docks().panelActions()) {
            if (action->text() == "Gap distribution")
                QVERIFY(!action->isChecked());
        }
        again.actions().resetLayout->trigger();
        for (QAction* action : again.docks().panelActions()) {
            if (action->text() == "Gap distribution")
                QVERIFY(action->isChecked());
        }
        QFile settings(fixture.services().settingsFile);
        QVERIFY(settings.open(QIODevice::ReadOnly));
        QVERIFY(!settings.readAll().contains("DSCANARY"));
    }

    void aTypedKeyIsDroppedWithItsHost() {
        WindowFixture fixture;
        RunSpec spec = WindowFixture::lane("steady");
        spec.endpoint.key.kind = KeyReference::Kind::session;
        spec.key = std::make_shared<const Secret>("DSCANARY-editor");
        const WindowServices services = fixture.services();
        auto* editor = new LaneEditor(services, spec, "Edit", nullptr);
        editor->show();
        auto* address = named<QLineEdit>(*editor, "Endpoint address");
        QVERIFY(editor->spec().key != nullptr);
        address->setText("http://127.0.0.1:9/v1"); // the same origin
        QVERIFY(editor->spec().key != nullptr);
        address->setText("http://elsewhere.example");
        QVERIFY(editor->spec().key == nullptr);
        QVERIFY(editor->spec().endpoint.key.kind == KeyReference::Kind::none);
        for (QWidget* widget : editor->findChildren<QWidget*>()) {
            if (auto* line = qobject_cast<QLineEdit*>(widget))
                QVERIFY(!line->text().contains("DSCANARY") && !line->placeholderText().contains("DSCANARY"));
        }
        editor->close();
    }

    void aForgottenKeyLeavesTheKeychainWhenTheLaneIsSaved() {
        WindowFixture fixture;
        WindowServices services = fixture.services();
        std::vector<std::string> removed;
        std::function<void(Result<void>)> answer;
        services.keychainStore = [](const std::string&, const Secret&, const auto& told) { told({}); };
        services.keychainRemove = [&](const std::string& origin, std::function<void(Result<void>)> told) {
            removed.push_back(origin);
            answer = std::move(told);
        };
        RunSpec spec = WindowFixture::lane("steady");
        spec.endpoint.url = "https://api.example/v1";
        spec.endpoint.key = {KeyReference::Kind::keychain, "https://api.example:443"};
        QPointer<LaneEditor> editor = new LaneEditor(services, spec, "Edit", nullptr);
        std::vector<RunSpec> saved;
        connect(editor, &LaneEditor::saved, this, [&](const RunSpec& lane) { saved.push_back(lane); });
        editor->show();
        const auto press = [&](const char* words) {
            for (auto* button : editor->findChildren<QPushButton*>()) {
                if (button->isVisible() && button->accessibleName().contains(words))
                    button->click();
            }
        };
        press("Forget key");
        QVERIFY(removed.empty()); // Cancel would leave all as it was
        press("Save lane");
        QCOMPARE(removed, std::vector<std::string>{"https://api.example:443"});
        QVERIFY(saved.empty());
        answer(fail(ErrorCode::refused, "The keychain was not opened."));
        QVERIFY(saved.empty()); // said, and the editor stays
        press("Save lane");
        answer({});
        QCOMPARE(saved.size(), std::size_t(1));
        QVERIFY(saved[0].endpoint.key.kind == KeyReference::Kind::none);
    }

    void aPresetFillsInTheEndpoint() {
        WindowFixture fixture;
        RunSpec spec;
        spec.endpoint.url = "http://127.0.0.1:9";
        const WindowServices services = fixture.services();
        auto* editor = new LaneEditor(services, spec, "Edit", nullptr);
        editor->show();
        auto* kind = named<QComboBox>(*editor, "Kind of server");
        auto* protocol = named<QComboBox>(*editor, "Protocol");
        QCOMPARE(protocol->count(), 14);
        const auto choose = [&](const char* id) {
            const int index = kind->findData(QString::fromUtf8(id));
            kind->setCurrentIndex(index);
            emit kind->activated(index);
        };
        choose("llama.cpp");
        EndpointSpec chosen = editor->spec().endpoint;
        QCOMPARE(chosen.preset, std::string("llama.cpp"));
        QCOMPARE(chosen.url, std::string("http://127.0.0.1:9")); // typed: a server of one's own may stand anywhere
        named<QLineEdit>(*editor, "Endpoint address")->clear();
        choose("llama.cpp");
        chosen = editor->spec().endpoint;
        QCOMPARE(chosen.url, std::string("http://127.0.0.1:8080"));
        QCOMPARE(chosen.protocol, std::string("openai-chat"));
        QCOMPARE(protocol->count(), 5);
        for (auto* box : editor->findChildren<QCheckBox*>()) {
            if (box->text().contains("cached"))
                box->setChecked(true);
        }
        QVERIFY((editor->spec().endpoint.presetOptions == std::vector<std::string>{"no-cache"}));
        choose("gemini");
        chosen = editor->spec().endpoint;
        QCOMPARE(chosen.protocol, std::string("gemini-sse"));
        QVERIFY(chosen.url.starts_with("https://"));
        QVERIFY(chosen.presetOptions.empty());
        choose("azure");
        QCOMPARE(editor->spec().endpoint.url, std::string()); // it has no place that all share
        choose("perplexity");
        QVERIFY(editor->spec().endpoint.thinkTags);
        choose("");
        QCOMPARE(protocol->count(), 14);
        QVERIFY(editor->spec().endpoint.preset.empty());
        editor->close();
    }

    void whatIsChosenAfterTheRunIsShownAtOnce() {
        WindowFixture fixture;
        MainWindow window(fixture.services());
        addLanes(window, {"steady"});
        QVERIFY(shown(window));
        noWarmup(window);
        QTest::keyClick(&window, Qt::Key_F5);
        QTRY_VERIFY_WITH_TIMEOUT(over(window), 8000);
        window.docks().showPanel(QStringLiteral("bytes"));
        auto* bytes = window.findChild<BytesPane*>();
        QTRY_VERIFY(bytes->isVisible());
        const LaneId lane = window.runs().session().lanes()[0]->config().id;
        const auto showsEvent = [&](int number) {
            const auto labels = bytes->findChildren<QLabel*>();
            return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
                return label->text().endsWith(QStringLiteral("token event %1").arg(number));
            });
        };
        window.view().setSelected(TokenRef{lane, 4});
        QTRY_VERIFY(showsEvent(5));
        window.view().setSelected(TokenRef{lane, 40}); // nothing runs, and the panel is up already
        QTRY_VERIFY(showsEvent(41));
    }

    void theMachineIsMeasuredFromTheMenu() {
        WindowFixture fixture;
        MainWindow window(fixture.services());
        QVERIFY(shown(window));
        window.actions().measureMachine->trigger();
        QPointer<MachineDialog> dialog = window.findChild<MachineDialog*>();
        QVERIFY(dialog && dialog->isVisible());
        QCOMPARE(fixture.measurementsBegun, 1);
        fixture.measured(std::string("Gaps shorter than 0.3 ms cannot be trusted.\n\nProcessor: 2 cores.\n"));
        QVERIFY(dialog->shownText().contains(QStringLiteral("Processor: 2 cores.")));
        QVERIFY(named<QPushButton>(*dialog, "Measure again")->isEnabled());
        QTest::mouseClick(named<QPushButton>(*dialog, "Measure again"), Qt::LeftButton);
        QCOMPARE(fixture.measurementsBegun, 2);
        QVERIFY(!dialog->shownText().contains(QStringLiteral("Processor"))); // of the measurement before
        dialog->close();
        QTRY_VERIFY(!dialog);
        QCOMPARE(fixture.measurementsCancelled, 1);
        fixture.measured(fail(ErrorCode::io, "Too late.")); // nobody listens any more

        addLanes(window, {"long"});
        QVERIFY(window.actions().measureMachine->isEnabled());
        window.actions().run->trigger();
        QVERIFY2(!window.actions().measureMachine->isEnabled(), "they would disturb each other");
        window.actions().stop->trigger();
        QTRY_VERIFY(window.actions().measureMachine->isEnabled());
    }

    void aTestTellsWhatItFoundAndTrustsACertificate() {
        WindowFixture fixture;
        WindowServices services = fixture.services();
        EndpointSpec asked;
        EndpointAnswer answer;
        services.listModels = [&](const EndpointSpec& endpoint, const std::shared_ptr<const Secret>&,
                                  const ModelsAnswer& tell) {
            asked = endpoint;
            tell(answer);
        };
        MainWindow window(services);
        QVERIFY(shown(window));
        window.addLane();
        auto* editor = window.findChild<LaneEditor*>();
        auto* address = named<QLineEdit>(*editor, "Endpoint address");
        auto* preset = named<QComboBox>(*editor, "Kind of server");
        QTest::keyClicks(address, "http://127.0.0.1:11434");
        QFocusEvent left(QEvent::FocusOut, Qt::TabFocusReason);
        QCoreApplication::sendEvent(address, &left);
        QCOMPARE(preset->currentData().toString(), QStringLiteral("ollama"));
        QCOMPARE(editor->spec().endpoint.protocol, std::string("ollama-chat"));
        const auto says = [&](const char* words) {
            const auto labels = editor->findChildren<QLabel*>();
            return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
                return label->isVisible() && label->text().contains(QString::fromUtf8(words));
            });
        };
        answer.models = std::vector<std::string>{"alpha", "beta"};
        answer.connected = true;
        answer.tlsVersion = "TLSv1.3";
        answer.tlsTook = std::chrono::microseconds(3100);
        answer.openingTook = std::chrono::microseconds(3500);
        answer.firstByteTook = std::chrono::milliseconds(212);
        QTest::mouseClick(named<QPushButton>(*editor, "Test"), Qt::LeftButton);
        QVERIFY(says("connected in 0.4\u2009ms, TLSv1.3 in 3.1\u2009ms, first byte 212\u2009ms after the request"));
        QVERIFY(says("It lists 2 models."));

        std::string fingerprint;
        for (int i = 0; i < 32; ++i)
            fingerprint += i == 0 ? "AB" : ":CD";
        answer = {};
        answer.models = fail(ErrorCode::network, "It is not trusted. Its SHA-256 fingerprint is " + fingerprint + ".");
        auto* trust = named<QPushButton>(*editor, "Trust certificate");
        QVERIFY(!trust->isVisible());
        QTest::mouseClick(named<QPushButton>(*editor, "Test"), Qt::LeftButton);
        QVERIFY(trust->isVisible() && says("It is not trusted."));
        QCOMPARE(asked.pinnedCertificate, std::string());
        QTest::mouseClick(trust, Qt::LeftButton);
        QCOMPARE(asked.pinnedCertificate, fingerprint);
        QCOMPARE(editor->spec().endpoint.pinnedCertificate, fingerprint);
        editor->close();
    }

    void panelsAreMaximisedAndComeBack() {
        WindowFixture fixture;
        MainWindow window(fixture.services());
        addLanes(window, {"steady"});
        QVERIFY(shown(window));
        auto* dock = window.findChild<QDockWidget*>("gaps");
        QVERIFY(dock && dock->isVisible());
        const QSize before = dock->size();
        window.docks().maximise(dock->widget());
        QTRY_VERIFY(dock->height() > before.height() + 100);
        QVERIFY(!window.lanesRow().isVisible());
        QTest::keyClick(&window, Qt::Key_Escape);
        QVERIFY(window.lanesRow().isVisible());
        QTRY_VERIFY(std::abs(dock->height() - before.height()) < 30);
    }

    void aNarrowWindowPairsTheCharts() {
        WindowFixture fixture;
        MainWindow window(fixture.services());
        addLanes(window, {"steady", "stalls"});
        QVERIFY(shown(window));
        auto* gaps = window.findChild<QDockWidget*>("gaps");
        auto* rate = window.findChild<QDockWidget*>("rate");
        QTRY_VERIFY(gaps->isVisible() && rate->isVisible() && gaps->x() != rate->x());
        window.resize(1100, 700);
        QTRY_VERIFY(window.docks().tabifiedDockWidgets(gaps).contains(rate));
        window.resize(1600, 1000);
        QTRY_VERIFY(!window.docks().tabifiedDockWidgets(gaps).contains(rate));
    }

    void fullScreenLeavesTheRace() {
        WindowFixture fixture;
        MainWindow window(fixture.services());
        addLanes(window, {"steady"});
        QVERIFY(shown(window));
        QTest::keyClick(&window, Qt::Key_F11);
        QVERIFY(!named<QPlainTextEdit>(window, "Prompt")->isVisible());
        QTest::keyClick(&window, Qt::Key_F11);
        QVERIFY(named<QPlainTextEdit>(window, "Prompt")->isVisible());
    }

    void searchGoesThroughTheLanes() {
        WindowFixture fixture;
        MainWindow window(fixture.services());
        window.openFiles({fixture.recording()});
        QVERIFY(shown(window));
        QTRY_COMPARE(window.lanesRow().cards()[0]->text().buffer().tokenCount(), 60U);
        const QString first =
            QString::fromStdString(window.runs().session().lanes()[0]->current()->record->transcript).trimmed();
        const QString word = first.section(' ', 0, 0);
        QVERIFY(!word.isEmpty());
        QTest::keyClick(&window, Qt::Key_F, Qt::ControlModifier);
        QTest::keyClicks(QApplication::focusWidget(), word);
        QTRY_VERIFY(window.lanesRow().cards()[0]->text().findResult().count > 0);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
        QVERIFY(window.lanesRow().cards()[0]->text().findResult().current > 0);
    }

    void f05_aStallIsShownAsOneAndNoError() {
        WindowFixture fixture;
        MainWindow window(fixture.services());
        addLanes(window, {"stalls", "steady"});
        QVERIFY(shown(window));
        noWarmup(window);
        window.actions().run->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(over(window), 20000);
        const auto& lanes = window.runs().session().lanes();
        QCOMPARE(lanes[0]->state(), LaneState::done);
        const LaneRun& run = *lanes[0]->current();
        QVERIFY(run.record->outcome == Outcome::complete);
        QVERIFY(run.summary && run.summary->stalls.size() >= 2);
        auto* table = window.findChild<StallTable*>();
        QVERIFY(table);
        for (auto* dock : window.findChildren<QDockWidget*>()) {
            if (dock->isAncestorOf(table)) {
                dock->show();
                dock->raise();
            }
        }
        // In the table: stalls, each with a length and a kind; nowhere a failure.
        QTRY_VERIFY(table->model().rowCount() >= 2);
        for (int row = 0; row < 2; ++row) { // of which kind it is says the metrics' own test: this machine may be busy
            QVERIFY(!table->model().index(row, StallModel::kindColumn).data(Qt::DisplayRole).toString().isEmpty());
            QVERIFY(!table->model().index(row, StallModel::lengthColumn).data(Qt::DisplayRole).toString().isEmpty());
        }
        QVERIFY(window.bannerText().isEmpty());
        for (const auto* failure : window.lanesRow().cards()[0]->findChildren<FailurePanel*>())
            QVERIFY(failure->isHidden());
        QVERIFY(!test::shownTexts().contains("ended abnormally"));
    }

    void f48_aNewerRecordingIsReadOnlyAndCopiedByteForByte() {
        WindowFixture fixture;
        const QString made = fixture.recording();
        const QString newer = fixture.path("newer.decodescope");
        const QByteArray before = madeNewer(fileBytes(made));
        QVERIFY(before.contains("thermometer") && before != fileBytes(made));
        QVERIFY(saveFile(newer.toStdString(), {before.constData(), std::size_t(before.size())}).has_value());
        const QDateTime changed = QFileInfo(newer).lastModified();
        {
            MainWindow window(fixture.services());
            QVERIFY(shown(window));
            window.openFiles({newer});
            QVERIFY(window.runs().shown() == RunController::Shown::recording);
            QVERIFY(window.bannerText().contains("newer"));
            QTRY_COMPARE(window.lanesRow().cards()[1]->text().buffer().tokenCount(), 60U);
            // Looked at, replayed, saved: nothing is written over it, and nothing that is not understood is lost.
            QVERIFY(!window.runs().canRun());
            window.runs().replay().restart();
            window.runs().stop();
            const QString copy = fixture.path("copy.decodescope");
            window.runs().saveRecording(copy);
            QCOMPARE(fileBytes(copy), before);
            window.runs().saveRecording(newer); // over itself
            QCOMPARE(fileBytes(newer), before);
            window.openFiles({copy});
            window.runs().saveRecording(fixture.path("again.decodescope"));
            QCOMPARE(fileBytes(fixture.path("again.decodescope")), before);
            window.runs().adoptLanes();
            window.close();
        }
        QCOMPARE(fileBytes(newer), before);
        QVERIFY(changed.isValid());
    }

    void everyControlHasANameAndTextIsPlain() {
        WindowFixture fixture;
        WindowServices services = fixture.services();
        OfferedEndpoint offered;
        offered.endpoint.url = "http://127.0.0.1:1/<b>v1</b>";
        offered.from = "OPENAI_BASE_URL";
        services.offered.push_back(offered);
        MainWindow window(services);
        addLanes(window, {"steady", "refused"});
        QVERIFY(shown(window));
        window.addLane();
        window.actions().shortcuts->trigger();
        window.actions().about->trigger();
        noWarmup(window);
        window.actions().run->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(over(window), 8000);
        QTest::qWait(200);
        QStringList nameless;
        for (QWidget* widget : window.findChildren<QWidget*>()) {
            const bool control = qobject_cast<QAbstractButton*>(widget) || qobject_cast<QLineEdit*>(widget) ||
                                 qobject_cast<QAbstractSpinBox*>(widget) || qobject_cast<QComboBox*>(widget) ||
                                 qobject_cast<QSlider*>(widget) || qobject_cast<QPlainTextEdit*>(widget) ||
                                 qobject_cast<QListWidget*>(widget);
            const bool inner =
                widget->objectName().startsWith("qt_") || qobject_cast<QAbstractSpinBox*>(widget->parent()) ||
                qobject_cast<QLineEdit*>(widget->parent()) || qobject_cast<QComboBox*>(widget->parent()) ||
                widget->parent()->inherits("QTabBar") || widget->inherits("QTableCornerButton");
            const auto* button = qobject_cast<QAbstractButton*>(widget);
            const bool named = !widget->accessibleName().isEmpty() || (button && !button->text().isEmpty());
            if (control && !inner && !named)
                nameless.append(QString::fromLatin1(widget->metaObject()->className()) + " in " +
                                QString::fromLatin1(widget->parent()->metaObject()->className()));
            if (auto* label = qobject_cast<QLabel*>(widget)) {
                const bool qtsOwn = qobject_cast<QComboBox*>(label->parent()) != nullptr;
                QVERIFY2(qtsOwn || label->textFormat() == Qt::PlainText, qPrintable("rich text: " + label->text()));
            }
        }
        QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(", ")));
    }
};

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    QStandardPaths::setTestModeEnabled(true);
    MainWindowTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_main_window.moc"
