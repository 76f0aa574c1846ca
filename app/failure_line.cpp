#include "app/failure_line.h"

#include "app/credentials.h"
#include "app/terminal.h"
#include "core/metrics/metrics.h"
#include "core/metrics/no_tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace decodescope {

namespace {

constexpr int kFirstNoSuccess = 300;
constexpr std::size_t kSaidColumns = 300; // a server may say much, and the advice is to be seen

/// Host and path of the route; what stands behind a '?' says nothing of where.
std::string whereOf(const RunRecord& record) {
    if (record.spec.local)
        return {};
    std::string_view route = record.route;
    if (const std::size_t scheme = route.find("://"); scheme != std::string_view::npos)
        route.remove_prefix(scheme + 3);
    return std::string(route.substr(0, route.find('?')));
}

std::string adviceForStatus(int status) {
    switch (status) {
    case 404:
    case 405:
        return "Is the address right? `decodescope probe URL` tells what answers there.";
    case 408:
    case 504:
        return "The server, or a proxy before it, did not wait for the answer: ask for fewer tokens or raise its "
               "limit.";
    case 413:
        return "Send a shorter prompt.";
    default:
        return status >= 500 ? "The fault is the server's: look into its log, or try again later." : std::string();
    }
}

std::string adviceForKey(const RunRecord& record) {
    const KeyReference& key = record.spec.endpoint.key;
    if (key.kind == KeyReference::Kind::none)
        return "Give a key with --key-env, --key-file or --key-stdin.";
    return fmt::format("Check the key {}, and what it is allowed to do.", describe(key));
}

/// What may help; empty where nothing is known to, or the message says it itself.
std::string adviceFor(const RunRecord& record, const StreamEnd& end) {
    switch (end.kind) {
    case ErrorKind::auth:
        return adviceForKey(record);
    case ErrorKind::rateLimited:
        return end.retryAfterMs ? fmt::format("Try again after {:g} s.", static_cast<double>(*end.retryAfterMs) / 1e3)
                                : "Try again later, or with fewer lanes at once.";
    case ErrorKind::loading:
        return "Try again when the server has loaded its model.";
    case ErrorKind::redirect:
        return end.redirectTo.empty() ? "Check the address."
                                      : "It was not followed: name that address in place of this one if you trust it.";
    case ErrorKind::badContentType:
        return "Is the address right? `decodescope probe URL` tells what answers there.";
    case ErrorKind::blocked:
        return "Ask something else, or change the server's filter.";
    case ErrorKind::truncated:
    case ErrorKind::connectionClosed:
    case ErrorKind::inStream:
    case ErrorKind::malformed:
        return record.spec.local ? std::string() : "Look into the log of the server, or of a proxy before it.";
    case ErrorKind::httpStatus:
        return adviceForStatus(end.httpStatus.value_or(0));
    default:
        return {};
    }
}

/// Transports name the place and what to try in their own sentences.
bool saysAll(ErrorKind kind) {
    switch (kind) {
    case ErrorKind::unreachable:
    case ErrorKind::tls:
    case ErrorKind::timeoutConnect:
    case ErrorKind::timeoutFirstToken:
    case ErrorKind::timeoutIdle:
    case ErrorKind::timeoutTotal:
    case ErrorKind::suspended:
    case ErrorKind::cancelled:
        return true;
    default:
        return false;
    }
}

std::string joined(std::string text, const std::string& sentence) {
    if (text.empty() || sentence.empty())
        return text + sentence;
    if (std::string_view(".!?").find(text.back()) == std::string_view::npos)
        text += '.';
    return text + ' ' + sentence;
}

} // namespace

std::string failureLine(const RunRecord& record) {
    const std::string where = whereOf(record);
    const std::string place = where.empty() ? std::string() : " at " + where;
    if (record.outcome == Outcome::interrupted)
        return "interrupted: the recording holds no end of this run: the program that made it was stopped, or its disk "
               "was full.";
    if (broughtNothing(record, countTokens(record)))
        return fmt::format("no tokens{}: the server ended its answer without generating anything. The prompt may be "
                           "longer than its context.",
                           place);
    if (record.outcome == Outcome::complete || record.outcome == Outcome::notStreamed)
        return {};
    const StreamEnd end = record.end.value_or(StreamEnd{});
    const std::string_view kind = end.kind == ErrorKind::none ? toString(record.outcome) : toString(end.kind);
    if (saysAll(end.kind))
        return end.message.empty() ? std::string(kind) : fmt::format("{}: {}", kind, end.message);
    const bool refused = end.httpStatus && *end.httpStatus >= kFirstNoSuccess;
    const std::string what =
        refused ? fmt::format("{} {}{}", *end.httpStatus, kind, place) : fmt::format("{}{}", kind, place);
    const std::string said = joined(oneLine(end.message, kSaidColumns), adviceFor(record, end));
    return said.empty() ? what : fmt::format("{}: {}", what, said);
}

} // namespace decodescope
