#include "ui/lane/lane_words.h"

#include "core/base/redaction.h"
#include "core/metrics/no_tokens.h"
#include "ui/lane/engine_words.h"
#include "ui/lane/failure_words.h"
#include "ui/theme/stall_marks.h"

#include <QCoreApplication>
#include <QUrl>

#include <algorithm>
#include <cmath>
#include <map>

namespace decodescope {
namespace {

constexpr QChar kThinSpace(0x2009);

QString tr(const char* text, int n = -1) {
    return QCoreApplication::translate("LaneWords", text, nullptr, n);
}

bool kernelClock(const LaneShot& shot) {
    return shot.record && (shot.record->clock == ClockSource::kernel || shot.record->clock == ClockSource::engine);
}

std::optional<double> totalS(const LaneShot& shot) {
    if (!shot.record || !shot.record->started || !shot.record->finished)
        return std::nullopt;
    return toSeconds(*shot.record->finished - *shot.record->started);
}

QString at(const LaneShot& shot) {
    return formatDuration(totalS(shot)).joined();
}

StateWords runningWords(const LaneShot& shot) {
    if (shot.stalled()) {
        const double length = toSeconds(*shot.now - shot.record->events.back().at);
        return {QStringLiteral("stalled"), tr("Stalled %1").arg(countingSeconds(length)), &Colours::stall,
                &Colours::stall};
    }
    return {QStringLiteral("run"), tr("Running %1").arg(countingSeconds(shot.elapsedS().value_or(0))), nullptr,
            &Colours::ink};
}

/// Whether what stands there is no whole result (look.md 33).
bool partial(LaneState state) {
    return state == LaneState::cut || state == LaneState::cancelled;
}

LaneNumber ttftNumber(const LaneShot& shot) {
    LaneNumber number;
    number.label = tr("TTFT");
    number.tip = tr("Time to first token: from the request to the first generated text, t1 \u2212 t0");
    if (shot.state == LaneState::waiting) {
        number.label = tr("waited");
        number.value = countingSeconds(shot.elapsedS().value_or(0)).section(kThinSpace, 0, 0);
        number.unit = QStringLiteral("s");
        number.dim = true;
        return number;
    }
    const Quantity ttft = formatDuration(shot.summary ? shot.summary->ttft : std::nullopt);
    number.value = ttft.value;
    number.unit = ttft.unit;
    if (ttft.unit.isEmpty() && ttft.value == enDash())
        number.tip = tr("No token has come");
    return number;
}

LaneNumber rateNumber(const LaneShot& shot, RateUnit unit) {
    LaneNumber number;
    std::optional<double> rate;
    const bool counted = shot.summary && shot.summary->tokens.basis != TokenBasis::none;
    const bool events = unit == RateUnit::tokens && shot.summary && !counted && shot.summary->tokenEvents > 0;
    if (unit == RateUnit::characters) {
        number.label = tr("Text rate");
        number.unit = tr("chars/s");
        number.briefUnit = tr("ch/s");
        number.tip = tr("Characters of the answer after its first arrival, a second");
        rate = shot.summary ? shot.summary->charsPerS : std::nullopt;
    } else if (unit == RateUnit::words) {
        number.label = tr("Text rate");
        number.unit = tr("words/s");
        number.briefUnit = tr("wd/s");
        number.tip = tr("Words of the answer after its first arrival, a second");
        rate = shot.summary ? shot.summary->wordsPerS : std::nullopt;
    } else if (events) {
        number.label = tr("Event rate");
        number.unit = tr("events/s");
        number.briefUnit = tr("ev/s");
        number.tip = tr(
            "The server does not tell how many tokens an event holds: events a second, (E \u2212 e1) / (tn \u2212 t1)");
        rate = shot.summary->eventsPerS;
    } else {
        number.label = tr("TPS");
        number.unit = tr("tok/s");
        number.tip =
            tr("Decode rate: tokens after the first arrival over the time they took, (n \u2212 k1) / (tn \u2212 t1)");
        rate = shot.summary ? shot.summary->decodeTps : std::nullopt;
    }
    if (shot.state == LaneState::cut && unit == RateUnit::tokens && !events)
        number.label = tr("TPS until the cut");
    else if (shot.state == LaneState::cancelled && unit == RateUnit::tokens && !events)
        number.label = tr("TPS until the stop");
    number.value = formatRate(rate);
    if (number.value == enDash()) {
        number.unit.clear();
        number.briefUnit.clear();
        if (shot.state == LaneState::notStreamed)
            number.tip = tr("The answer came whole: it has no decode rate");
        else
            number.tip = tr("Undefined with fewer than two arrivals");
    }
    return number;
}

LaneNumber gapNumber(const LaneShot& shot) {
    LaneNumber number;
    number.label = tr("Gap p50 / p99");
    if (!shot.summary || !shot.summary->itl) {
        number.value = enDash();
        number.second = enDash();
        number.tip = tr("Gaps appear with the second token");
        return number;
    }
    const Distribution& gaps = *shot.summary->itl;
    constexpr std::uint64_t kEnoughForP99 = 100;
    // One unit for both, and one number of decimals: what the larger one needs.
    const bool seconds = gaps.p99 >= 9.9995;
    const bool tenths = kernelClock(shot) && gaps.p50 < 0.09995;
    const auto text = [&](double gap) {
        if (seconds)
            return QString::number(gap, 'f', 2);
        return tenths && gap < 0.9995 ? QString::number(gap * 1000, 'f', 1) : formatCount(gap * 1000);
    };
    number.value = text(gaps.p50);
    number.second = text(gaps.p99);
    number.unit = seconds ? QStringLiteral("s") : QStringLiteral("ms");
    number.secondDim = gaps.n < kEnoughForP99;
    number.tip = tr("Gaps between arrivals, n = %1").arg(formatCount(static_cast<double>(gaps.n)));
    if (number.secondDim)
        number.tip += QLatin1Char('\n') + tr("Too few for a p99 (100 are needed)");
    return number;
}

LaneNumber countNumber(const LaneShot& shot) {
    LaneNumber number;
    const bool counted = shot.summary && shot.summary->tokens.basis != TokenBasis::none;
    const std::uint64_t events = shot.summary ? shot.summary->tokenEvents : 0;
    number.label = counted || events == 0 ? tr("Tokens") : tr("Events");
    number.tip = counted ? tr("Output tokens, as the server counts them") : tr("Events with generated text");
    if (!shot.record || shot.state == LaneState::idle) {
        number.value = enDash();
        number.tip = tr("No run yet");
        return number;
    }
    double count = static_cast<double>(events);
    if (counted && shot.summary->tokens.output)
        count = static_cast<double>(*shot.summary->tokens.output);
    else if (counted && shot.summary->tokens.visible)
        count = *shot.summary->tokens.visible;
    number.value = formatCount(count);
    return number;
}

LaneBadge clockSourceBadge(ClockSource clock) {
    switch (clock) {
    case ClockSource::kernel:
        return {tr("clock: kernel RX"), false, tr("The kernel stamped every packet as it came in")};
    case ClockSource::user:
        return {tr("clock: user"), false, tr("Stamped right after the read, on a thread of its own")};
    case ClockSource::engine:
        return {tr("clock: engine"), false, tr("Our own engine stamped every token")};
    case ClockSource::synthetic:
        return {tr("clock: synthetic"), false, tr("An imagined stream: no endpoint was asked")};
    case ClockSource::replay:
        break;
    }
    return {tr("clock: replay"), false, tr("The recording does not tell which clock stamped it")};
}

/// Where the stamps come from, and in the tip how far they can be wrong.
LaneBadge clockBadge(const RunRecord& record) {
    LaneBadge badge = clockSourceBadge(record.clock);
    badge.source = true;
    if (!record.stamps)
        return badge;
    const StampReport& stamps = *record.stamps;
    if (stamps.errorBound)
        badge.tip +=
            QLatin1Char('\n') +
            tr("Right to within %1, as far as this machine can tell")
                .arg(formatErrorBound(toSeconds(*stamps.errorBound), record.clock == ClockSource::kernel).joined());
    if (stamps.rejected > 0)
        badge.tip += QLatin1Char('\n') + tr("The system's clock was set meanwhile: %n stamp(s) of the kernel were not "
                                            "believed",
                                            static_cast<int>(stamps.rejected));
    return badge;
}

std::optional<LaneBadge> tokenBadge(const RunSummary& summary) {
    if (summary.tokenEvents == 0)
        return std::nullopt;
    switch (summary.tokens.basis) {
    case TokenBasis::perEvent:
        return LaneBadge{tr("tokens: per event"), false, tr("The server tells the tokens of every event")};
    case TokenBasis::total:
        return LaneBadge{tr("tokens: usage total"), false, tr("The server tells a total at the end")};
    case TokenBasis::tokenizer:
        return LaneBadge{tr("tokens: estimate"), false, tr("Counted by a tokenizer of yours")};
    case TokenBasis::none:
        break;
    }
    return LaneBadge{tr("events only"), false, tr("The server tells no token counts: nothing here claims tokens")};
}

/// "3 stalls: 2 delivery, 1 generation"; the tip says why of the longest.
std::optional<LaneBadge> stallBadge(const RunSummary& summary, bool precise) {
    std::map<StallKind, int> kinds;
    int count = 0;
    bool periodic = false;
    const Stall* longest = nullptr;
    for (const Stall& stall : summary.stalls) {
        if (stall.kind == StallKind::client || stall.kind == StallKind::open)
            continue;
        ++count;
        ++kinds[stall.kind];
        periodic = periodic || stall.periodic;
        if (longest == nullptr || stall.lengthS > longest->lengthS)
            longest = &stall;
    }
    if (count == 0)
        return std::nullopt;
    const QString brief = count == 1 ? tr("1 stall") : tr("%1 stalls").arg(count);
    QString words = brief;
    if (kinds.size() == 1 && kinds.begin()->first != StallKind::unknown) {
        words += QStringLiteral(", ") + stallKindName(kinds.begin()->first);
    } else if (kinds.size() > 1) {
        QStringList parts;
        for (const auto& [kind, n] : kinds)
            parts << QStringLiteral("%1 %2").arg(n).arg(stallKindName(kind));
        words += QStringLiteral(": ") + parts.join(QStringLiteral(", "));
    }
    if (periodic)
        words += tr(", periodic");
    QString tip = tr("Gaps over 100 ms and four times the median before them");
    tip += QLatin1Char('\n') + (count == 1 ? QString() : tr("The longest: ")) + stallAccount(*longest, precise);
    return LaneBadge{words, true, tip, brief};
}

/// What the buffering detector found; events that shared a read only where nothing weightier says the same.
std::vector<LaneBadge> bufferingBadges(const Buffering& buffering) {
    std::vector<LaneBadge> badges;
    bool held = false;
    for (const BufferingSign& sign : buffering.signs) {
        QString words;
        switch (sign.kind) {
        case BufferingKind::notReallyStreamed:
            words = tr("not really streamed");
            break;
        case BufferingKind::proxyBuffer:
            words = buffering.bufferBytes ? tr("buffered, %1 KiB").arg(*buffering.bufferBytes / 1024)
                                          : tr("buffered on the way");
            break;
        case BufferingKind::bursts:
            words = held ? QString() : tr("in bursts");
            break;
        case BufferingKind::nagle:
            words = tr("40 ms pairs");
            break;
        case BufferingKind::compressed:
            words = tr("compressed");
            break;
        case BufferingKind::cacheHit:
            words = tr("from a cache");
            break;
        case BufferingKind::merged:
            words = held ? QString() : tr("%1 events merged").arg(buffering.mergedEvents);
            break;
        }
        held = held || sign.kind == BufferingKind::notReallyStreamed || sign.kind == BufferingKind::proxyBuffer ||
               sign.kind == BufferingKind::bursts;
        if (!words.isEmpty())
            badges.push_back(
                {words, false,
                 QString::fromStdString(sign.evidence) + QLatin1Char('\n') + QString::fromStdString(sign.advice)});
    }
    return badges;
}

/// A 200 without a token is no success.
bool broughtNothing(const LaneShot& shot) {
    return shot.record && shot.summary && broughtNothing(*shot.record, shot.summary->tokens);
}

/// A flag of the metrics as words; nothing for those that say that all is well.
std::optional<LaneBadge> flagBadge(const std::string& flag) {
    static const std::pair<const char*, std::pair<const char*, const char*>> kFlags[] = {
        {"no_tokens",
         {"no tokens",
          "The answer ended in good order and brought nothing: the prompt may be longer than the context"}},
        {"short_run", {"short run", "Fewer than 50 output tokens: the rate says little"}},
        {"not_steady_state", {"not steady yet", "Fewer than 100 output tokens"}},
        {"k_unknown", {"tokens an event unknown", "Only their average is known: positions are scaled"}},
        {"hidden_tokens", {"hidden tokens", "Tokens were billed that were not streamed"}},
        {"stamp_rejected",
         {"wall clock was set", "The system's clock was set during the run: some reads have our own, coarser stamp"}},
        {"usage_mismatch", {"usage mismatch", "The server's total and its events disagree"}},
        {"cached", {"prompt cached", "Part of the prompt came from a cache: TTFT is shorter for it"}}};
    for (const auto& [name, words] : kFlags) {
        if (flag == name)
            return LaneBadge{tr(words.first), false, tr(words.second)};
    }
    return std::nullopt;
}

} // namespace

QString countingSeconds(double seconds) {
    const double shown = std::max(0.0, seconds);
    if (shown >= 99.95)
        return formatDuration(shown).joined();
    return QString::number(shown, 'f', 1) + kThinSpace + QLatin1Char('s');
}

QString laneName(const LaneConfig& config) {
    if (!config.spec.laneName.empty())
        return QString::fromStdString(config.spec.laneName);
    if (!config.spec.endpoint.model.empty())
        return QString::fromStdString(config.spec.endpoint.model);
    return tr("Lane %1").arg(Look::instance().lane(config.look).letter);
}

QString lanePlace(const LaneConfig& config) {
    if (config.spec.local)
        return localWords(*config.spec.local);
    if (config.spec.recorded)
        return tr("recorded");
    const QString typed = QString::fromStdString(urlWithoutKeys(config.spec.endpoint.url));
    const QUrl url = QUrl::fromUserInput(typed);
    const QString host = url.host(QUrl::FullyEncoded); // an international name looks like what it is not
    if (host.isEmpty())
        return typed;
    return url.port() > 0 ? host + QLatin1Char(':') + QString::number(url.port()) : host;
}

StateWords stateWords(const LaneShot& shot, const std::optional<ReplayPosition>& replay) {
    if (replay && (shot.state == LaneState::running || shot.state == LaneState::waiting)) {
        const QString position = QString::number(replay->atS, 'f', 1) + QStringLiteral(" / ") +
                                 QString::number(replay->totalS, 'f', 1) + kThinSpace + QLatin1Char('s');
        return {QStringLiteral("replay"), tr("Replay %1").arg(position), &Colours::ink2, &Colours::ink2};
    }
    switch (shot.state) {
    case LaneState::idle:
        return {QStringLiteral("idle"), tr("Idle")};
    case LaneState::connecting:
        return {QStringLiteral("waiting"),
                shot.config && shot.config->spec.local ? tr("Loading the model") : tr("Connecting")};
    case LaneState::waiting:
        return {QStringLiteral("waiting"), tr("Waiting")};
    case LaneState::running:
        return runningWords(shot);
    case LaneState::done:
        if (broughtNothing(shot))
            return {QStringLiteral("fail"), tr("No tokens, %1").arg(at(shot)), &Colours::fail, &Colours::fail};
        return {QStringLiteral("check"), tr("Done in %1").arg(at(shot)), &Colours::ink2, &Colours::ink2};
    case LaneState::failed:
        return {QStringLiteral("fail"), tr("Failed, %1").arg(failureKeyword(*shot.record)), &Colours::fail,
                &Colours::fail};
    case LaneState::cut:
        return {QStringLiteral("cut"), tr("Cut at %1").arg(at(shot)), &Colours::fail, &Colours::fail};
    case LaneState::cancelled:
        return {QStringLiteral("cancel"), tr("Stopped at %1").arg(at(shot)), &Colours::ink2, &Colours::ink2};
    case LaneState::notStreamed:
        if (broughtNothing(shot))
            return {QStringLiteral("fail"), tr("No tokens, %1").arg(at(shot)), &Colours::fail, &Colours::fail};
        break;
    }
    return {QStringLiteral("check"), tr("Not streamed, %1").arg(at(shot)), &Colours::ink2, &Colours::ink2};
}

std::array<LaneNumber, 4> laneNumbers(const LaneShot& shot, RateUnit unit) {
    std::array<LaneNumber, 4> numbers{ttftNumber(shot), rateNumber(shot, unit), gapNumber(shot), countNumber(shot)};
    if (shot.state == LaneState::notStreamed && shot.summary) {
        // Only the whole is known (look.md 34): total and end-to-end rate take the place of what does not exist.
        const Quantity total = formatDuration(shot.summary->e2e);
        numbers[0] = {tr("TTFT"), enDash(), {}, {}, true, false, tr("The answer came whole")};
        numbers[2] = {tr("Total"),
                      total.value,
                      {},
                      total.unit,
                      false,
                      false,
                      tr("From the request to the end of the answer, te \u2212 t0")};
    }
    for (LaneNumber& number : numbers) {
        if (partial(shot.state) || shot.state == LaneState::failed || number.value == enDash())
            number.dim = true;
    }
    return numbers;
}

namespace {

/// What lies between us and the server, where that is not a new connection straight to it or could be anybody.
std::optional<LaneBadge> wayBadge(const RunRecord& record) {
    QStringList words, tip;
    if (record.warmConnection) {
        words << tr("warm");
        tip << tr("An earlier run's connection was used again: nothing was opened");
    }
    if (record.tlsUnverified) {
        words << tr("TLS not verified");
        tip << tr("This lane takes any certificate, so that anybody on the way could have answered");
    }
    if (!record.proxy.empty()) {
        words << tr("via proxy");
        tip << tr("Through the proxy %1, which is part of every time here").arg(QString::fromStdString(record.proxy));
    }
    if (words.isEmpty())
        return std::nullopt;
    if (!record.tlsVersion.empty())
        tip << QString::fromStdString(record.tlsVersion);
    return LaneBadge{words.join(QStringLiteral(", ")), false, tip.join(QLatin1Char('\n'))};
}

} // namespace

std::vector<LaneBadge> laneBadges(const LaneShot& shot) {
    std::vector<LaneBadge> badges;
    if (!shot.record || shot.state == LaneState::idle)
        return badges;
    badges.push_back(clockBadge(*shot.record));
    if (!shot.summary)
        return badges;
    const RunSummary& summary = *shot.summary;
    for (auto badge : {tokenBadge(summary), engineBadge(*shot.record, summary)}) {
        if (badge) {
            badge->source = true;
            badges.push_back(*badge);
        }
    }
    if (const auto badge = stallBadge(summary, kernelClock(shot)))
        badges.push_back(*badge);
    for (const LaneBadge& badge : bufferingBadges(summary.buffering))
        badges.push_back(badge);
    if (const auto hatched = summary.clientGaps; hatched > 0)
        badges.push_back({hatched == 1 ? tr("1 gap hatched") : tr("%1 gaps hatched").arg(hatched), false,
                          tr("Gaps that our own machine made: in no percentile")});
    if (const auto marked = summary.hiccupGaps; marked > 0)
        badges.push_back({marked == 1 ? tr("1 gap over a hiccup") : tr("%1 gaps over hiccups").arg(marked), false,
                          tr("A hiccup of our own machine fell into them without making them: marked, and kept")});
    // While it runs every run is short.
    if (!shot.inFlight) {
        for (const std::string& flag : summary.flags) {
            if (const auto badge = flagBadge(flag))
                badges.push_back(*badge);
        }
    }
    if (summary.tokens.cached && *summary.tokens.cached > 0)
        badges.push_back(*flagBadge("cached"));
    if (const auto badge = wayBadge(*shot.record))
        badges.push_back(*badge);
    if (shot.record->warmup)
        badges.push_back({tr("warm-up"), false, tr("In no percentile")});
    return badges;
}

} // namespace decodescope
