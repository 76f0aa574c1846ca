#pragma once

#include "core/base/clock.h"

namespace decodescope {

/// A time in which this process (or its machine) did not run when it should have: a thread that wanted to wake at `due`
/// woke at `woke`. Only late wake-ups of kWorthNoting or more are told (metrics.md section 4).
struct Hiccup {
    static constexpr Duration kWorthNoting = std::chrono::milliseconds(5);

    Instant due{};
    Instant woke{};

    [[nodiscard]] Duration late() const noexcept { return woke - due; }
    friend bool operator==(const Hiccup&, const Hiccup&) = default;
};

} // namespace decodescope
