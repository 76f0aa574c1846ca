#include "tests/support/file_size_limit.h"
#include "ui/window/picture_file.h"
#include "ui/window/recordings_folder.h"
#include "ui/window/settings.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QPixmap>
#include <QTemporaryDir>
#include <QTest>

using namespace decodescope;

namespace {

WindowSettings someSettings() {
    WindowSettings settings;
    settings.theme = ThemeChoice::light;
    settings.geometry = "geometry";
    settings.layout = "layout";
    settings.race.prompt = "Why is the sky blue?\nTwo lines.";
    settings.race.system = "Be brief.";
    settings.race.sampling.maxTokens.reset();
    settings.race.sampling.temperature = 0.25;
    settings.race.sampling.seed = 9'007'199'254'740'993; // not a double
    settings.race.sampling.reasoningEffort = "low";
    settings.race.sampling.ignoreEos = true;
    settings.race.sampling.stream = false;
    settings.race.timeouts.total = std::chrono::seconds(90);
    settings.race.timeouts.idle.reset();
    settings.race.plan = {.repeats = 5, .warmups = 2, .sequential = true};
    settings.race.uniquePrefix = false;
    LaneConfig lane;
    lane.look = 3;
    lane.spec.laneName = "m";
    lane.spec.endpoint.url = "https://host/v1";
    lane.spec.endpoint.model = "m";
    lane.spec.endpoint.protocol = "openai-completions";
    lane.spec.endpoint.key = {KeyReference::Kind::environment, "SOME_KEY"};
    lane.spec.endpoint.thinkTags = true;
    lane.spec.endpoint.cumulative = true;
    lane.spec.endpoint.preset = "vllm";
    lane.spec.endpoint.presetOptions = {"a", "b"};
    lane.spec.endpoint.connection = ConnectionUse::reuse;
    lane.spec.endpoint.pinnedCertificate = "AB:CD";
    lane.spec.endpoint.allowInvalidTls = true;
    settings.lanes.push_back(lane);
    lane.spec.endpoint.key = {KeyReference::Kind::session, {}};
    lane.spec.key = std::make_shared<const Secret>("DSCANARY-settings");
    settings.lanes.push_back(lane);
    LaneConfig local;
    local.spec.laneName = "local";
    local.spec.local = LocalModelSpec{"/models/m.gguf", "cpu", 2, 4096, 8, "q8", true, false};
    settings.lanes.push_back(local);
    LaneConfig recorded;
    recorded.spec.recorded = RecordedLaneSpec{":/recordings/race.decodescope", 2};
    settings.lanes.push_back(recorded);
    for (int i = 0; i < 20; ++i)
        settings.addRecent(QStringLiteral("/r/%1").arg(i % 15));
    return settings;
}

} // namespace

class SettingsTest : public QObject {
    Q_OBJECT

private slots:
    void comeBackAsTheyWere() {
        QTemporaryDir folder;
        const QString path = folder.filePath("new/settings.json");
        const WindowSettings kept = someSettings();
        const auto saved = saveSettings(kept, path);
        QVERIFY2(saved.has_value(), saved ? "" : saved.error().message.c_str());
        const WindowSettings back = loadSettings(path);
        QVERIFY(back.theme == ThemeChoice::light);
        QCOMPARE(back.geometry, kept.geometry);
        QCOMPARE(back.layout, kept.layout);
        QCOMPARE(back.recent, kept.recent);
        QCOMPARE(back.recent.size(), qsizetype(WindowSettings::kMaxRecent));
        QCOMPARE(back.recent.constFirst(), QStringLiteral("/r/4"));
        QCOMPARE(back.race.prompt, kept.race.prompt);
        QCOMPARE(back.race.system, kept.race.system);
        QVERIFY(!back.race.sampling.maxTokens);
        QCOMPARE(*back.race.sampling.temperature, 0.25);
        QCOMPARE(*back.race.sampling.seed, *kept.race.sampling.seed);
        QCOMPARE(*back.race.sampling.reasoningEffort, std::string("low"));
        QVERIFY(back.race.sampling.ignoreEos);
        QVERIFY(!back.race.sampling.stream);
        QVERIFY(!back.race.timeouts.idle);
        QVERIFY(*back.race.timeouts.total == std::chrono::seconds(90));
        QCOMPARE(back.race.plan.repeats, 5);
        QCOMPARE(back.race.plan.warmups, 2);
        QVERIFY(back.race.plan.sequential);
        QVERIFY(!back.race.uniquePrefix);
        QCOMPARE(back.lanes.size(), std::size_t(4));
        QVERIFY(back.lanes[2].spec.local == kept.lanes[2].spec.local && !back.lanes[2].spec.recorded);
        QVERIFY(back.lanes[3].spec.recorded == kept.lanes[3].spec.recorded && !back.lanes[3].spec.local);
        const EndpointSpec& endpoint = back.lanes[0].spec.endpoint;
        QCOMPARE(back.lanes[0].look, 3);
        QCOMPARE(endpoint.url, std::string("https://host/v1"));
        QCOMPARE(endpoint.protocol, std::string("openai-completions"));
        QCOMPARE(endpoint.key.name, std::string("SOME_KEY"));
        QVERIFY(endpoint.thinkTags && endpoint.cumulative);
        QCOMPARE(endpoint.preset, std::string("vllm"));
        QVERIFY((endpoint.presetOptions == std::vector<std::string>{"a", "b"}));
        QVERIFY(endpoint.connection == ConnectionUse::reuse);
        QCOMPARE(endpoint.pinnedCertificate, std::string("AB:CD"));
    }

    void holdNoKeyAndNoPermission() {
        QTemporaryDir folder;
        const QString path = folder.filePath("settings.json");
        QVERIFY(saveSettings(someSettings(), path).has_value());
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(!file.readAll().contains("DSCANARY"));
        QVERIFY(!(QFileInfo(path).permissions() & (QFile::ReadGroup | QFile::ReadOther)));
        const WindowSettings back = loadSettings(path);
        QVERIFY(back.lanes[1].spec.endpoint.key.kind == KeyReference::Kind::none);
        QVERIFY(!back.lanes[0].spec.endpoint.allowInvalidTls);
    }

    void anAddressIsKeptWithoutTheKeyInIt() {
        QTemporaryDir folder;
        const QString path = folder.filePath("settings.json");
        WindowSettings settings;
        LaneConfig lane;
        lane.spec.endpoint.url = "https://h/v1?key=DSCANARY-1&api-version=2";
        settings.lanes.push_back(lane);
        QVERIFY(saveSettings(settings, path).has_value());
        QCOMPARE(loadSettings(path).lanes.at(0).spec.endpoint.url, std::string("https://h/v1?key=***&api-version=2"));
    }

    void aFullDiskAtEveryByteLeavesTheOldFile() {
        QTemporaryDir folder;
        const QString path = folder.filePath("settings.json");
        const QString picture = folder.filePath("picture.png");
        QPixmap pixels(8, 8);
        pixels.fill(Qt::red);
        const WindowSettings settings = someSettings();
        QVERIFY(saveSettings(settings, path).has_value());
        QVERIFY(savePicture(pixels, picture.toStdString()).has_value());
        const auto bytes = [](const QString& file) {
            QFile read(file);
            return read.open(QIODevice::ReadOnly) ? read.readAll() : QByteArray();
        };
        const QByteArray goodSettings = bytes(path), goodPicture = bytes(picture);
        WindowSettings other = settings;
        other.race.prompt = "another";
        const auto room = static_cast<std::size_t>(std::max(goodSettings.size(), goodPicture.size()));
        for (std::size_t at = 0; at < room; ++at) {
            const test::FileSizeLimit limit(at);
            if (at + 40 < static_cast<std::size_t>(goodSettings.size()) && at % 7 == 0) {
                const auto saved = saveSettings(other, path);
                QVERIFY(!saved);
                QVERIFY(saved.error().message.find("unchanged") != std::string::npos);
                QCOMPARE(bytes(path), goodSettings);
            }
            if (at < static_cast<std::size_t>(goodPicture.size())) {
                QVERIFY(!savePicture(pixels, picture.toStdString()));
                QCOMPARE(bytes(picture), goodPicture);
            }
        }
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden).size(), 2); // nothing torn lies about
        QVERIFY(!(QFileInfo(picture).permissions() & (QFile::ReadGroup | QFile::ReadOther)));
    }

    void placesThatCannotBeWrittenToAreNamed() {
        QTemporaryDir folder;
        const QString gone = folder.filePath("gone/deep/settings.json");
        QVERIFY(saveSettings({}, gone).has_value()); // the folder is made, for its owner alone
        QVERIFY(!(QFileInfo(QFileInfo(gone).path()).permissions() & (QFile::ReadGroup | QFile::ReadOther)));
        QPixmap pixels(2, 2);
        pixels.fill(Qt::red);
        const auto lost = savePicture(pixels, folder.filePath("nowhere/p.png").toStdString());
        QVERIFY(!lost);
        QVERIFY2(lost.error().message.find("the folder does not exist") != std::string::npos,
                 lost.error().message.c_str());
        const auto onFolder = savePicture(pixels, folder.path().toStdString());
        QVERIFY(!onFolder);
        QVERIFY(QFileInfo(folder.path()).isDir());
        QFile blocked(folder.filePath("file"));
        QVERIFY(blocked.open(QIODevice::WriteOnly));
        const auto under = saveSettings({}, folder.filePath("file/settings.json"));
        QVERIFY(!under && !under.error().message.empty());
    }

    void oddFilesGiveDefaults_data() {
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("nothing") << QByteArray();
        QTest::newRow("no json") << QByteArray("\x00\xff{", 3);
        QTest::newRow("an array") << QByteArray("[1,2]");
        QTest::newRow("other types") << QByteArray(
            R"({"theme":3,"geometry":[],"race":7,"lanes":{"a":1},"recent":[1,{}],"layout_version":"x"})");
        QTest::newRow("wild numbers") << QByteArray(
            R"({"race":{"repeats":1e300,"warmups":-9,"max_tokens":-1e300,"temperature":99,
                             "connect_timeout_s":-1,"seed":"99999999999999999999"},"lanes":[{"look":-4},5]})");
    }
    void oddFilesGiveDefaults() {
        QFETCH(QByteArray, content);
        QTemporaryDir folder;
        const QString path = folder.filePath("settings.json");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
        file.close();
        const WindowSettings settings = loadSettings(path);
        QVERIFY(settings.race.plan.repeats >= 1 && settings.race.plan.repeats <= 1000);
        QVERIFY(settings.race.plan.warmups >= 0);
        QVERIFY(!settings.race.sampling.maxTokens || *settings.race.sampling.maxTokens >= 1);
        QVERIFY(!settings.race.sampling.seed);
        QVERIFY(settings.recent.isEmpty());
        for (const LaneConfig& lane : settings.lanes)
            QVERIFY(lane.look >= 0);
    }

    void recordingNamesAreHarmless_data() {
        QTest::addColumn<QString>("prompt");
        QTest::addColumn<QString>("name");
        QTest::newRow("words") << "Explain why a database index makes reads"
                               << "explain-why-a-database-index-T";
        QTest::newRow("path") << "../../etc/passwd"
                              << "etc-passwd-T";
        QTest::newRow("nothing") << ""
                                 << "race-T";
        QTest::newRow("other script") << "日本語"
                                      << "race-T";
    }
    void recordingNamesAreHarmless() {
        QFETCH(QString, prompt);
        QFETCH(QString, name);
        QCOMPARE(recordingName(prompt.toStdString(), "T"), name);
    }

    void recordingPathsAreNewAndPrivate() {
        QTemporaryDir folder;
        const QString place = folder.filePath("a/b");
        const auto first = newRecordingPath(place, "r");
        QVERIFY(first.has_value());
        QVERIFY(!(QFileInfo(place).permissions() & (QFile::ReadGroup | QFile::ReadOther | QFile::ExeOther)));
        QFile file(*first);
        QVERIFY(file.open(QIODevice::WriteOnly));
        const auto second = newRecordingPath(place, "r");
        QVERIFY(second.has_value());
        QVERIFY(*second != *first);
        QVERIFY(!newRecordingPath(*first + "/under-a-file", "r").has_value());
    }
};

QTEST_MAIN(SettingsTest)
#include "tst_settings.moc"
