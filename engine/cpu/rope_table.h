#pragma once

#include "engine/model/model_plan.h"

#include <cstdint>
#include <vector>

namespace decodescope::engine {

/// One way of rotating heads; layers that rotate alike share it, and so the cosines and sines of a step's rows.
struct RopeTable {
    RopeStyle style = RopeStyle::none;
    std::vector<double> frequencies; ///< radians per position, one per pair

    explicit RopeTable(const Rope& rope);
    [[nodiscard]] std::uint32_t pairs() const noexcept { return static_cast<std::uint32_t>(frequencies.size()); }
    /// pairs() cosines and as many sines.
    void fill(std::uint32_t position, float* cosines, float* sines) const noexcept;
    friend bool operator==(const RopeTable&, const RopeTable&) = default;
};

} // namespace decodescope::engine
