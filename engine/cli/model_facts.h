#pragma once

#include "engine/base/error.h"
#include "engine/gguf/gguf_file.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace decodescope::engine {

/// What a model file says of itself, whether we can run it or not. All text is made visible already.
struct ModelFacts {
    struct TypeShare {
        std::string type; ///< "Q4_1", "type 4711" for an id without a meaning
        std::uint64_t tensors = 0;
        std::uint64_t elements = 0;
        std::uint64_t bytes = 0;
    };
    std::string path;
    std::uint64_t fileBytes = 0;
    std::uint32_t version = 0;
    std::optional<Error> refusal; ///< why we cannot run it; nullopt: supported
    std::string architecture;     ///< empty: not said
    std::string name;             ///< general.name, else the file's
    std::string license;          ///< empty: not said
    std::vector<TypeShare> types; ///< most bytes first
    std::uint64_t parametersTotal = 0;
    std::uint64_t parametersActive = 0; ///< that work for one token: of experts only those used
    std::uint64_t bytesPerToken = 0;    ///< of weights that a decode step reads: all but a gathered embedding table
    std::optional<std::uint64_t> context;
    std::optional<std::uint64_t> vocabulary;
    std::optional<std::uint64_t> layers;
    std::optional<std::uint64_t> embedding;
    std::optional<std::uint64_t> heads;
    std::optional<std::uint64_t> kvHeads;
    std::string tokenizer;                        ///< "bpe (smollm)"; empty: none that we have
    std::string chat;                             ///< family of the chat template; empty: none that we have
    std::string chatRefusal;                      ///< why, then
    std::optional<std::uint64_t> kvBytesPerToken; ///< f16; of supported models

    [[nodiscard]] bool supported() const noexcept { return !refusal; }
};

[[nodiscard]] ModelFacts collectFacts(const GgufFile& file);

} // namespace decodescope::engine
