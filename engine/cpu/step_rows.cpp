#include "engine/cpu/step_rows.h"

namespace decodescope::engine {

void StepRows::set(std::span<const SequenceSlice> slices) {
    tokens.clear();
    positions.clear();
    blocks.clear();
    for (ActiveRows* const active : {&all, &wanted}) {
        active->rows.clear();
        active->runs.clear();
    }
    for (const SequenceSlice& slice : slices) {
        const std::uint32_t first = size();
        const auto count = static_cast<std::uint32_t>(slice.tokens.size());
        for (std::uint32_t i = 0; i < count; ++i) {
            tokens.push_back(slice.tokens[i]);
            positions.push_back(slice.firstPosition + i);
            blocks.push_back(slice.blocks[(slice.firstPosition + i) / kKvBlockTokens]);
            all.rows.push_back(first + i);
            if (i >= slice.logitsFrom)
                wanted.rows.push_back(first + i);
        }
        all.runs.push_back({first, first, count, slice.firstPosition, slice.blocks.data()});
        if (const std::uint32_t from = slice.logitsFrom; from < count)
            wanted.runs.push_back({first + from, wantedSize() - (count - from), count - from,
                                   slice.firstPosition + from, slice.blocks.data()});
    }
}

} // namespace decodescope::engine
