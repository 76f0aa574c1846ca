#include "ui/panels/lab_plan.h"
#include "ui/panels/local_model_door.h"

#include <QTemporaryDir>
#include <QTest>

using namespace decodescope;

class LabPlanTest : public QObject {
    Q_OBJECT

private slots:
    void valuesAreReadOrRefusedWithAReason_data() {
        QTest::addColumn<int>("lever");
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QStringList>("values"); // empty: refused
        const auto row = [](const char* name, Lever lever, const QString& typed, const QStringList& values) {
            QTest::newRow(name) << static_cast<int>(lever) << typed << values;
        };
        row("plain", Lever::threads, "1, 2", {"1", "2"});
        row("spaces and repeats", Lever::threads, " 1,2 ,2,  4,", {"1", "2", "4"});
        row("one alone", Lever::threads, "1", {});
        row("none", Lever::threads, "", {});
        row("no number", Lever::threads, "1, two", {});
        row("no thread", Lever::threads, "0, 1", {});
        row("no batch-mate is a value", Lever::batchMates, "0,7", {"0", "7"});
        row("too many batch-mates", Lever::batchMates, "0,16", {});
        row("depth", Lever::contextDepth, "0,4096", {"0", "4096"});
        row("switch", Lever::speculation, "off, on", {"off", "on"});
        row("switch misspelt", Lever::prefixCache, "no, yes", {});
        row("too many", Lever::threads, "1,2,3,4,5,6,7,8,9", {});
        row("files that are not there", Lever::file, "/nowhere/a.gguf; /nowhere/b.gguf", {});
    }
    void valuesAreReadOrRefusedWithAReason() {
        QFETCH(int, lever);
        QFETCH(QString, typed);
        QFETCH(QStringList, values);
        const Result<QStringList> read = leverValues(static_cast<Lever>(lever), typed);
        QCOMPARE(read.has_value(), !values.isEmpty());
        if (read)
            QCOMPARE(*read, values);
        else
            QVERIFY(!read.error().message.empty());
    }

    void examplesAreValuesThemselves() {
        for (int i = 0; i < kLevers; ++i) {
            const auto lever = static_cast<Lever>(i);
            QVERIFY(!leverName(lever).isEmpty() && !leverHelp(lever).isEmpty());
            if (lever != Lever::file)
                QVERIFY(leverValues(lever, leverExample(lever)).has_value());
        }
    }

    void oneThingChanges_data() {
        QTest::addColumn<int>("lever");
        for (int i = 1; i < kLevers; ++i)
            QTest::newRow(qPrintable(leverName(static_cast<Lever>(i)))) << i;
    }
    void oneThingChanges() {
        QFETCH(int, lever);
        const RunSpec base = localLane("/models/m.gguf");
        const QStringList values = *leverValues(static_cast<Lever>(lever), leverExample(static_cast<Lever>(lever)));
        const std::vector<RunSpec> lanes = labLanes(base, static_cast<Lever>(lever), values);
        QCOMPARE(lanes.size(), static_cast<std::size_t>(values.size()));
        for (std::size_t i = 0; i < lanes.size(); ++i) {
            QVERIFY(QString::fromStdString(lanes[i].laneName).endsWith(values[static_cast<int>(i)]));
            // Brought back to the first lane's value, every lane is the first lane.
            RunSpec same = lanes[i];
            same.batchMates = lanes[0].batchMates;
            same.contextDepth = lanes[0].contextDepth;
            LocalModelSpec& local = *same.local;
            const LocalModelSpec& first = *lanes[0].local;
            int changed = (lanes[i].batchMates != lanes[0].batchMates) +
                          (lanes[i].contextDepth != lanes[0].contextDepth) + (local.threads != first.threads) +
                          (local.speculative != first.speculative) + (local.prefixCache != first.prefixCache);
            QCOMPARE(changed, i == 0 ? 0 : 1);
            local.threads = first.threads;
            local.speculative = first.speculative;
            local.prefixCache = first.prefixCache;
            QVERIFY(local == first);
        }
    }

    void filesAreLanesOfTheirNames() {
        QTemporaryDir folder;
        QStringList paths;
        for (const char* name : {"m-Q4_0.gguf", "m-Q8_0.gguf"}) {
            QFile file(folder.filePath(name));
            QVERIFY(file.open(QIODevice::WriteOnly));
            paths << file.fileName();
        }
        const auto values = leverValues(Lever::file, paths.join("; "));
        QVERIFY(values.has_value());
        const auto lanes = labLanes(localLane("/models/m.gguf"), Lever::file, *values);
        QCOMPARE(QString::fromStdString(lanes[1].laneName), QStringLiteral("m-Q8_0"));
        QCOMPARE(QString::fromStdString(lanes[1].local->path), paths[1]);
        QVERIFY(!lanes[0].local->prefixCache);
    }
};

QTEST_MAIN(LabPlanTest)
#include "tst_lab_plan.moc"
