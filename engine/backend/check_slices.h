#pragma once

#include "engine/backend/backend.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <span>

namespace decodescope::engine {

/// The size of a step, once its slices are known to be sound.
struct StepSize {
    std::uint32_t rows = 0;
    std::uint32_t logitsRows = 0;
};

/// Every look-up that a step will make, checked before it is made: token ids, blocks, positions, row counts. What is
/// wrong here was the scheduler's to prevent, hence ErrorCode::internal.
[[nodiscard]] inline Result<StepSize> checkSlices(std::span<const SequenceSlice> slices, std::uint32_t vocabulary,
                                                  const BackendOptions& options) {
    const auto wrong = [](std::string what) {
        return fail(ErrorCode::internal, fmt::format("A decode step was asked for {}.", what));
    };
    StepSize size;
    for (const SequenceSlice& slice : slices) {
        const std::uint64_t end = slice.firstPosition + std::uint64_t{slice.tokens.size()};
        if (slice.tokens.empty() || slice.tokens.size() > options.maxRows - size.rows)
            return wrong(fmt::format("{} tokens of a sequence; from 1 to {} are left", slice.tokens.size(),
                                     options.maxRows - size.rows));
        if (end > std::numeric_limits<std::int32_t>::max())
            return wrong(fmt::format("position {}", end));
        if ((end + kKvBlockTokens - 1) / kKvBlockTokens > slice.blocks.size())
            return wrong(fmt::format("{} positions in {} blocks of the cache", end, slice.blocks.size()));
        for (const std::uint32_t block : slice.blocks)
            if (block >= options.kvBlocks)
                return wrong(fmt::format("block {} of {} in the cache", block, options.kvBlocks));
        for (const TokenId token : slice.tokens)
            if (token < 0 || static_cast<std::uint32_t>(token) >= vocabulary)
                return wrong(fmt::format("the token {} of a vocabulary of {}", token, vocabulary));
        if (slice.logitsFrom > slice.tokens.size())
            return wrong(fmt::format("logits from row {} of {}", slice.logitsFrom, slice.tokens.size()));
        const auto logitsRows = static_cast<std::uint32_t>(slice.tokens.size()) - slice.logitsFrom;
        if (logitsRows > options.maxLogitsRows - size.logitsRows)
            return wrong(
                fmt::format("logits of {} rows; {} are left", logitsRows, options.maxLogitsRows - size.logitsRows));
        size.rows += static_cast<std::uint32_t>(slice.tokens.size());
        size.logitsRows += logitsRows;
    }
    return size;
}

/// How many positions' keys and values the step has to read, all layers together; layers with a window read less. One
/// position of one layer is 2 * kvHeads * headSize elements.
[[nodiscard]] inline std::uint64_t layerPositionsRead(const ModelPlan& plan, std::span<const SequenceSlice> slices) {
    std::uint64_t positions = 0;
    for (const PlanOp& op : plan.ops) {
        const auto* const attention = std::get_if<AttentionOp>(&op);
        if (!attention)
            continue;
        for (const SequenceSlice& slice : slices) {
            const std::uint64_t window = attention->slidingWindow;
            const std::uint64_t firstEnd = slice.firstPosition + std::uint64_t{1};
            const std::uint64_t begin = window > 0 && firstEnd > window ? firstEnd - window : 0;
            positions += slice.firstPosition + slice.tokens.size() - begin;
        }
    }
    return positions;
}

} // namespace decodescope::engine
