/// F1, F2, F3, F5, L1, L2 and eight long lanes: what a user of the whole window gets. The real MainWindow, streams
/// through the session and the decoder, the real journal. Arguments choose figures (F1 F2 F3 F5 LONG L1 L2), default
/// all; --quick takes a short slice of each.
#include "tests/bench/bench_report.h"
#include "tests/bench/window_probe.h"
#include "tests/bench/window_streams.h"
#include "ui/charts/chart_panel.h"
#include "ui/panels/lanes_row.h"
#include "ui/text/token_text_view.h"
#include "ui/window/main_window.h"

#include <QEventLoop>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QProcess>
#include <QSet>
#include <QTimer>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <sys/resource.h>
#include <thread>

// Q_INIT_RESOURCE declares a function and must stand outside every namespace.
static void loadShippedRecordings() {
    Q_INIT_RESOURCE(recordings);
}

using namespace decodescope;
using namespace decodescope::bench;
using namespace std::chrono_literals;
using std::chrono::steady_clock;

namespace {

bool g_quick = false;

double measuredS() {
    return g_quick ? 0.6 : 8;
}

double processSeconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Processors that were asked for in the last minute: figures of a busy machine say so.
std::string loadWords() {
    double load = 0;
    if (getloadavg(&load, 1) != 1)
        return "load unknown";
    return fmt::format("load {:.1f} on {} processors, {} platform", load, std::thread::hardware_concurrency(),
                       QGuiApplication::platformName().toStdString());
}

void spin(double seconds) {
    QEventLoop loop;
    QTimer::singleShot(static_cast<int>(seconds * 1000), &loop, &QEventLoop::quit);
    loop.exec();
}

/// Turns the event loop until `done`; ends the program when that takes a minute.
void spinUntil(const std::function<bool()>& done) {
    const auto begin = steady_clock::now();
    while (!done()) {
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 5);
        if (steady_clock::now() - begin > 60s) {
            fmt::print(stderr, "The window did not get there within a minute.\n");
            std::exit(1);
        }
    }
}

struct LaneSetUp {
    int count = 1;
    double tokensPerS = 0;
    double before = 0; ///< tokens that each lane has when the measurement begins
    bool ends = false; ///< the lane is over once it has them
};

/// A window of 1920 x 1080 with lanes that are streaming.
class StreamingWindow {
public:
    explicit StreamingWindow(const std::vector<LaneSetUp>& setUps)
        : m_window(m_surroundings.services()) {
        m_window.resize(1920, 1080);
        m_window.show();
        RaceSettings race = m_window.runs().race();
        race.plan = {.repeats = 1, .warmups = 0};
        m_window.runs().setRace(race);
        int number = 0;
        for (const LaneSetUp& setUp : setUps) {
            BenchStream stream;
            stream.spec.tokensPerS = setUp.tokensPerS;
            stream.spec.jitter = 0.3;
            stream.spec.outputTokens = setUp.ends ? static_cast<std::uint32_t>(setUp.before) : 100'000'000;
            stream.headStartS = setUp.before / setUp.tokensPerS * (setUp.ends ? 1.2 : 1);
            const std::string model = fmt::format("stream{}", number);
            m_surroundings.offer(model, stream);
            for (int i = 0; i < setUp.count; ++i) {
                RunSpec spec;
                spec.laneName = fmt::format("lane {}", ++number);
                spec.endpoint.url = "http://127.0.0.1:9";
                spec.endpoint.model = model;
                m_window.runs().lanes().add(spec);
            }
        }
        m_window.showRace();
        m_window.runs().run();
        spinUntil([&] {
            std::size_t arrived = 0;
            for (const auto& lane : m_window.runs().session().lanes())
                arrived += lane->current() && !lane->current()->record->events.empty() ? 1 : 0;
            return arrived == m_window.runs().session().lanes().size();
        });
        spin(g_quick ? 0.3 : 1.5);
    }
    ~StreamingWindow() { m_window.runs().stop(); }

    [[nodiscard]] MainWindow& window() { return m_window; }
    [[nodiscard]] double tokens() {
        double sum = 0;
        for (const auto& lane : m_window.runs().session().lanes())
            sum += static_cast<double>(lane->current()->record->events.size());
        return sum;
    }

private:
    WindowSurroundings m_surroundings;
    MainWindow m_window;
};

void fluency(const std::string& name, const std::vector<LaneSetUp>& setUps, const std::string& what) {
    StreamingWindow streaming(setUps);
    std::vector<double> intervals;
    std::vector<double> works;
    streaming.window().ticker().onTick = [&](double intervalMs, double workMs) {
        intervals.push_back(intervalMs);
        works.push_back(workMs);
    };
    const double tokensBefore = streaming.tokens();
    const double cpuBefore = processSeconds();
    const auto begin = steady_clock::now();
    spin(measuredS());
    const double seconds = std::chrono::duration<double>(steady_clock::now() - begin).count();
    const double cpu = processSeconds() - cpuBefore;
    streaming.window().ticker().onTick = nullptr;
    const std::string conditions =
        fmt::format("{}, {:.0f} tok/s in all, 5 charts, scoreboard, journal on, streams made and decoded in the same "
                    "thread, 1920 x 1080, {}",
                    what, (streaming.tokens() - tokensBefore) / seconds, loadWords());
    report(name + "_fps", static_cast<double>(intervals.size()) / seconds, "fps", conditions);
    report(name + "_interval_p99", percentile(intervals, 0.99), "ms", conditions);
    report(name + "_work_p95", percentile(works, 0.95), "ms", conditions);
    report(name + "_cpu", 100 * cpu / seconds, "percent", conditions, "one core");
}

/// Keys and mouse moves come from another thread, at moments that the window does not choose.
void inputLatency(ProbeApplication& application) {
    StreamingWindow streaming({{.count = 4, .tokensPerS = 800, .before = g_quick ? 500.0 : 20'000.0}});
    MainWindow& window = streaming.window();
    auto* chart = window.findChild<ChartPanel*>();
    QWidget* plot = chart->plotWidget();
    QWidget* text = &window.lanesRow().cards().front()->text();

    struct Sent {
        QEvent* event;
        SteadyTime at;
    };
    std::mutex mutex;
    std::vector<Sent> sent;
    std::vector<SteadyTime> handled; // on the GUI thread alone
    std::vector<double> latencies;
    application.onEvent = [&](QObject*, QEvent* event) {
        if (event->type() != QEvent::MouseMove && event->type() != QEvent::KeyPress)
            return;
        const std::lock_guard lock(mutex);
        const auto found = std::ranges::find(sent, event, &Sent::event);
        if (found == sent.end())
            return;
        handled.push_back(found->at);
        sent.erase(found);
    };
    application.onFrame = [&](SteadyTime at) {
        for (const SteadyTime begin : handled)
            latencies.push_back(msBetween(begin, at));
        handled.clear();
    };
    std::atomic<bool> stop = false;
    std::thread user([&] {
        const double width = plot->width();
        for (int i = 0; !stop; ++i) {
            std::this_thread::sleep_for(std::chrono::microseconds(23'000 + 1'700 * (i % 11)));
            const QPointF at(width * 0.2 + 7.0 * (i % 60), 60);
            QEvent* event = i % 2 == 0 ? static_cast<QEvent*>(new QMouseEvent(QEvent::MouseMove, at, at, Qt::NoButton,
                                                                              Qt::NoButton, Qt::NoModifier))
                                       : new QKeyEvent(QEvent::KeyPress, i % 4 == 1 ? Qt::Key_Period : Qt::Key_Comma,
                                                       Qt::NoModifier);
            const std::lock_guard lock(mutex);
            sent.push_back({event, steady_clock::now()});
            QCoreApplication::postEvent(i % 2 == 0 ? plot : text, event);
        }
    });
    spin(measuredS());
    stop = true;
    user.join();
    application.onEvent = nullptr;
    application.onFrame = nullptr;
    const std::string conditions = fmt::format("{} keys and mouse moves while 4 lanes stream 3,200 tok/s, posted to "
                                               "painted, {}",
                                               latencies.size(), loadWords());
    report("F5_input_to_paint_p50", percentile(latencies, 0.5), "ms", conditions);
    report("F5_input_to_paint_p99", percentile(latencies, 0.99), "ms", conditions);
}

/// From the wish to open to the first frame that shows the lanes' text, and the longest time that the window stood
/// still meanwhile.
void opening(ProbeApplication& application, std::uint32_t tokens) {
    WindowSurroundings surroundings;
    const QString path = surroundings.writeRecording(tokens, 4);
    MainWindow window(surroundings.services());
    window.resize(1920, 1080);
    window.show();
    spin(0.3);
    std::optional<SteadyTime> shown;
    bool textPainted = false;
    application.onEvent = [&](QObject* receiver, const QEvent* event) {
        if (event->type() != QEvent::Paint || shown)
            return;
        for (LaneCard* card : window.lanesRow().cards())
            textPainted =
                textPainted || (receiver == card->text().viewport() && card->text().buffer().tokenCount() > 0);
    };
    auto last = steady_clock::now();
    double longest = 0;
    application.onFrame = [&](SteadyTime at) {
        if (textPainted && !shown)
            shown = at;
    };
    QTimer pulse;
    QObject::connect(&pulse, &QTimer::timeout, &pulse, [&] {
        const auto now = steady_clock::now();
        longest = std::max(longest, msBetween(last, now));
        last = now;
    });
    pulse.start(2);
    spin(0.05);
    longest = 0;
    last = steady_clock::now();
    const double cpuBefore = processSeconds();
    const auto begin = last;
    window.openFiles({path});
    spinUntil([&] { return shown.has_value(); });
    const double cpuMs = 1000 * (processSeconds() - cpuBefore);
    spin(0.1);
    application.onEvent = nullptr;
    application.onFrame = nullptr;
    const std::string conditions = fmt::format("{} tokens in 4 lanes, 1920 x 1080, {}", tokens, loadWords());
    report(fmt::format("L1_open_{}", tokens), msBetween(begin, *shown), "ms", conditions);
    report(fmt::format("L1_cpu_{}", tokens), cpuMs, "ms", conditions + ", processor time of all threads");
    report(fmt::format("L1_longest_freeze_{}", tokens), longest, "ms", conditions);
}

/// In the child: the time of the first frame on the clock that all processes share.
int coldChild(ProbeApplication& application) {
    WindowSurroundings surroundings;
    loadShippedRecordings();
    MainWindow window(surroundings.services());
    bool told = false;
    application.onFrame = [&](SteadyTime at) {
        if (!told)
            fmt::print("{}\n", at.time_since_epoch().count());
        told = true;
        QCoreApplication::quit();
    };
    window.show();
    return QCoreApplication::exec();
}

/// A process of its own that opens the window with its start page: from before it was made to its first frame.
void coldStart() {
    std::vector<double> tries;
    for (int i = 0; i < (g_quick ? 1 : 7); ++i) {
        QProcess child;
        const auto begin = steady_clock::now();
        child.start(QCoreApplication::applicationFilePath(), {QStringLiteral("--cold")});
        if (!child.waitForFinished(30'000))
            std::exit(1);
        const qint64 at = child.readAllStandardOutput().trimmed().toLongLong();
        tries.push_back(static_cast<double>(at - begin.time_since_epoch().count()) / 1e6);
    }
    report("L2_cold_start", percentile(tries, 0.5), "ms",
           fmt::format("process start to first painted frame of the start page with the shipped recordings, median of "
                       "{}, libraries in the page cache, no network thread, {}",
                       tries.size(), loadWords()));
}

} // namespace

int main(int argc, char** argv) {
    ProbeApplication application(argc, argv);
    QSet<QString> wanted;
    for (const QString& argument : QCoreApplication::arguments().mid(1)) {
        if (argument == QStringLiteral("--cold"))
            return coldChild(application);
        if (argument == QStringLiteral("--quick"))
            g_quick = true;
        else
            wanted.insert(argument);
    }
    const auto runs = [&](const char* name) { return wanted.isEmpty() || wanted.contains(QLatin1String(name)); };
    const double before = g_quick ? 500 : 20'000;
    const double many = g_quick ? 1'000 : 100'000;
    const std::string held = fmt::format("{:.0f} tokens a lane before", before);
    if (runs("L2"))
        coldStart();
    if (runs("F1"))
        fluency("F1", {{.count = 4, .tokensPerS = 800, .before = before}},
                "4 lanes that carry what 64 streams of 50 tok/s would, " + held);
    if (runs("F2"))
        fluency("F2", {{.count = 8, .tokensPerS = 400, .before = before}}, "8 lanes, " + held);
    if (runs("F3"))
        fluency("F3", {{.count = 4, .tokensPerS = 3'000, .before = before}}, "4 lanes, " + held);
    if (runs("LONG")) {
        fluency("long_lanes",
                {{.count = 8, .tokensPerS = 1'000, .before = many, .ends = true}, {.count = 1, .tokensPerS = 50}},
                fmt::format("8 lanes of {:.0f} tokens each and one that streams", many));
    }
    if (runs("F5"))
        inputLatency(application);
    if (runs("L1")) {
        opening(application, g_quick ? 4'000 : 100'000);
        if (!g_quick)
            opening(application, 1'000'000);
    }
    return 0;
}
