#pragma once

#include "core/session/session.h"

#include <string>

namespace decodescope {

[[nodiscard]] inline SamplingSpec usualSampling() {
    SamplingSpec sampling;
    sampling.maxTokens = 512;
    sampling.temperature = 0.7;
    return sampling;
}

/// What all lanes of a race are asked, and how often: the prompt strip and the tool bar.
struct RaceSettings {
    std::string prompt = "Explain why a database index makes reads fast and writes slow, with one example.";
    std::string system;
    SamplingSpec sampling = usualSampling();
    Timeouts timeouts;
    bool uniquePrefix = true;
    RunPlan plan{.repeats = 1, .warmups = 1};
};

/// The lane's own endpoint with the race's question put into it.
[[nodiscard]] inline RunSpec withRace(RunSpec lane, const RaceSettings& race) {
    if (lane.recorded)
        return lane; // it was asked what it was asked
    lane.system = race.system;
    lane.prompt = race.prompt;
    lane.sampling = race.sampling;
    lane.timeouts = race.timeouts;
    lane.uniquePrefix = race.uniquePrefix;
    return lane;
}

} // namespace decodescope
