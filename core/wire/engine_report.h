#pragma once

#include <cstdint>
#include <optional>
#include <string>

/// What our own engine tells beside the standard fields: the `decodescope` object of docs/engine_api.md. Times are
/// nanoseconds of CLOCK_MONOTONIC, the clock that arrivals are stamped with on the same machine.
namespace decodescope {

/// One event's step.
struct EngineStep {
    std::uint32_t tokens = 0; ///< ids in the event; 0: no token
    std::int64_t sampledAtNs = 0;
    std::uint32_t position = 0, kvLength = 0;
    std::uint32_t drafted = 0, accepted = 0;
    std::uint64_t stepId = 0;
    std::uint32_t batch = 0, rows = 0;
    std::int64_t beginNs = 0, endNs = 0;
    std::int64_t attentionNs = 0, feedForwardNs = 0, headNs = 0, samplingNs = 0;
    std::uint64_t weightBytes = 0, kvBytes = 0;
};

/// What answers, once a run.
struct EngineFacts {
    std::string version, model, architecture, quantization, device, kvType, speculative;
    std::uint32_t threads = 0, context = 0, parallel = 0;
    std::uint64_t weightBytes = 0, kvBytesPerToken = 0;
    std::optional<double> bandwidthGBps; ///< measured at load; in a record no less than any step read
};

/// How the prompt went, once a run.
struct EnginePrompt {
    std::uint32_t tokens = 0, cached = 0, chunks = 0;
    std::int64_t receivedNs = 0, queueNs = 0, prefillNs = 0;
};

} // namespace decodescope
