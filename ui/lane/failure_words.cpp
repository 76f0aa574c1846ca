#include "ui/lane/failure_words.h"

#include "core/base/fingerprint.h"
#include "core/source/request.h"
#include "ui/theme/format.h"

#include <QCoreApplication>
#include <QUrl>

namespace decodescope {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("FailureWords", text);
}

ErrorKind kindOf(const RunRecord& record) {
    if (record.end && record.end->kind != ErrorKind::none)
        return record.end->kind;
    return record.outcome == Outcome::truncated ? ErrorKind::truncated : ErrorKind::connectionClosed;
}

QString within(const std::optional<Duration>& limit) {
    return limit ? formatDuration(toSeconds(*limit)).joined() : tr("the time allowed");
}

QString statusOf(const RunRecord& record) {
    if (record.end && record.end->httpStatus)
        return QString::number(*record.end->httpStatus);
    return record.head ? QString::number(record.head->status) : QString();
}

/// What a local lane's source says of its engine: the cause, and the last lines of its stderr.
struct EngineDeath {
    QString cause;
    QString lastLines;
};

/// Nothing when another server than our engine answered, or the engine was not the cause.
std::optional<EngineDeath> engineDeath(const RunRecord& record, const RunSpec& spec) {
    const ErrorKind kind = kindOf(record);
    if (!spec.local || !record.end || record.end->message.empty() ||
        (kind != ErrorKind::unreachable && kind != ErrorKind::connectionClosed))
        return std::nullopt;
    const QString message = QString::fromStdString(record.end->message);
    static const QString kSaid = QStringLiteral(" It said last:\n"); // as EngineProcess joins them
    const qsizetype at = message.indexOf(kSaid);
    return at < 0 ? EngineDeath{message, {}} : EngineDeath{message.left(at), message.mid(at + kSaid.size())};
}

QString sentenceFor(const RunRecord& record, const RunSpec& spec) {
    const bool keyGiven = spec.endpoint.key.kind != KeyReference::Kind::none || spec.key;
    switch (kindOf(record)) {
    case ErrorKind::auth:
        return keyGiven ? tr("The endpoint refused the key.") : tr("The endpoint asks for a key.");
    case ErrorKind::rateLimited:
        return tr("The endpoint asks to wait: too many requests.");
    case ErrorKind::loading:
        return tr("The server is still loading its model.");
    case ErrorKind::redirect:
        return tr("The endpoint sends requests to another address.");
    case ErrorKind::blocked:
        return tr("A filter of the endpoint refused the prompt.");
    case ErrorKind::badContentType:
        return tr("The answer is no event stream.");
    case ErrorKind::tooLarge:
        return tr("The answer is larger than this program takes.");
    case ErrorKind::malformed:
        return tr("The answer cannot be read.");
    case ErrorKind::unreachable:
        return tr("No server answers at this address.");
    case ErrorKind::tls:
        return tr("The secure connection could not be made.");
    case ErrorKind::timeoutConnect:
        return tr("No connection within %1.").arg(within(spec.timeouts.connect));
    case ErrorKind::timeoutFirstToken:
        return tr("No token within %1.").arg(within(spec.timeouts.firstToken));
    case ErrorKind::timeoutIdle:
        return tr("The stream stood still for %1.").arg(within(spec.timeouts.idle));
    case ErrorKind::timeoutTotal:
        return tr("The run was not over within %1.").arg(within(spec.timeouts.total));
    case ErrorKind::inStream:
        return tr("The server reported an error in the stream.");
    case ErrorKind::httpStatus:
        return tr("The endpoint answered with an error, %1.").arg(statusOf(record));
    case ErrorKind::truncated:
        return tr("The stream ended without saying that it was over.");
    case ErrorKind::connectionClosed:
        return record.events.empty() ? tr("The connection was lost before the first token.")
                                     : tr("The server closed the connection in mid-sentence.");
    case ErrorKind::suspended:
        return tr("This machine slept during the run, so that its times mean nothing.");
    case ErrorKind::cancelled:
        return tr("The run was stopped.");
    case ErrorKind::none:
        break;
    }
    return tr("The run did not end well.");
}

QString doneFor(const RunRecord& record) {
    if (record.events.empty())
        return tr("Nothing was generated, and nothing was retried.");
    QStringList missing;
    if (!record.finish)
        missing << tr("no finish reason");
    if (!record.usage)
        missing << tr("no usage");
    QString words = record.events.size() == 1
                        ? tr("1 event")
                        : tr("%1 events").arg(formatCount(static_cast<double>(record.events.size())));
    if (!missing.isEmpty())
        words += tr(", then ") + missing.join(QStringLiteral(", "));
    return words + QLatin1Char('.');
}

QString keyFact(const RunSpec& spec) {
    QString from;
    const QString name = QString::fromStdString(spec.endpoint.key.name);
    switch (spec.endpoint.key.kind) {
    case KeyReference::Kind::environment:
        from = tr("%1 (environment)").arg(name);
        break;
    case KeyReference::Kind::file:
        from = tr("%1 (file)").arg(name);
        break;
    case KeyReference::Kind::standardInput:
        from = tr("from standard input");
        break;
    case KeyReference::Kind::session:
        from = tr("typed in, for this session");
        break;
    case KeyReference::Kind::keychain:
        from = tr("from the keychain");
        break;
    case KeyReference::Kind::none:
        return tr("none");
    }
    if (spec.key)
        from += QStringLiteral(", ") + tr("%1 characters").arg(spec.key->size());
    return from;
}

/// Without the sentence that names the fingerprint, which is a fact of its own then.
QString reasonOf(const RunRecord& record, const QString& fingerprint) {
    QString reason = QString::fromStdString(record.end->message);
    if (!fingerprint.isEmpty())
        reason.remove(QStringLiteral(" Its ") +
                      QString::fromUtf8(kFingerprintIs.data(), static_cast<qsizetype>(kFingerprintIs.size())) +
                      fingerprint + QLatin1Char('.'));
    return reason;
}

QString answerFact(const RunRecord& record) {
    QString answer = statusOf(record);
    if (answer.isEmpty())
        return {};
    static const std::pair<const char*, const char*> kReasons[] = {{"200", "OK"},
                                                                   {"400", "Bad Request"},
                                                                   {"401", "Unauthorized"},
                                                                   {"402", "Payment Required"},
                                                                   {"403", "Forbidden"},
                                                                   {"404", "Not Found"},
                                                                   {"422", "Unprocessable Content"},
                                                                   {"429", "Too Many Requests"},
                                                                   {"500", "Internal Server Error"},
                                                                   {"502", "Bad Gateway"},
                                                                   {"503", "Service Unavailable"},
                                                                   {"504", "Gateway Timeout"}};
    for (const auto& [status, reason] : kReasons) {
        if (answer == QLatin1String(status)) {
            answer += QLatin1Char(' ') + QLatin1String(reason);
            break;
        }
    }
    if (record.started && record.firstByte)
        answer += tr(" after %1").arg(formatDuration(toSeconds(*record.firstByte - *record.started)).joined());
    if (record.end && !record.end->body.empty())
        answer += QStringLiteral(", ") + formatBytes(static_cast<double>(record.end->body.size()));
    return answer;
}

} // namespace

FailureWords failureWords(const RunRecord& record, const RunSpec& spec) {
    FailureWords words;
    const auto death = engineDeath(record, spec);
    words.sentence = death ? death->cause : sentenceFor(record, spec);
    words.done = doneFor(record);
    const ErrorKind kind = kindOf(record);
    words.keyMatters = kind == ErrorKind::auth;
    words.answered = record.firstByte.has_value();
    if (spec.local) {
        words.facts.emplace_back(tr("Model"), QString::fromStdString(spec.local->path));
    } else {
        const QUrl route(QString::fromStdString(record.route.empty() ? spec.endpoint.url : record.route));
        words.facts.emplace_back(
            tr("Asked"),
            QStringLiteral("POST ") +
                route.toString(QUrl::RemoveScheme | QUrl::RemoveUserInfo | QUrl::RemoveQuery | QUrl::FullyEncoded)
                    .remove(0, 2));
    }
    if (words.keyMatters || spec.key)
        words.facts.emplace_back(tr("Key"), keyFact(spec));
    if (const QString answer = answerFact(record); !answer.isEmpty())
        words.facts.emplace_back(tr("Answer"), answer);
    if (!record.end)
        return words;
    if (kind == ErrorKind::tls)
        words.fingerprint = QString::fromStdString(fingerprintIn(record.end->message));
    const auto pins = [&words](const RunSpec& pinned) {
        return QString::fromStdString(pinned.endpoint.pinnedCertificate) == words.fingerprint;
    };
    if (!words.fingerprint.isEmpty() && pins(spec) && !pins(record.spec)) {
        words.trusted = true;
        words.done = tr("The certificate is pinned now. Press Run lane again.");
    }
    if (!words.fingerprint.isEmpty())
        words.facts.emplace_back(tr("SHA-256"), words.fingerprint);
    if (const auto status = record.end->httpStatus; (status == 400 || status == 422) && !spec.local) {
        const std::string hint = refusalHint(spec, record.end->body.empty() ? record.end->message : record.end->body);
        if (!hint.empty())
            words.facts.emplace_back(tr("Perhaps"), QString::fromStdString(hint));
    }
    if (!record.end->redirectTo.empty())
        words.facts.emplace_back(tr("To"), QString::fromStdString(record.end->redirectTo));
    if (record.end->retryAfterMs)
        words.facts.emplace_back(
            tr("Try again"),
            tr("in %1").arg(formatDuration(static_cast<double>(*record.end->retryAfterMs) / 1000).joined()));
    words.body = QString::fromStdString(record.end->body);
    if (death)
        words.body = death->lastLines;
    else if (words.body.isEmpty() && !record.end->message.empty())
        words.facts.push_back(words.reason = {kind == ErrorKind::inStream ? tr("Server") : tr("Reason"),
                                              reasonOf(record, words.fingerprint)});
    return words;
}

QString failureKeyword(const RunRecord& record) {
    if (record.end && record.end->httpStatus && *record.end->httpStatus >= 300)
        return QString::number(*record.end->httpStatus);
    switch (kindOf(record)) {
    case ErrorKind::unreachable:
        return tr("no connection");
    case ErrorKind::tls:
        return tr("no secure connection");
    case ErrorKind::timeoutConnect:
    case ErrorKind::timeoutFirstToken:
    case ErrorKind::timeoutIdle:
    case ErrorKind::timeoutTotal:
        return tr("time-out");
    case ErrorKind::inStream:
        return tr("error in the stream");
    case ErrorKind::badContentType:
        return tr("no event stream");
    case ErrorKind::connectionClosed:
        return tr("connection lost");
    case ErrorKind::tooLarge:
        return tr("too large");
    case ErrorKind::suspended:
        return tr("machine slept");
    case ErrorKind::blocked:
        return tr("blocked");
    default:
        return tr("no usable answer");
    }
}

} // namespace decodescope
