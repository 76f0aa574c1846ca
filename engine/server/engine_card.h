#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace decodescope::engine {

/// What answers: the `engine` object of docs/engine_api.md.
struct EngineCard {
    std::string version, model, architecture, quantization, device, kvType, speculative;
    int threads = 0;
    std::uint32_t context = 0, parallel = 0;
    std::uint64_t weightBytes = 0, kvBytesPerToken = 0;
    std::optional<double> bandwidthGBps; ///< read rate measured at load
};

} // namespace decodescope::engine
