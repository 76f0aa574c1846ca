#include "app/probe.h"

#include "app/terminal.h"
#include "core/base/counted.h"
#include "core/metrics/metrics.h"
#include "core/metrics/no_tokens.h"
#include "core/session/session.h"

#include <QElapsedTimer>
#include <QEventLoop>
#include <QTimer>
#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace decodescope {

namespace {

constexpr int kTinyTokens = 8;
constexpr int kStreamTokens = 64;
constexpr const char* kTinyPrompt = "Say hi.";
constexpr const char* kStreamPrompt = "Count from one to fifty in words, separated by commas.";
constexpr std::chrono::milliseconds kCrank{5};
constexpr std::uint64_t kFewestArrivals = 4;
constexpr qint64 kSaidAfterMs = 2000;
constexpr std::chrono::seconds kPatience{60}; ///< for a first token: a model may have to be loaded
constexpr std::chrono::seconds kPatienceWithTheSilent{15};

/// Says once, on stderr, that a question takes long.
class LongWait {
public:
    explicit LongWait(std::string forWhat)
        : m_forWhat(std::move(forWhat)) {
        m_since.start();
    }
    void goOn() {
        if (!m_said && m_since.hasExpired(kSaidAfterMs)) {
            m_said = true;
            tell(fmt::format("Waiting for {} ...", m_forWhat));
        }
    }

private:
    std::string m_forWhat;
    QElapsedTimer m_since;
    bool m_said = false;
};

/// Asks for a list and waits, at most until the user interrupts.
CallReport waitForList(const ListCall& listModels, const EndpointSpec& endpoint, std::shared_ptr<const Secret> key,
                       const std::string& route, const InterruptGuard& interrupt) {
    LongWait wait("the list of models at " + route);
    const auto promise = std::make_shared<std::promise<CallReport>>(); // the answer may come when nobody waits any more
    std::future<CallReport> answer = promise->get_future();
    const auto asked =
        listModels(endpoint, std::move(key), [promise](CallReport report) { promise->set_value(std::move(report)); });
    CallReport none;
    if (!asked) {
        none.kind = ErrorKind::unreachable;
        none.message = asked.error().message;
        return none;
    }
    while (answer.wait_for(kCrank) != std::future_status::ready) {
        wait.goOn();
        if (interrupt.asked()) {
            none.kind = ErrorKind::cancelled;
            none.message = "Stopped before the list had come.";
            return none;
        }
    }
    return answer.get();
}

/// Runs the lanes one after another. False when interrupted.
bool runLanes(const SourceFactory& sources, std::vector<LaneConfig> lanes, const InterruptGuard& interrupt,
              const std::function<void(const Lane&)>& done) {
    const SteadyClock clock;
    Session session(sources, clock);
    session.setLanes(std::move(lanes));
    RunPlan plan;
    plan.sequential = true;
    if (!session.start(plan))
        return true;
    bool stopped = false;
    std::map<LaneId, LongWait> waits;
    QEventLoop loop;
    QTimer crank;
    crank.setTimerType(Qt::PreciseTimer);
    crank.setInterval(kCrank);
    QObject::connect(&crank, &QTimer::timeout, [&] {
        if (interrupt.asked() && !std::exchange(stopped, true))
            session.stop();
        session.pump();
        for (const auto& lane : session.lanes()) {
            const LaneConfig& config = lane->config();
            if (lane->inFlight())
                waits.try_emplace(config.id, "an answer to " + config.spec.endpoint.protocol).first->second.goOn();
        }
        if (!session.active())
            loop.quit();
    });
    crank.start();
    loop.exec();
    for (const auto& lane : session.lanes())
        done(*lane);
    return !stopped;
}

RunSpec question(const EndpointSpec& endpoint, const std::shared_ptr<const Secret>& key, const char* prompt,
                 int tokens) {
    RunSpec spec;
    spec.laneName = endpoint.protocol;
    spec.endpoint = endpoint;
    spec.key = key;
    spec.prompt = prompt;
    spec.sampling.maxTokens = tokens;
    spec.timeouts.connect = std::chrono::seconds(10);
    spec.timeouts.firstToken = kPatience;
    spec.timeouts.idle = std::chrono::seconds(15);
    spec.timeouts.total = std::chrono::seconds(90);
    return spec;
}

LaneConfig laneFor(RunSpec spec, std::size_t index) {
    LaneConfig lane;
    lane.id = static_cast<LaneId>(index + 1);
    lane.spec = std::move(spec);
    return lane;
}

void askForLists(ProbeFindings& findings, const EndpointSpec& endpoint, const std::vector<std::string>& protocols,
                 const std::shared_ptr<const Secret>& key, const ListCall& listModels,
                 const InterruptGuard& interrupt) {
    std::set<std::string> asked;
    for (const std::string& protocol : protocols) {
        EndpointSpec spec = endpoint;
        spec.protocol = protocol;
        const auto query = modelQuery(spec);
        if (!query || interrupt.asked())
            continue;
        // Two protocols may share a list, each with its own header for the key.
        const std::string header(key ? headerName(query->head.auth) : "");
        if (!asked.insert(query->url.target + ' ' + header).second)
            continue;
        ListFinding finding{query->url.text(), waitForList(listModels, spec, key, query->url.text(), interrupt), {}};
        const bool good =
            finding.report.kind == ErrorKind::none && finding.report.head && finding.report.head->status == 200;
        if (good)
            finding.models = modelsIn(spec, finding.report.body);
        if (finding.models && finding.models->empty())
            finding.models.reset();
        if (finding.models && findings.models.empty())
            findings.models = *finding.models;
        findings.lists.push_back(std::move(finding));
        if (!findings.lists.front().report.connected || findings.silent())
            return; // nobody is there, or nobody who says anything
    }
}

void askForTokens(ProbeFindings& findings, const EndpointSpec& endpoint, const std::vector<std::string>& protocols,
                  const std::shared_ptr<const Secret>& key, const SourceFactory& sources,
                  const InterruptGuard& interrupt) {
    std::vector<LaneConfig> lanes;
    for (const std::string& protocol : protocols) {
        ProtocolFinding finding;
        finding.endpoint = endpoint;
        finding.endpoint.protocol = protocol;
        finding.endpoint.model = findings.model;
        RunSpec spec = question(finding.endpoint, key, kTinyPrompt, kTinyTokens);
        if (const auto route = routeText(spec); !route)
            finding.notAsked = route.error().message;
        else if (const auto body = requestBody(spec); !body)
            finding.notAsked = body.error().message;
        else {
            finding.route = *route;
            lanes.push_back(laneFor(std::move(spec), findings.protocols.size()));
        }
        findings.protocols.push_back(std::move(finding));
    }
    const auto ask = [&](std::vector<LaneConfig> some) {
        return runLanes(sources, std::move(some), interrupt, [&](const Lane& lane) {
            ProtocolFinding& finding = findings.protocols[lane.config().id - 1];
            if (const LaneRun* run = lane.current()) {
                finding.record = run->record;
                finding.summary = run->summary;
            }
        });
    };
    if (findings.silent() && !lanes.empty()) {
        // One more question, and not as many waits as there are protocols.
        LaneConfig first = std::move(lanes.front());
        lanes.erase(lanes.begin());
        first.spec.timeouts.firstToken = kPatienceWithTheSilent;
        findings.interrupted = !ask({std::move(first)});
        if (findings.silent())
            for (const LaneConfig& lane : std::exchange(lanes, {}))
                findings.protocols[lane.id - 1].notAsked = "the first questions brought no answer at all";
    }
    if (!lanes.empty() && !findings.interrupted)
        findings.interrupted = !ask(std::move(lanes));
}

void askForAStream(ProbeFindings& findings, const std::shared_ptr<const Secret>& key, const SourceFactory& sources,
                   const InterruptGuard& interrupt) {
    const auto answering = std::find_if(findings.protocols.begin(), findings.protocols.end(),
                                        [](const ProtocolFinding& finding) { return finding.answers(); });
    if (answering == findings.protocols.end() || findings.interrupted)
        return;
    std::vector<LaneConfig> lanes{laneFor(question(answering->endpoint, key, kStreamPrompt, kStreamTokens), 0)};
    const bool whole = runLanes(sources, std::move(lanes), interrupt, [&](const Lane& lane) {
        if (const LaneRun* run = lane.current(); run && run->summary)
            findings.stream = judgeStream(run->record, *run->summary);
    });
    findings.interrupted = !whole;
    if (findings.stream)
        findings.stream->protocol = answering->endpoint.protocol;
}

/// The weightiest sign that something holds the stream back; null when none does.
const BufferingSign* heldBack(const RunSummary& summary) {
    const auto& signs = summary.buffering.signs; // the weightiest first
    const auto found = std::find_if(signs.begin(), signs.end(), [](const BufferingSign& sign) {
        return sign.kind == BufferingKind::notReallyStreamed || sign.kind == BufferingKind::proxyBuffer ||
               sign.kind == BufferingKind::bursts || sign.kind == BufferingKind::nagle;
    });
    return found == signs.end() ? nullptr : &*found;
}

} // namespace

bool ProtocolFinding::answers() const {
    if (!record)
        return false;
    // Tokens may be generated without being shown, as of hidden reasoning.
    const bool over = record->outcome == Outcome::complete || record->outcome == Outcome::notStreamed;
    return over ? !generatesNothing() : !record->events.empty();
}

bool ProtocolFinding::generatesNothing() const {
    if (!record)
        return false;
    // A finish reason or a count in its words tells it from the answer of another protocol.
    const bool cut = record->outcome == Outcome::truncated && record->events.empty() &&
                     (record->finish.has_value() || record->usage.has_value());
    return cut || broughtNothing(*record, countTokens(*record));
}

bool ProbeFindings::connected() const {
    return std::any_of(lists.begin(), lists.end(), [](const auto& list) { return list.report.connected; }) ||
           std::any_of(protocols.begin(), protocols.end(),
                       [](const auto& finding) { return finding.record && finding.record->head; });
}

bool ProbeFindings::silent() const {
    const CallReport* report = first();
    return report && report->connected && report->kind == ErrorKind::timeoutTotal && !report->head &&
           std::none_of(protocols.begin(), protocols.end(),
                        [](const auto& finding) { return finding.record && finding.record->head; });
}

bool ProbeFindings::anyAnswers() const {
    return std::any_of(protocols.begin(), protocols.end(), [](const auto& finding) { return finding.answers(); });
}

bool ProbeFindings::refused() const {
    return std::any_of(protocols.begin(), protocols.end(), [](const ProtocolFinding& finding) {
        return finding.record && finding.record->end && finding.record->end->kind == ErrorKind::auth;
    });
}

StreamFinding judgeStream(std::shared_ptr<const RunRecord> record, const RunSummary& summary) {
    StreamFinding finding;
    finding.record = std::move(record);
    finding.summary = summary;
    const auto events = summary.tokenEvents;
    const auto arrivals = summary.arrivals;
    if (finding.record->outcome == Outcome::notStreamed) {
        finding.verdict = Streaming::no;
        finding.evidence = "The answer came as a whole, although a stream was asked for.";
    } else if (const BufferingSign* sign = heldBack(summary)) {
        finding.verdict = sign->kind == BufferingKind::notReallyStreamed ? Streaming::no : Streaming::inBursts;
        finding.evidence = sign->evidence;
        finding.advice = sign->advice;
    } else if (arrivals < kFewestArrivals) {
        finding.evidence = fmt::format("{} came in {}, which is too little to tell.", counted(events, "event"),
                                       counted(arrivals, "arrival"));
    } else {
        finding.verdict = Streaming::yes;
        finding.evidence = fmt::format("{} came in {} over {:.1f} ms", counted(events, "event"),
                                       counted(arrivals, "arrival"), summary.decode.value_or(0) * 1e3);
        if (summary.itl)
            finding.evidence += fmt::format(", half of the gaps up to {:.1f} ms, the longest {:.1f} ms",
                                            summary.itl->p50 * 1e3, summary.itl->max * 1e3);
        finding.evidence += '.';
    }
    return finding;
}

ProbeFindings probe(const EndpointSpec& endpoint, const std::vector<std::string>& protocols,
                    std::shared_ptr<const Secret> key, const ListCall& listModels, const SourceFactory& sources) {
    const InterruptGuard interrupt;
    ProbeFindings findings;
    if (const auto url = parseUrl(endpoint.url))
        findings.place = url->text();
    askForLists(findings, endpoint, protocols, key, listModels, interrupt);
    findings.interrupted = interrupt.asked();
    const bool nobody = !findings.lists.empty() && !findings.lists.front().report.connected;
    if (nobody || findings.interrupted)
        return findings;
    findings.model = endpoint.model;
    if (findings.model.empty() && !findings.models.empty())
        findings.model = findings.models.front();
    askForTokens(findings, endpoint, protocols, key, sources, interrupt);
    askForAStream(findings, key, sources, interrupt);
    return findings;
}

} // namespace decodescope
