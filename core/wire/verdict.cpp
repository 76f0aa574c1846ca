#include "core/wire/verdict.h"

#include "core/base/redaction.h"
#include "core/base/utf8.h"
#include "core/wire/retry_after.h"
#include "core/wire/server_error.h"
#include "core/wire/url_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace decodescope {
namespace {

constexpr int kLastSuccess = 299;
constexpr int kFirstError = 400;
constexpr int kProxyWantsLogin = 407;

std::string lowerCase(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
    return text;
}

ErrorKind kindOfStatus(int status, const std::string& message) {
    if (status < kFirstError)
        return ErrorKind::redirect;
    switch (status) {
    case 401:
    case 403:
        return ErrorKind::auth;
    case 429:
        return ErrorKind::rateLimited;
    case 503:
        return lowerCase(message).find("loading") != std::string::npos ? ErrorKind::loading : ErrorKind::httpStatus;
    default:
        return ErrorKind::httpStatus;
    }
}

void take(StreamEnd& end, ServerError error) {
    end.message = std::move(error.message);
    end.code = std::move(error.code);
    end.codeIsNumber = error.codeIsNumber;
}

void asError(StreamEnd& end, ErrorKind kind, std::string message) {
    end.verdict = StreamEnd::Verdict::error;
    end.kind = kind;
    end.message = std::move(message);
}

void asTruncated(StreamEnd& end, const MessageReader& reader) {
    end.verdict = StreamEnd::Verdict::incomplete;
    end.kind = ErrorKind::truncated;
    end.message =
        reader.anyFragment()
            ? "The stream ended without a finish reason: the answer is probably cut off."
            : "The server ended its answer without generating anything: the prompt may be longer than its context.";
}

void judgeStatus(StreamEnd& end, const ResponseFacts& facts) {
    end.verdict = StreamEnd::Verdict::error;
    take(end, errorFromBody(end.body));
    end.kind = kindOfStatus(facts.status, end.message);
    end.retryAfterMs = retryAfterMs(facts.headers);
    const std::string statusLine = facts.reason.empty() ? fmt::format("HTTP status {}", facts.status)
                                                        : fmt::format("{} {}", facts.status, facts.reason);
    if (end.kind == ErrorKind::redirect) {
        // A login or token in it is for whoever follows, which nobody here does.
        const std::string_view location = headerValue(facts.headers, "location");
        end.redirectTo = urlWithoutKeys(resolveReference(facts.requestUrl, location));
        end.message = location.empty()
                          ? statusLine
                          : fmt::format("{}: the server redirects to {}", statusLine,
                                        end.redirectTo.empty() ? urlWithoutKeys(location) : end.redirectTo);
    } else if (facts.status == kProxyWantsLogin) {
        end.message = fmt::format("{}: if a proxy is set for this host, it asks for a login: put that into the proxy's "
                                  "address, as in http://user:password@host:port, or correct the one that is there. "
                                  "Without a proxy it is the server itself that answers so.",
                                  statusLine);
    } else if (end.message.empty()) {
        end.message = statusLine;
    }
}

std::string_view cutMessage(const ResponseFacts& facts) {
    if (!facts.anyBytes)
        return "The server closed the connection without an answer.";
    if (!facts.headDone)
        return "The connection closed inside the head of the answer.";
    return "The connection closed in the middle of the answer.";
}

} // namespace

StreamEnd judge(const ResponseFacts& facts, const TransportEnd& transport, const MessageReader& reader,
                std::string_view keptBody) {
    StreamEnd end;
    if (facts.headDone)
        end.httpStatus = facts.status;
    end.notStreamed = facts.whole;
    const bool nothing = !reader.anyFragment() && reader.saysNothingGenerated(); // whatever reason it gives
    const bool ownStatus = facts.headDone && (facts.status > kLastSuccess || facts.status < 200);
    if (ownStatus || facts.refused)
        end.body = repairUtf8(keptBody).text;

    if (ownStatus) {
        judgeStatus(end, facts);
    } else if (reader.error()) {
        end.verdict = StreamEnd::Verdict::error;
        end.kind = reader.error()->kind;
        take(end, *reader.error());
        if (end.message.empty())
            end.message = "The server reported an error without saying which.";
    } else if (reader.doneSeen()) {
        // An end with nothing before it proves nothing: typically a prompt longer than the context.
        if (nothing || (!reader.anyFragment() && !reader.finished()))
            asTruncated(end, reader);
    } else if (facts.failure != ErrorKind::none) {
        asError(end, facts.failure, facts.failureMessage);
    } else if (facts.refused) {
        const std::string title = htmlTitle(end.body);
        asError(end, ErrorKind::badContentType, title.empty() ? facts.failureMessage : title);
    } else if (facts.whole || reader.finished()) {
        // A finish reason ends the measurement; how the connection was closed after it does not matter.
        if (nothing)
            asTruncated(end, reader);
    } else if (reader.over()) {
        // The [DONE] of a proxy, in a protocol that has an end of its own.
        if (reader.dialect().tellsItsEnd() || !reader.anyFragment())
            asTruncated(end, reader);
    } else if (transport.kind != ErrorKind::none) {
        asError(end, transport.kind, transport.message);
    } else if (!facts.cleanEnd) {
        asError(end, ErrorKind::connectionClosed, std::string(cutMessage(facts)));
    } else if (reader.dialect().tellsItsEnd() || !reader.anyFragment()) {
        asTruncated(end, reader);
    }
    return end;
}

} // namespace decodescope
