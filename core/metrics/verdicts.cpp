#include "core/metrics/verdicts.h"

#include "core/metrics/no_tokens.h"

#include <algorithm>

namespace decodescope {
namespace {

constexpr std::uint64_t kShortRun = 50;
constexpr std::uint64_t kNotSteady = 100;
constexpr std::uint64_t kSteady = 500;

} // namespace

bool broughtNothing(const RunRecord& record, const TokenCount& tokens) {
    const bool good = record.outcome == Outcome::complete || record.outcome == Outcome::notStreamed;
    return good && record.events.empty() && tokens.output.value_or(0) == 0;
}

bool notReallyStreamed(const RunRecord& record, const RunSummary& summary) {
    const std::vector<TokenEvent>& events = record.events;
    const double tokens = summary.tokens.visible.value_or(static_cast<double>(events.size()));
    if (tokens >= 64 && summary.arrivals > 0 && summary.arrivals <= 3)
        return true;
    if (events.size() < 32 || !summary.e2e)
        return false;
    // The shortest time in which 9 in 10 of the events came.
    const std::size_t most = (events.size() * 9 + 9) / 10;
    std::int64_t shortest = toNs(events.back().at - events.front().at);
    for (std::size_t i = 0; i + most <= events.size(); ++i)
        shortest = std::min(shortest, toNs(events[i + most - 1].at - events[i].at));
    const double seconds = static_cast<double>(shortest) * 1e-9;
    return seconds <= 0.05 * *summary.e2e && seconds * 1000 < static_cast<double>(most);
}

std::vector<std::string> verdicts(const RunRecord& record, const RunSummary& summary) {
    std::vector<std::string> flags;
    const auto flag = [&](bool holds, const char* name) {
        if (holds)
            flags.emplace_back(name);
    };
    const TokenCount& tokens = summary.tokens;
    const bool over = record.outcome != Outcome::running;
    const bool streamed = record.outcome != Outcome::notStreamed;
    flag(broughtNothing(record, tokens), "no_tokens");
    flag(!streamed, "not_streamed");
    flag(over && streamed && notReallyStreamed(record, summary), "not_really_streamed");
    if (over && streamed && tokens.output && summary.tokenEvents > 0) {
        flag(*tokens.output < kShortRun, "short_run");
        flag(*tokens.output < kNotSteady, "not_steady_state");
        flag(*tokens.output >= kSteady, "steady");
    }
    flag(tokens.kUnknown, "k_unknown");
    flag(tokens.hidden, "hidden_tokens");
    flag(tokens.usageMismatch, "usage_mismatch");
    if (record.spec.sampling.maxTokens && *record.spec.sampling.maxTokens > 0 && tokens.output) {
        const auto choices = std::max<std::uint64_t>(1, record.choices.size());
        const auto asked = static_cast<std::uint64_t>(*record.spec.sampling.maxTokens) * choices;
        flag(*tokens.output > asked + 2, "over_max_tokens");
    }
    flag(tokens.cached.value_or(0) > 0, "cached");
    flag(record.tlsUnverified, "tls_not_verified");
    for (const BufferingSign& sign : summary.buffering.signs)
        if (sign.kind != BufferingKind::notReallyStreamed)
            flags.emplace_back(toString(sign.kind));
    for (const std::string& warning : record.warnings)
        if (std::find(flags.begin(), flags.end(), warning) == flags.end())
            flags.push_back(warning);
    return flags;
}

} // namespace decodescope
