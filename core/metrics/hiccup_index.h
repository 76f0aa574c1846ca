#pragma once

#include "core/record/run_record.h"

#include <cstddef>
#include <optional>
#include <vector>

/// Our own hiccups as a run saw them, in a form that can be asked. Inside core/metrics only.
namespace decodescope {

/// Whether a run was stamped in user space, so that a hiccup of ours makes every stamp late.
[[nodiscard]] bool stampedByUs(const RunRecord& record) noexcept;

class HiccupIndex {
public:
    /// Takes in those that are new since the last call.
    void update(const RunRecord& record);
    [[nodiscard]] bool empty() const noexcept { return m_spans.empty(); }

    /// How much of the time from `from` to `to` hiccups took.
    [[nodiscard]] Duration within(Instant from, Instant to) const;
    /// The part between `from` and `to` of the hiccup that was in progress at `to`; absent when none was. What is read
    /// right after waking carries a stamp a little behind it: up to Hiccup::kWorthNoting, which is how fine hiccups are
    /// told at all, it counts as in progress.
    [[nodiscard]] std::optional<Duration> inProgressAt(Instant to, Instant from) const;

    struct Span {
        Instant due{}, woke{};
    };
    /// Ascending; those that overlap are one.
    [[nodiscard]] const std::vector<Span>& spans() const noexcept { return m_spans; }

private:
    std::vector<Span> m_spans;
    std::size_t m_taken = 0;
};

} // namespace decodescope
