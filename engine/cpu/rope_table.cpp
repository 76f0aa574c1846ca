#include "engine/cpu/rope_table.h"

#include <cmath>
#include <cstring>

namespace decodescope::engine {

RopeTable::RopeTable(const Rope& rope)
    : style(rope.style) {
    if (style == RopeStyle::none)
        return;
    frequencies.resize(rope.dimensions / 2);
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
        float factor = 1.0F;
        if (rope.factors)
            std::memcpy(&factor, rope.factors->data + i * sizeof factor, sizeof factor);
        frequencies[i] =
            std::pow(double{rope.base}, -2.0 * static_cast<double>(i) / rope.dimensions) / factor * rope.frequencyScale;
    }
}

void RopeTable::fill(std::uint32_t position, float* cosines, float* sines) const noexcept {
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
        const double angle = position * frequencies[i];
        cosines[i] = static_cast<float>(std::cos(angle));
        sines[i] = static_cast<float>(std::sin(angle));
    }
}

} // namespace decodescope::engine
