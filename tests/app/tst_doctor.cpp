#include "app/doctor.h"

#include <QtTest>
#include <nlohmann/json.hpp>

using namespace decodescope;
using namespace std::chrono_literals;

class DoctorTest : public QObject {
    Q_OBJECT

    static MeasuredFloor measured(ClockSource asked, int streams, bool tls, double gapP99) {
        MeasuredFloor floor;
        floor.asked = floor.clock = asked;
        floor.streams = streams;
        floor.tls = tls;
        floor.intervalS = 0.02;
        floor.tokens = static_cast<std::size_t>(streams) * 50;
        floor.stamp = FloorErrors{11e-6, 22e-6, 333e-6};
        floor.gap = FloorErrors{gapP99 / 2, gapP99, gapP99 * 2};
        floor.errorBoundS = 1e-7;
        floor.networkLagS = 2e-3;
        return floor;
    }
    static DoctorReport report() {
        DoctorReport report;
        report.machineJson = R"({"os":"test"})";
        report.cores = 8;
        report.usableCores = 2;
        report.governor = "powersave";
        report.load1m = 1.25;
        report.floor.emplace();
        report.floor->floors = {
            measured(ClockSource::kernel, 1, false, 20e-6), measured(ClockSource::kernel, 64, false, 40e-6),
            measured(ClockSource::kernel, 64, true, 70e-6), measured(ClockSource::user, 64, false, 900e-6)};
        report.floor->clockResolutionS = 1e-9;
        report.floor->sleepLateP50S = 60e-6;
        report.floor->sleepLateP99S = 150e-6;
        report.floor->clockOffsetErrorS = 45e-9;
        report.checks = {{"fonts", DoctorCheck::Status::good, "Fonts are there.", {}},
                         {"display", DoctorCheck::Status::warning, "No display\x1b.", "Use run --json."},
                         {"engine", DoctorCheck::Status::note, "An engine.", {}}};
        return report;
    }
    /// The line of a text that holds `part`; empty without one.
    static QString lineWith(const DoctorReport& report, const QString& part) {
        for (const QString& line : QString::fromStdString(doctorText(report)).split('\n')) {
            if (line.contains(part))
                return line;
        }
        return {};
    }

private slots:
    void everythingFoundIsInTheJson() {
        const Json json = doctorJson(report());
        QCOMPARE(json["schema"].get<int>(), 1);
        QCOMPARE(json["machine"]["os"].get<std::string>(), std::string("test"));
        QCOMPARE(jsonDump(json["processor"]),
                 std::string(R"({"cores":8,"usable_cores":2,"governor":"powersave","load_1m":1.25})"));
        QCOMPARE(json["timer"]["sleep_1ms_late_s"]["p99"].get<double>(), 150e-6);
        QVERIFY(json["clock"]["kernel_stamps"].get<bool>());
        QCOMPARE(json["clock"]["offset_error_s"].get<double>(), 45e-9);
        QCOMPARE(json["hiccups"]["count"].get<int>(), 0);
        QVERIFY(json["hiccups"]["max_s"].is_null());
        QCOMPARE(json["floors"].size(), 4U);
        const Json& tls = json["floors"][2];
        QVERIFY(tls["tls"].get<bool>() && !json["floors"][1]["tls"].get<bool>());
        QCOMPARE(tls["clock_source"].get<std::string>(), std::string("kernel"));
        QCOMPARE(tls["stamped_by"].get<std::string>(), std::string("kernel"));
        QCOMPARE(tls["streams"].get<int>(), 64);
        QCOMPARE(tls["stamp_error_s"]["max"].get<double>(), 333e-6);
        QCOMPARE(tls["gap_error_s"]["p99"].get<double>(), 70e-6);
        QCOMPARE(tls["stamp_error_bound_s"].get<double>(), 1e-7);
        QCOMPARE(tls["network_lag_s"].get<double>(), 2e-3);
        QVERIFY(tls["failure"].is_null());
        // Ten times what 99 of 100 gaps are right to within, under load.
        QCOMPARE(json["verdict"]["gap_floor_s"].get<double>(), 400e-6);
        QVERIFY(qAbs(json["verdict"]["tls_gap_floor_s"].get<double>() - 700e-6) < 1e-12);
        QCOMPARE(json["verdict"]["clock_source"].get<std::string>(), std::string("kernel"));
        QCOMPARE(json["checks"][1]["status"].get<std::string>(), std::string(toString(DoctorCheck::Status::warning)));
        QCOMPARE(json["checks"][1]["advice"].get<std::string>(), std::string("Use run --json."));
        QVERIFY(json["checks"][0]["advice"].is_null());
    }

    void whatIsNotKnownIsNull() {
        DoctorReport unknown;
        unknown.machineJson = "no JSON";
        unknown.floorFailure = "No port.";
        const Json json = doctorJson(unknown);
        QVERIFY(json["machine"].is_object() && json["machine"].empty());
        for (const char* name : {"cores", "usable_cores", "governor", "load_1m"})
            QVERIFY2(json["processor"][name].is_null(), name);
        QVERIFY(json["timer"].is_null() && json["clock"].is_null() && json["hiccups"].is_null());
        QVERIFY(json["floors"].is_array() && json["floors"].empty());
        QVERIFY(json["verdict"]["gap_floor_s"].is_null() && json["verdict"]["clock_source"].is_null());
        QCOMPARE(json["verdict"]["text"].get<std::string>(), std::string("No port."));
        QVERIFY(QString::fromStdString(doctorText(unknown)).startsWith("No port.\n"));
    }

    void theTableHasALineForEachMeasurement() {
        const DoctorReport all = report();
        QCOMPARE(
            lineWith(all, "kernel         1 stream"),
            QString("  kernel         1 stream  stamp     11 us /     22 us /    333 us   gap     10 us /     20 us "
                    "/     40 us"));
        QVERIFY(lineWith(all, "kernel  TLS   64 streams").endsWith("gap     35 us /     70 us /    140 us"));
        QVERIFY(!lineWith(all, "user          64 streams").isEmpty());
        QVERIFY(!lineWith(all, "8 cores, 2 of them for this program, governor powersave, load 1.2").isEmpty());
        QVERIFY(!lineWith(all, "60 us (half of them), 150 us (99 of 100)").isEmpty());
        QVERIFY(!lineWith(all, "to within 45 ns").isEmpty());
        QVERIFY(lineWith(all, "Hiccups").endsWith("none."));
        QVERIFY(lineWith(all, "No display").startsWith("WARN"));
        QVERIFY(!lineWith(all, "     Use run --json.").isEmpty());
        QVERIFY(lineWith(all, "An engine").startsWith("note"));
    }

    void theVerdictIsOfTheBestClockUnderLoad() {
        DoctorReport all = report();
        const QString good = QString::fromStdString(doctorVerdict(all));
        QVERIFY(good.contains("shorter than 0.4 ms cannot be trusted"));
        QVERIFY(good.contains("kernel stamps, 64 streams") && good.contains("within 40 us"));
        QVERIFY(good.contains("Over TLS: shorter than 0.7 ms."));
        // The kernel's measurements were stamped by us after all, and TLS failed.
        for (MeasuredFloor& floor : all.floor->floors)
            floor.clock = ClockSource::user;
        all.floor->floors[2].failure = "No certificate.";
        const QString user = QString::fromStdString(doctorVerdict(all));
        QVERIFY(user.contains("user stamps") && user.contains("The kernel stamps nothing here"));
        QVERIFY(!user.contains("TLS"));
        QVERIFY(!doctorJson(all)["clock"]["kernel_stamps"].get<bool>());
        QVERIFY(lineWith(all, "kernel        64 streams").contains("(stamped by: user)"));
        QVERIFY(lineWith(all, "TLS").endsWith("No certificate."));
        QCOMPARE(doctorJson(all)["floors"][2]["failure"].get<std::string>(), std::string("No certificate."));
        QVERIFY(doctorJson(all)["floors"][2]["stamped_by"].is_null());
    }

    /// On a machine so busy that every read brought several tokens, no gap can be compared: that is no error of zero.
    void withoutAGapThereIsNoFloor() {
        FloorStream stream;
        for (int i = 0; i < 12; ++i) {
            FloorToken token{instantFromNs(1'000'000 * i), instantFromNs(20'000'000)};
            token.merged = i > 0;
            stream.tokens.push_back(token);
        }
        stream.stamps = StampReport{ClockSource::kernel, Duration(90), 1, 2, Duration(3'000'000)};
        MeasuredFloor floor;
        floor.asked = ClockSource::kernel;
        floor.streams = 64;
        addFigures(floor, {stream, stream});
        QVERIFY(floor.clock == ClockSource::kernel);
        QCOMPARE(floor.tokens, std::size_t{24});
        QCOMPARE(floor.merged, std::size_t{22});
        QCOMPARE(floor.rejected, std::size_t{4});
        QCOMPARE(*floor.errorBoundS, 90e-9);
        QCOMPARE(floor.networkLagS, 3e-3);
        QCOMPARE(floor.stamp->max, 20e-3);
        QVERIFY(!floor.gap);

        DoctorReport all = report();
        all.floor->floors = {floor};
        const Json json = doctorJson(all);
        QVERIFY(json["floors"][0]["gap_error_s"].is_null());
        QVERIFY(!json["floors"][0]["stamp_error_s"].is_null());
        QVERIFY(json["verdict"]["gap_floor_s"].is_null());
        const QString line = lineWith(all, "kernel        64 streams");
        QVERIFY2(line.contains(QString::fromUtf8("gap         – /         – /         –")), qPrintable(line));
        QVERIFY(line.contains("22 of 24 tokens merged in one read"));
        QVERIFY(doctorVerdict(all).find("could not be measured") != std::string::npos);
    }

    void hiccupsAreCounted() {
        DoctorReport all = report();
        all.floor->hiccups = 3;
        all.floor->largestHiccupS = 0.0123;
        QVERIFY(lineWith(all, "Hiccups").contains("3, the largest 12 ms"));
        QCOMPARE(doctorJson(all)["hiccups"]["count"].get<int>(), 3);
        QCOMPARE(doctorJson(all)["hiccups"]["max_s"].get<double>(), 0.0123);
    }
};

QTEST_GUILESS_MAIN(DoctorTest)
#include "tst_doctor.moc"
