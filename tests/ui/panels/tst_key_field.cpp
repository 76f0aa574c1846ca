#include "ui/panels/controls.h"
#include "ui/panels/key_field.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>

using namespace decodescope;

namespace {

/// A field in a window, before a keychain whose answers the test gives.
struct Bench {
    WindowServices services;
    std::vector<std::string> removed;
    QWidget window;
    KeyField* field = nullptr;

    explicit Bench(bool keychain = true) {
        if (keychain) {
            services.keychainStore = [](const std::string&, const Secret&, const auto& told) { told({}); };
            services.keychainRemove = [this](const std::string& origin, const auto&) { removed.push_back(origin); };
        }
        auto* row = new QHBoxLayout(&window);
        field = new KeyField(services, &window);
        row->addWidget(field);
        row->addWidget(field->keeping());
        window.show();
    }
    QPushButton* forget() const { return field->keeping()->findChild<QPushButton*>(); }
    QCheckBox* remember() const { return field->keeping()->findChild<QCheckBox*>(); }
    QLineEdit* typed() const {
        for (auto* line : field->findChildren<QLineEdit*>())
            if (line->echoMode() == QLineEdit::Password)
                return line;
        return nullptr;
    }
    void pick(const QString& words) const {
        auto* source = field->findChild<QComboBox*>();
        source->setCurrentIndex(source->findText(words));
    }
    RunSpec applied(RunSpec lane) const {
        field->apply(lane);
        return lane;
    }
};

RunSpec laneWith(KeyReference reference, const char* key = nullptr) {
    RunSpec lane;
    lane.endpoint.url = "https://api.example/v1";
    lane.endpoint.key = std::move(reference);
    if (key != nullptr)
        lane.key = std::make_shared<const Secret>(std::string(key));
    return lane;
}

const std::string kOrigin = "https://api.example:443";

} // namespace

class KeyFieldTest : public QObject {
    Q_OBJECT

private slots:
    void whatWasGivenComesBack() {
        for (const KeyReference& reference :
             {KeyReference{}, KeyReference{KeyReference::Kind::environment, "MY_KEY"},
              KeyReference{KeyReference::Kind::file, "/keys/a"}, KeyReference{KeyReference::Kind::keychain, kOrigin}}) {
            Bench bench;
            const RunSpec lane = laneWith(reference);
            bench.field->fill(lane);
            const RunSpec same = bench.applied(lane);
            QVERIFY(same.endpoint.key.kind == reference.kind);
            QCOMPARE(same.endpoint.key.name, reference.name);
            QVERIFY(!same.key);
            QCOMPARE(bench.field->given(), reference.kind != KeyReference::Kind::none);
        }
    }

    void aTypedKeyStaysForItsOriginAlone() {
        Bench bench;
        const RunSpec lane = laneWith({KeyReference::Kind::session, {}}, "DSCANARY-typed");
        bench.field->fill(lane);
        QVERIFY(!bench.field->setAddress("https://api.example/v2"));
        QVERIFY(bench.applied(lane).key->equals(Secret("DSCANARY-typed")));
        QVERIFY(!bench.typed()->text().contains("DSCANARY"));
        QVERIFY(bench.field->setAddress("https://evil.example/v1"));
        QVERIFY(!bench.applied(lane).key);
        QTest::keyClicks(bench.typed(), "DSCANARY-new");
        QVERIFY(!bench.field->setAddress("https://evil.example/other"));
        QVERIFY(bench.applied(lane).key->equals(Secret("DSCANARY-new")));
        QVERIFY(bench.applied(lane).endpoint.key.kind == KeyReference::Kind::session);
        bench.remember()->setChecked(true);
        QVERIFY(bench.applied(lane).endpoint.key.kind == KeyReference::Kind::keychain);
        QCOMPARE(bench.applied(lane).endpoint.key.name, kOrigin); // of the lane that it is put into
        bench.field->keepForSession();
        QVERIFY(bench.applied(lane).endpoint.key.kind == KeyReference::Kind::session);
    }

    void aPresetOffersItsVariableAndLeavesWhatTheUserChose() {
        Bench bench;
        const RunSpec lane = laneWith({});
        bench.field->fill(lane);
        bench.field->offerVariable(std::nullopt, "OPENAI_API_KEY");
        QVERIFY(!bench.field->given());
        bench.field->offerVariable("GROQ_API_KEY", "GROQ_API_KEY");
        QCOMPARE(bench.applied(lane).endpoint.key.name, std::string("GROQ_API_KEY"));
        bench.pick("File");
        bench.field->offerVariable("OPENAI_API_KEY", "OPENAI_API_KEY");
        QVERIFY(bench.applied(lane).endpoint.key.kind == KeyReference::Kind::file);
        bench.field->useVariable("OTHER");
        QCOMPARE(bench.applied(lane).endpoint.key.name, std::string("OTHER"));
    }

    void aKeptKeyIsForgottenOnceTheLaneIsSaved() {
        Bench bench;
        const RunSpec lane = laneWith({KeyReference::Kind::keychain, kOrigin});
        bench.field->fill(lane);
        QVERIFY(bench.forget()->isVisible());
        QVERIFY(bench.field->forgotten().empty());
        QSignalSpy said(bench.field, &KeyField::said);
        bench.forget()->click();
        QCOMPARE(said.count(), 1);
        QCOMPARE(bench.field->forgotten(), kOrigin);
        QVERIFY(!bench.forget()->isVisible());
        QVERIFY(bench.applied(lane).endpoint.key.kind == KeyReference::Kind::none);
        QVERIFY(bench.removed.empty()); // that is for whoever saves: Cancel leaves all as it was
    }

    void nothingIsForgottenThatTheKeychainDoesNotKeep() {
        Bench bench;
        bench.field->fill(laneWith({KeyReference::Kind::session, {}}, "DSCANARY-typed"));
        QVERIFY(!bench.forget()->isVisible());
        Bench without(false);
        without.field->fill(laneWith({KeyReference::Kind::keychain, kOrigin}));
        QVERIFY(!without.forget()->isVisible());
        QVERIFY(!without.remember()->isVisible());
    }
};

QTEST_MAIN(KeyFieldTest)
#include "tst_key_field.moc"
