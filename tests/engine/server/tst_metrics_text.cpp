#include "engine/server/metrics_text.h"

#include <QtTest>

#include <set>

using namespace decodescope::engine;

class TestMetricsText : public QObject {
    Q_OBJECT

private slots:
    void everyFigureHasHelpTypeAndValue() {
        SchedulerStats stats;
        stats.running = 3;
        stats.generatedTokens = 12345;
        stats.decodeSeconds = 1.5;
        BackendFacts facts;
        facts.readBandwidthGBps = 20.25;
        const QStringList lines = QString::fromStdString(metricsText(stats, facts)).split('\n');
        QCOMPARE(lines.size() % 3, 1); // and nothing after the last line end
        QVERIFY(lines.last().isEmpty());
        std::set<QString> names;
        for (qsizetype i = 0; i + 3 <= lines.size(); i += 3) {
            const QString name = lines[i + 2].section(' ', 0, 0);
            QVERIFY(name.startsWith("decodescope_"));
            QVERIFY(lines[i].startsWith("# HELP " + name + " "));
            const QString type = lines[i + 1].section(' ', 3);
            QCOMPARE(lines[i + 1], "# TYPE " + name + " " + type);
            QCOMPARE(type,
                     QString(name.endsWith("_total") && name != "decodescope_kv_blocks_total" ? "counter" : "gauge"));
            bool number = false;
            lines[i + 2].section(' ', 1).toDouble(&number);
            QVERIFY(number);
            QVERIFY(names.insert(name).second);
        }
        QVERIFY(lines.contains("decodescope_requests_running 3"));
        QVERIFY(lines.contains("decodescope_generated_tokens_total 12345"));
        QVERIFY(lines.contains("decodescope_decode_seconds_total 1.5"));
        QVERIFY(lines.contains("decodescope_read_bandwidth_gb_per_second 20.25"));
    }
};

QTEST_GUILESS_MAIN(TestMetricsText)
#include "tst_metrics_text.moc"
