#pragma once

#include "ui/lane/lane_words.h"

/// What a card says of a lane that our own engine answers.
namespace decodescope {

/// What makes a local lane different from another over the same file: "local, 2 threads, q8 cache".
[[nodiscard]] QString localWords(const LocalModelSpec& local);
/// How much of the machine the run uses, with the engine's facts in the tip; nullopt: no engine of ours answered.
[[nodiscard]] std::optional<LaneBadge> engineBadge(const RunRecord& record, const RunSummary& summary);

} // namespace decodescope
