#include "ui/panels/controls.h"
#include "ui/panels/local_model_door.h"

#include <QSignalSpy>
#include <QTest>

using namespace decodescope;

namespace {

struct FetchInHand : ModelFetch {
    explicit FetchInHand(bool& gone)
        : m_gone(gone) {}
    ~FetchInHand() override { m_gone = true; }
    bool& m_gone;
};

/// Services whose answers the test gives.
struct Hands {
    LocalModelServices services;
    QString sample;
    LocalModelServices::Progress progress;
    LocalModelServices::Fetched fetched;
    int fetches = 0;
    bool fetchGone = false;

    Hands() {
        services.sample = [this] { return sample; };
        services.fetchSample = [this](LocalModelServices::Progress onProgress, LocalModelServices::Fetched onDone) {
            ++fetches;
            fetchGone = false;
            progress = std::move(onProgress);
            fetched = std::move(onDone);
            return std::make_unique<FetchInHand>(fetchGone);
        };
    }
};

QPushButton* button(const QWidget& door, const QString& words) {
    for (QPushButton* each : door.findChildren<QPushButton*>())
        if (each->isVisible() && each->accessibleName().contains(words))
            return each;
    return nullptr;
}

} // namespace

class LocalModelDoorTest : public QObject {
    Q_OBJECT

private slots:
    void aSampleThatIsThereRunsAtOnce() {
        Hands hands;
        hands.sample = QStringLiteral("/models/SmolLM2.gguf");
        LocalModelDoor door(hands.services);
        door.show();
        QSignalSpy asked(&door, &LocalModelDoor::runAsked);
        QPushButton* run = button(door, QStringLiteral("Race it"));
        QVERIFY(run);
        run->click();
        QCOMPARE(asked.count(), 1);
        QCOMPARE(QString::fromStdString(asked[0][0].value<RunSpec>().local->path), hands.sample);
        QCOMPARE(hands.fetches, 0);
    }

    void fetchingShowsProgressAndThenRuns() {
        Hands hands;
        LocalModelDoor door(hands.services);
        door.show();
        QSignalSpy asked(&door, &LocalModelDoor::runAsked);
        button(door, QStringLiteral("Fetch and race"))->click();
        QVERIFY(door.fetching());
        hands.progress({49'000'000, 98'000'000, "Downloading"});
        auto* bar = door.findChild<ProgressLine*>();
        QCOMPARE(bar->share(), 0.5);
        hands.fetched("/models/SmolLM2.gguf");
        QVERIFY(!door.fetching());
        QCOMPARE(asked.count(), 1);
        QCoreApplication::processEvents();
        QVERIFY(hands.fetchGone);
    }

    void cancelEndsTheDownloadAndLateAnswersAreIgnored() {
        Hands hands;
        LocalModelDoor door(hands.services);
        door.show();
        QSignalSpy asked(&door, &LocalModelDoor::runAsked);
        button(door, QStringLiteral("Fetch and race"))->click();
        button(door, QStringLiteral("Cancel"))->click();
        QVERIFY(hands.fetchGone);
        hands.progress({1, 2, {}});
        hands.fetched("/models/late.gguf");
        QCOMPARE(asked.count(), 0);
        QVERIFY(button(door, QStringLiteral("Fetch and race")));
    }

    void aFailureStaysInTheRowAndCanBeTriedAgain() {
        Hands hands;
        LocalModelDoor door(hands.services);
        door.show();
        button(door, QStringLiteral("Fetch and race"))->click();
        hands.fetched(fail(ErrorCode::io, "The disk is full."));
        bool told = false;
        for (const RoleLabel* label : door.findChildren<RoleLabel*>())
            told = told || (label->isVisible() && label->text() == QLatin1String("The disk is full."));
        QVERIFY(told);
        button(door, QStringLiteral("Fetch and race"))->click();
        QCOMPARE(hands.fetches, 2);
    }
};

QTEST_MAIN(LocalModelDoorTest)
#include "tst_local_model_door.moc"
