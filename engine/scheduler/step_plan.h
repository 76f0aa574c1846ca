#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace decodescope::engine {

/// What a sequence could do in the next step.
struct StepWish {
    std::uint32_t pending = 1; ///< tokens that are not in the cache yet; 0: it sits the step out
    bool decoding = false;     ///< its prompt is done: one token is pending
    std::uint32_t drafts = 0;  ///< tokens it would like checked beside that
};

/// What it does. No rows: it sits the step out.
struct StepShare {
    std::uint32_t rows = 0;   ///< pending tokens that go through the model
    std::uint32_t drafts = 0; ///< drafted ones after them
};

struct StepLimits {
    std::uint32_t rows = 256;       ///< most of a step
    std::uint32_t logitsRows = 64;  ///< most that want logits
    std::uint32_t promptRows = 128; ///< most of prompts while others decode
};

/// Every decoding sequence gets its row; prompts share what they may have evenly, those that need less leave it to the
/// others; drafts share what is left. There are at most as many wishes as rows and as logits rows.
[[nodiscard]] std::vector<StepShare> planStep(std::span<const StepWish> wishes, const StepLimits& limits);

} // namespace decodescope::engine
