#pragma once

#include "engine/backend/backend.h"

#include <cstdint>
#include <span>
#include <vector>

/// What a step is asked to do, laid out for the threads: every row with its position, and which rows go on behind the
/// last layer's keys and values.
namespace decodescope::engine {

/// A run of rows of one sequence that attend together. `first` counts all rows of the step, `firstActive` those that
/// are active in the layer.
struct RowRun {
    std::uint32_t first = 0, firstActive = 0, count = 0;
    std::uint32_t firstPosition = 0; ///< of the first row
    const std::uint32_t* blocks = nullptr;
};

/// Rows that are active in a layer: all, and in the last one those that want logits.
struct ActiveRows {
    std::vector<std::uint32_t> rows; ///< indices into StepRows::tokens
    std::vector<RowRun> runs;        ///< of each sequence that has such rows
};

struct StepRows {
    std::vector<TokenId> tokens;
    std::vector<std::uint32_t> positions;
    std::vector<std::uint32_t> blocks; ///< the cache block that each row's keys and values go to
    ActiveRows all, wanted;

    /// Takes the slices in, which were checked (checkSlices).
    void set(std::span<const SequenceSlice> slices);
    [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(tokens.size()); }
    [[nodiscard]] std::uint32_t wantedSize() const noexcept { return static_cast<std::uint32_t>(wanted.rows.size()); }
};

} // namespace decodescope::engine
