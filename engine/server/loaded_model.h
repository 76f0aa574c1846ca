#pragma once

#include "engine/backend/backend.h"
#include "engine/chat/chat_template.h"
#include "engine/gguf/gguf_file.h"
#include "engine/model/model_plan.h"
#include "engine/scheduler/scheduler.h"
#include "engine/server/engine_card.h"
#include "engine/tokenizer/tokenizer.h"

#include <memory>
#include <string>
#include <vector>

namespace decodescope::engine {

/// What `serve` and `bench` were asked for.
struct ModelOptions {
    std::string path;
    std::string device = "auto";     ///< "auto", "cpu", "cuda:N" (backend_choice.h)
    int threads = 0;                 ///< 0: tuned
    std::uint32_t contextLength = 0; ///< 0: min(4096, as trained)
    std::uint32_t parallel = 4;
    KvType kvType = KvType::f16;
    bool speculative = false; ///< default of requests that do not say
    bool tracing = true;      ///< spans of the last steps are kept
};

/// A model ready to answer: file, tokenizer, chat template, plan, backend and scheduler, in order of dependence.
struct LoadedModel {
    ModelOptions options;
    std::unique_ptr<GgufFile> file;
    std::unique_ptr<Tokenizer> tokenizer;
    std::unique_ptr<ChatTemplate> chat; ///< null when the template is of no family we have
    std::string chatRefusal;            ///< why, then
    ModelPlan plan;
    std::unique_ptr<Scheduler> scheduler;
    EngineCard card;
    std::vector<std::string> notes; ///< what was decided otherwise than asked for, for people
};

/// Opens, checks, loads. Errors as of the rooms it calls; a device that is not there is ErrorCode::memory.
[[nodiscard]] Result<std::unique_ptr<LoadedModel>> loadModel(const ModelOptions& options,
                                                             const LoadProgress& progress = {});

/// The backend alone, for `bench`: the maker that `device` names.
[[nodiscard]] Result<BackendMaker> backendFor(const std::string& device);

} // namespace decodescope::engine
