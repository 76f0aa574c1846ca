#pragma once

#include "core/source/run_spec.h"

#include <cstdint>
#include <optional>
#include <string>

/// What is known of model files and of the engine that decodes them, in plain data that the window may see.
namespace decodescope {

/// How far an engine has got.
enum class EngineState : std::uint8_t {
    none,     ///< not asked for yet
    starting, ///< loading the model
    ready,
    failed, ///< did not start, or died
    stopped ///< by us
};

/// An engine as it is now, for a lane's card.
struct EngineStatus {
    EngineState state = EngineState::none;
    std::string progress; ///< while starting: the engine's last word
    std::string failure;  ///< a sentence, with the last lines of its stderr, when it failed
    std::string device;   ///< once ready, as the engine names it
    int threads = 0;      ///< once ready: those really used
    int contextLength = 0;
    std::int64_t pid = 0;
};

/// One model file, as `decodescope-engine inspect` tells.
struct ModelDetails {
    bool supported = false;
    std::string reason; ///< why not supported; empty when it is
    std::string architecture, name, tokenizer, license;
    std::string quantization; ///< the type that holds most tensors
    std::optional<std::uint64_t> parametersTotal, parametersActive, context, vocabulary, bytesPerToken;
    bool chatTemplate = false; ///< without one only plain completion is possible
};

/// Fetching the sample model.
struct SampleProgress {
    std::uint64_t doneBytes = 0;
    std::optional<std::uint64_t> totalBytes;
    std::string what; ///< the step in words: "downloading"
};

/// The name that a lane of this model goes by: its file's, without the ending.
[[nodiscard]] std::string modelFileName(const LocalModelSpec& spec);

} // namespace decodescope
