#include "engine/cli/bench_run.h"
#include "tests/engine/support/tiny_model.h"

#include <QTemporaryDir>
#include <QtTest>
#include <nlohmann/json.hpp>

using namespace decodescope::engine;
using namespace decodescope::engine::test;
using nlohmann::json;

class TestBenchRun : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QVERIFY(m_folder.isValid());
        m_model = m_folder.filePath("tiny.gguf").toStdString();
        QVERIFY(TinyModel::of("llama").write(m_model));
    }
    void everyThreadCountHasItsRow() {
        BenchOptions options = small();
        options.device = "cpu";
        options.threads = {1, 2};
        QStringList said;
        const auto report = runBench(options, [&](const std::string& what) { said << QString::fromStdString(what); });
        QVERIFY2(report, report ? "" : report.error().message.c_str());
        QCOMPARE(report->rows.size(), std::size_t{2});
        for (std::size_t i = 0; i < 2; ++i) {
            const BenchRow& row = report->rows[i];
            QCOMPARE(row.threads, static_cast<int>(i) + 1);
            QVERIFY(*row.promptTps > 0 && *row.decodeTps > 0 && *row.decodeGBps > 0 && row.bandwidthGBps > 0);
            QVERIFY(qFuzzyCompare(*row.fraction, *row.decodeGBps / row.bandwidthGBps));
        }
        QCOMPARE(said.size(), 4);
    }
    void requestsAtOnceAreMeasuredTogether() {
        BenchOptions options = small();
        options.atOnce = {1, 3};
        const auto report = runBench(options, [](const std::string&) {});
        QVERIFY2(report, report ? "" : report.error().message.c_str());
        QCOMPARE(report->together.size(), std::size_t{2});
        QCOMPARE(report->together[0].requests, 1U);
        QCOMPARE(report->together[1].requests, 3U);
        QVERIFY(report->together[0].aggregateTps > 0 && report->together[1].aggregateTps > 0);
        options.decodeTokens = 1;
        QVERIFY(!runBench(options, [](const std::string&) {}));
    }
    void partsCanBeLeftOut() {
        BenchOptions options = small();
        options.promptTokens = 0;
        const auto report = runBench(options, [](const std::string&) {});
        QVERIFY(report);
        QVERIFY(!report->rows[0].promptTps && report->rows[0].decodeTps);
    }
    void whatCannotBeIsRefused() {
        BenchOptions options = small();
        options.decodeTokens = 100'000;
        QVERIFY(runBench(options, [](const std::string&) {}).error().code == ErrorCode::usage);
        options = small();
        options.device = "abacus";
        QVERIFY(runBench(options, [](const std::string&) {}).error().code == ErrorCode::usage);
        options = small();
        options.device = "cuda:0";
        QVERIFY(runBench(options, [](const std::string&) {}).error().code == ErrorCode::memory);
        options = small();
        options.file = m_folder.filePath("none.gguf").toStdString();
        QVERIFY(runBench(options, [](const std::string&) {}).error().code == ErrorCode::disk);
    }
    void theReportHasItsForm() {
        BenchReport report;
        report.model = "tiny";
        report.rows = {{1, 20.0, 0.5, 100.0, 50.0, 10.0, 0.5}, {2, 0.0, 0.5, std::nullopt, 60.0, 12.0, std::nullopt}};
        report.together = {{1, 8, 200.0}};
        const json object = json::parse(benchAsJson(report, small()));
        QVERIFY(object["bandwidth_gb_per_s"] == json({{"1", 20.0}, {"2", nullptr}}));
        QVERIFY(object["rows"][0] == json({{"threads", 1},
                                           {"load_s", 0.5},
                                           {"prompt_tps", 100.0},
                                           {"decode_tps", 50.0},
                                           {"decode_gb_per_s", 10.0},
                                           {"fraction", 0.5}}));
        QVERIFY(object["rows"][1]["prompt_tps"].is_null() && object["rows"][1]["fraction"].is_null());
        QVERIFY(object["slots"] == json::array({{{"threads", 1}, {"slots", 8}, {"aggregate_tps", 200.0}}}));
        const QString table = QString::fromStdString(benchAsTable(report, small()));
        QVERIFY(table.contains("50.0 %") && table.contains("100.0") && table.contains("200.0 tok/s"));
        QVERIFY(table.contains(" - "));
    }

private:
    [[nodiscard]] BenchOptions small() const {
        BenchOptions options;
        options.file = m_model;
        options.device = "reference";
        options.promptTokens = 20;
        options.decodeTokens = 4;
        options.repeat = 2;
        return options;
    }

    QTemporaryDir m_folder;
    std::string m_model;
};

QTEST_GUILESS_MAIN(TestBenchRun)
#include "tst_bench_run.moc"
