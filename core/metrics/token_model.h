#pragma once

#include "core/metrics/run_summary.h"

#include <array>
#include <cstddef>
#include <cstdint>

/// How a run's tokens are counted, in a form that can be kept up to date event by event. Inside core/metrics only;
/// everybody else reads TokenCount.
namespace decodescope {

/// Which member of EventTokens is the unit of an event; `one` counts every event once.
enum class UnitPick : std::uint8_t { one, engine, usage, timings, ids, logprobs };

[[nodiscard]] std::uint32_t toldBy(const EventTokens& tokens, UnitPick pick) noexcept;

/// Sums over the events seen so far: all that the rules of metrics.md section 2 look at.
struct TokenTally {
    struct Told {
        std::uint64_t sum = 0;
        std::uint64_t zeros = 0; ///< events of which nothing was told
        bool firstIsZero = false;
    };
    std::uint64_t events = 0;
    std::uint64_t answerEvents = 0; ///< events with a fragment that is not reasoning
    std::uint64_t reasoningBytes = 0;
    std::uint64_t eventsWithoutText = 0; ///< of other choices than 0: their text is not in the transcript
    std::array<Told, 6> told;            ///< by UnitPick; `one` stays empty

    void add(const RunRecord& record, const TokenEvent& event);
};

/// What the rules decide: an event's tokens are units(event) x scale.
struct TokenModel {
    TokenCount count; ///< `perEvent` and `told` are left empty
    UnitPick pick = UnitPick::one;
    double scale = 1.0;
    bool answersOnly = false; ///< hidden reasoning was summarised: only answer events carry tokens
    bool tokensKnown = false; ///< units stand for tokens; otherwise they only count events

    [[nodiscard]] std::uint32_t units(const TokenEvent& event) const noexcept;
    /// Whether everything that was accumulated in units stays valid under the other model.
    [[nodiscard]] bool sameUnits(const TokenModel& other) const noexcept {
        return pick == other.pick && scale == other.scale && answersOnly == other.answersOnly;
    }
};

[[nodiscard]] TokenModel decideTokens(const TokenTally& tally, const RunRecord& record);

/// The model that a finished TokenCount stands for: for functions that are handed the count alone.
[[nodiscard]] double scaleOf(const TokenCount& tokens) noexcept;

/// Appends the tokens of the events from `from` on.
void appendPerEvent(TokenCount& count, const TokenModel& model, const RunRecord& record, std::size_t from);

/// Whether a finish reason means that the model ended by itself, with an end token (not by length, filter, error).
[[nodiscard]] bool stoppedByItself(std::string_view finish) noexcept;

} // namespace decodescope
