#include "app/probe.h"

#include "core/session/session.h"

#include <QEventLoop>
#include <QTimer>
#include <fmt/format.h>

#include <algorithm>
#include <future>
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

/// Asks for a list and waits, at most until the user interrupts.
CallReport waitForList(const ListCall& listModels, const EndpointSpec& endpoint, std::shared_ptr<const Secret> key,
                       const InterruptGuard& interrupt) {
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
    while (answer.wait_for(kCrank) != std::future_status::ready)
        if (interrupt.asked()) {
            none.kind = ErrorKind::cancelled;
            none.message = "Stopped before the list had come.";
            return none;
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
    QEventLoop loop;
    QTimer crank;
    crank.setTimerType(Qt::PreciseTimer);
    crank.setInterval(kCrank);
    QObject::connect(&crank, &QTimer::timeout, [&] {
        if (interrupt.asked() && !std::exchange(stopped, true))
            session.stop();
        session.pump();
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
    spec.timeouts.firstToken = std::chrono::seconds(60); // a model may have to be loaded
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
        ListFinding finding{query->url.text(), waitForList(listModels, spec, key, interrupt), {}};
        const bool good =
            finding.report.kind == ErrorKind::none && finding.report.head && finding.report.head->status == 200;
        if (good)
            finding.models = modelsIn(spec, finding.report.body);
        if (finding.models && finding.models->empty())
            finding.models.reset();
        if (finding.models && findings.models.empty())
            findings.models = *finding.models;
        findings.lists.push_back(std::move(finding));
        if (!findings.lists.front().report.connected)
            return; // nobody is there
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
    if (lanes.empty())
        return;
    const bool whole = runLanes(sources, std::move(lanes), interrupt, [&](const Lane& lane) {
        ProtocolFinding& finding = findings.protocols[lane.config().id - 1];
        if (const LaneRun* run = lane.current()) {
            finding.record = run->record;
            finding.summary = run->summary;
        }
    });
    findings.interrupted = !whole;
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
    const bool over = record->outcome == Outcome::complete || record->outcome == Outcome::notStreamed;
    const bool said = !record->events.empty() || !record->transcript.empty() || record->finish.has_value();
    return over ? said : !record->events.empty();
}

bool ProbeFindings::connected() const {
    return std::any_of(lists.begin(), lists.end(), [](const auto& list) { return list.report.connected; }) ||
           std::any_of(protocols.begin(), protocols.end(),
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
        finding.evidence = fmt::format("{} events came in {} arrivals, which is too little to tell.", events, arrivals);
    } else {
        finding.verdict = Streaming::yes;
        finding.evidence = fmt::format("{} events came in {} arrivals over {:.1f} ms", events, arrivals,
                                       summary.decode.value_or(0) * 1e3);
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
