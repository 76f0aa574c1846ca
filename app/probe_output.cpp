#include "app/probe_output.h"

#include "app/json_values.h"
#include "app/run_json.h"
#include "app/terminal.h"
#include "core/base/clock.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace decodescope {

namespace {

constexpr std::size_t kWordColumns = 200;
constexpr std::size_t kModelsShown = 8;

std::string header(const CallReport& report, std::string_view name) {
    if (!report.head)
        return {};
    const auto& headers = report.head->headers;
    const auto found = std::find_if(headers.begin(), headers.end(), [&](const auto& h) { return h.first == name; });
    return found != headers.end() ? found->second : std::string();
}

bool isHtml(const CallReport& report) {
    const std::string type = header(report, "content-type");
    return type.starts_with("text/html") || report.body.starts_with("<!") || report.body.starts_with("<html");
}

std::string ms(const std::optional<double>& seconds) {
    return seconds ? fmt::format("{:.1f} ms", *seconds * 1e3) : "-";
}
std::string ms(Duration duration) {
    return ms(toSeconds(duration));
}

std::string_view wordFor(Streaming verdict) {
    switch (verdict) {
    case Streaming::yes:
        return "yes";
    case Streaming::inBursts:
        return "in bursts";
    case Streaming::no:
        return "no";
    case Streaming::unclear:
        break;
    }
    return "unclear";
}

/// What came of asking one protocol, in a few words.
std::string resultOf(const ProtocolFinding& finding) {
    if (!finding.notAsked.empty())
        return "not asked: " + finding.notAsked;
    if (!finding.record)
        return "not asked";
    if (finding.answers())
        return finding.record->outcome == Outcome::notStreamed ? "answers, not as a stream" : "answers";
    if (finding.generatesNothing())
        return "answers, but generates nothing";
    const auto& end = finding.record->end;
    if (!end)
        return "no answer";
    if (end->kind == ErrorKind::none)
        return "answers with something else";
    const std::string status = end->httpStatus ? fmt::format("HTTP {}", *end->httpStatus) : std::string();
    switch (end->kind) {
    case ErrorKind::auth:
        return fmt::format("refuses the key, or wants one ({})", status);
    case ErrorKind::redirect:
        return fmt::format("redirects to {} ({}); not followed", end->redirectTo, status);
    case ErrorKind::badContentType:
        return "answers with a page or something else that is no stream";
    case ErrorKind::httpStatus:
        if (end->httpStatus == 404 || end->httpStatus == 405)
            return fmt::format("no such route ({})", status);
        break;
    default:
        break;
    }
    return fmt::format("{}{}{}", toString(end->kind), status.empty() ? "" : " (" + status + ")",
                       end->message.empty() ? "" : ": " + end->message);
}

Json connectionJson(const CallReport& report) {
    const ConnectionFacts& facts = report.connection;
    const bool up = report.connected;
    return {{"peer", jsonTextOrNull(facts.peer)},
            {"proxy", jsonTextOrNull(facts.proxy)},
            {"connect_s", up ? jsonNumber(toSeconds(report.openingTook - facts.tlsTook)) : Json(nullptr)},
            {"tls_s", facts.tlsVersion.empty() ? Json(nullptr) : jsonNumber(toSeconds(facts.tlsTook))},
            {"first_byte_s", report.firstByteTook ? jsonNumber(toSeconds(*report.firstByteTook)) : Json(nullptr)},
            {"tls_version", jsonTextOrNull(facts.tlsVersion)},
            {"tls_verified", facts.tlsVersion.empty() ? Json(nullptr) : Json(!facts.unverified)},
            {"certificate_sha256", jsonTextOrNull(facts.certificate)},
            {"http_version", report.head ? jsonTextOrNull(report.head->httpVersion) : Json(nullptr)},
            {"server", jsonTextOrNull(header(report, "server"))}};
}

Json errorJson(ErrorKind kind, const std::string& message) {
    if (kind == ErrorKind::none)
        return nullptr;
    return {{"kind", toString(kind)}, {"message", jsonText(message)}};
}

Json listJson(const ListFinding& list) {
    return {{"route", jsonText(list.route)},
            {"http_status", list.report.head ? Json(list.report.head->status) : Json(nullptr)},
            {"models", list.models ? Json(list.models->size()) : Json(nullptr)},
            {"html", isHtml(list.report)},
            {"error", errorJson(list.report.kind, list.report.message)}};
}

Json protocolJson(const ProtocolFinding& finding) {
    const RunRecord* record = finding.record.get();
    const bool ended = record && record->end;
    return {{"protocol", finding.endpoint.protocol},
            {"route", jsonTextOrNull(finding.route)},
            {"answers", finding.answers()},
            {"result", jsonText(resultOf(finding))},
            {"outcome", record ? Json(toString(record->outcome)) : Json(nullptr)},
            {"http_status", ended && record->end->httpStatus ? Json(*record->end->httpStatus) : Json(nullptr)},
            {"redirect_to", ended ? jsonTextOrNull(record->end->redirectTo) : Json(nullptr)},
            {"error", ended ? errorJson(record->end->kind, record->end->message) : Json(nullptr)},
            {"ttft_s", finding.summary ? jsonNumber(finding.summary->ttft) : Json(nullptr)},
            {"token_events", record ? Json(record->events.size()) : Json(nullptr)}};
}

Json streamJson(const StreamFinding& stream) {
    const RunSummary& s = stream.summary;
    const Json really = stream.verdict == Streaming::unclear ? Json(nullptr) : Json(stream.verdict != Streaming::no);
    return {{"protocol", stream.protocol},
            {"really_streams", really},
            {"verdict", wordFor(stream.verdict)},
            {"evidence", jsonText(stream.evidence)},
            {"try", jsonTextOrNull(stream.advice)},
            {"buffering", bufferingJson(s)},
            {"outcome", toString(stream.record->outcome)},
            {"ttft_s", jsonNumber(s.ttft)},
            {"decode_tps", jsonNumber(s.decodeTps)},
            {"token_events", s.tokenEvents},
            {"arrivals", s.arrivals},
            {"gap_p50_s", s.itl ? jsonNumber(s.itl->p50) : Json(nullptr)},
            {"gap_max_s", s.itl ? jsonNumber(s.itl->max) : Json(nullptr)},
            {"token_source", toString(s.tokens.source)},
            {"provider", jsonTextOrNull(stream.record->identity.provider)},
            {"flags", s.flags}};
}

std::string connectionLines(const CallReport& report) {
    std::string text;
    const ConnectionFacts& facts = report.connection;
    const bool tls = !facts.tlsVersion.empty();
    text += fmt::format("Connection   {}{}, opened in {}{}\n", facts.peer.empty() ? "up" : facts.peer,
                        facts.proxy.empty() ? "" : " through the proxy " + facts.proxy,
                        ms(report.openingTook - facts.tlsTook), tls ? ", TLS in " + ms(facts.tlsTook) : "");
    if (tls)
        text += fmt::format("TLS          {}{}\nCertificate  SHA-256 {}\n", facts.tlsVersion,
                            facts.unverified ? ", not verified: any certificate is taken, as was asked" : "",
                            facts.certificate.empty() ? "not told" : facts.certificate);
    if (report.firstByteTook)
        text += fmt::format("First byte   {} after the first question\n", ms(*report.firstByteTook));
    if (report.head)
        text += fmt::format("HTTP         {}, server {}\n", report.head->httpVersion,
                            header(report, "server").empty() ? "not told" : oneLine(header(report, "server"), 60));
    return text;
}

std::string modelLine(const ProbeFindings& findings) {
    if (findings.models.empty())
        return "Models       none listed\n";
    std::vector<std::string> shown;
    for (const std::string& model : findings.models) {
        if (shown.size() == kModelsShown)
            break;
        shown.push_back(oneLine(model, 60));
    }
    const std::size_t more = findings.models.size() - shown.size();
    return fmt::format("Models       {}{}\n", fmt::join(shown, ", "),
                       more > 0 ? fmt::format(" and {} more", more) : "");
}

} // namespace

std::string probeVerdict(const ProbeFindings& findings) {
    const CallReport* first = findings.first();
    if (first && !first->connected)
        return first->message.empty() ? "Nobody answers there." : first->message;
    if (findings.interrupted)
        return "Interrupted before everything was asked.";
    std::vector<std::string> answering;
    for (const ProtocolFinding& finding : findings.protocols) {
        if (finding.answers())
            answering.push_back(finding.endpoint.protocol);
    }
    if (!answering.empty()) {
        std::string text = fmt::format("{} answers to {}.", findings.place, fmt::join(answering, ", "));
        if (findings.stream)
            text +=
                fmt::format(" Really streams: {}. {}{}{}", wordFor(findings.stream->verdict), findings.stream->evidence,
                            findings.stream->advice.empty() ? "" : " ", findings.stream->advice);
        return text;
    }
    for (const ProtocolFinding& finding : findings.protocols) {
        if (finding.record && finding.record->end && finding.record->end->kind == ErrorKind::redirect)
            return fmt::format(
                "{} redirects to {}, which was not followed. Probe that address instead if you trust it.",
                findings.place, finding.record->end->redirectTo);
    }
    if (findings.silent())
        return fmt::format("{} takes connections and says nothing, not even to a question for its models. Is it busy, "
                           "or no HTTP server?",
                           findings.place);
    if (findings.refused())
        return fmt::format("{} refuses the key, or wants one.", findings.place);
    if (std::any_of(findings.protocols.begin(), findings.protocols.end(),
                    [](const auto& finding) { return finding.generatesNothing(); }))
        return fmt::format("{} answers, but generates nothing: not a single token came. Try another model with "
                           "--model, or look into the server's log.",
                           findings.place);
    if (std::any_of(findings.lists.begin(), findings.lists.end(), [](const auto& l) { return isHtml(l.report); }))
        return fmt::format("{} answers with a web page (HTML), not with an API. Is the address right?", findings.place);
    if (findings.model.empty())
        return fmt::format("{} answers, but to no protocol without a model. Name one with --model.", findings.place);
    return fmt::format("{} answers, but to none of the protocols that were tried.", findings.place);
}

std::string probeForPeople(const ProbeFindings& findings) {
    std::string text = fmt::format("Address      {}\n", findings.place);
    if (const CallReport* first = findings.first(); first && first->connected)
        text += connectionLines(*first) + modelLine(findings);
    if (!findings.model.empty())
        text += fmt::format("Asked        {}\n", oneLine(findings.model, 80));
    if (!findings.protocols.empty())
        text += fmt::format("\n{:<21} {:>10}  {}\n", "Protocol", "TTFT", "Result");
    for (const ProtocolFinding& finding : findings.protocols)
        text +=
            fmt::format("{:<21} {:>10}  {}\n", finding.endpoint.protocol,
                        finding.summary ? ms(finding.summary->ttft) : "-", oneLine(resultOf(finding), kWordColumns));
    return text + '\n' + oneLine(probeVerdict(findings), 1000) + '\n';
}

std::string probeAsJson(const ProbeFindings& findings) {
    Json lists = Json::array();
    for (const ListFinding& list : findings.lists)
        lists.push_back(listJson(list));
    Json protocols = Json::array();
    for (const ProtocolFinding& finding : findings.protocols)
        protocols.push_back(protocolJson(finding));
    Json models = Json::array();
    for (const std::string& model : findings.models)
        models.push_back(jsonText(model));
    const CallReport* first = findings.first();
    const bool unreachable = first && !first->connected;
    const Json all = {{"schema", 1},
                      {"url", jsonText(findings.place)},
                      {"reachable", findings.connected()},
                      {"error", unreachable ? errorJson(first->kind, first->message) : Json(nullptr)},
                      {"connection", first ? connectionJson(*first) : Json(nullptr)},
                      {"models", std::move(models)},
                      {"model", jsonTextOrNull(findings.model)},
                      {"lists", std::move(lists)},
                      {"protocols", std::move(protocols)},
                      {"streaming", findings.stream ? streamJson(*findings.stream) : Json(nullptr)},
                      {"verdict", jsonText(probeVerdict(findings))}};
    return jsonDump(all) + '\n';
}

} // namespace decodescope
