#include "core/base/utf8.h"
#include "tests/support/hostile_texts.h"
#include "tests/support/shown_texts.h"
#include "tests/ui/window/window_fixture.h"
#include "ui/panels/lane_editor.h"
#include "ui/window/main_window.h"
#include "ui/window/window_actions.h"

#include <QAction>
#include <QApplication>
#include <QLabel>
#include <QPushButton>
#include <QStandardPaths>
#include <QTest>

using namespace decodescope;

/// Whatever a stranger puts into names, addresses and answers: the window shows it as it stands.
class HostileTextsTest : public QObject {
    Q_OBJECT

private slots:
    void markupIsFound() {
        QLabel label(QStringLiteral("<b>x</b>"));
        QCOMPARE(test::markupShown().size(), 1);
        label.setTextFormat(Qt::PlainText);
        label.setToolTip(QStringLiteral("<img src='http://h.test/x'>"));
        QCOMPARE(test::markupShown().size(), 1);
    }

    void hostileTextsAreShownAsTheyStand() {
        WindowFixture fixture;
        WindowServices services = fixture.services();
        const auto texts = test::hostileTexts();
        QVERIFY(texts.size() > 50);
        std::vector<std::string> models;
        for (const auto& [name, text] : texts) {
            models.push_back(repairUtf8(text).text);
            OfferedEndpoint offered;
            offered.endpoint.url = "http://127.0.0.1:1/" + repairUtf8(text.substr(0, 300)).text;
            offered.from = QString::fromStdString(text.substr(0, 300));
            services.offered.push_back(offered);
        }
        fixture.models = models;
        MainWindow window(services);
        window.resize(1600, 1000);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        RaceSettings race = window.runs().race();
        race.plan.warmups = 0;
        window.runs().setRace(race);
        QCOMPARE(test::markupShown(), QStringList());
        for (std::size_t begin = 0; begin < texts.size(); begin += LaneList::kMaxLanes) {
            std::vector<RunSpec> specs;
            for (std::size_t i = begin; i < std::min(begin + LaneList::kMaxLanes, texts.size()); ++i) {
                RunSpec spec = WindowFixture::lane(i % 4 == 0 ? "refused" : texts[i].second);
                spec.laneName = texts[i].second;
                specs.push_back(std::move(spec));
            }
            window.runs().lanes().replaceAll(specs, "lanes");
            window.showRace();
            window.actions().run->trigger();
            QVERIFY(window.runs().running());
            QTRY_VERIFY_WITH_TIMEOUT(!window.runs().running(), 20000);
            QTest::qWait(300);
            QCOMPARE(test::markupShown(), QStringList());
            window.editLane(window.runs().lanes().lanes().front().id);
            auto* editor = window.findChild<LaneEditor*>();
            for (auto* button : editor->findChildren<QPushButton*>()) {
                if (button->text().contains("models", Qt::CaseInsensitive) || button->text() == "Test")
                    button->click();
            }
            QCOMPARE(test::markupShown(), QStringList());
            editor->close();
            delete editor;
            const QString saved = fixture.path(QStringLiteral("<b>&x</b> %1.decodescope").arg(begin));
            window.runs().saveRecording(saved);
            window.openFiles({saved});
            QTest::qWait(300);
            QCOMPARE(test::markupShown(), QStringList());
            window.actions().closeRecording->trigger();
        }
    }
};

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    QStandardPaths::setTestModeEnabled(true);
    HostileTextsTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_hostile_texts.moc"
