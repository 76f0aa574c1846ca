#pragma once

#include "engine/backend/backend.h"
#include "engine/gguf/gguf_file.h"
#include "engine/model/model_plan.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// The engine's rooms as one program that the tests against llama.cpp ask: files and numbers in, files and JSON out.
/// Each subcommand is a file of its own.
namespace decodescope::engine::probe {

/// Ends the program with the message and the error's exit status.
[[noreturn]] void stop(const Error& error);

template <class T> T orStop(Result<T> result) {
    if (!result)
        stop(result.error());
    return std::move(*result);
}

/// A file opened, planned and given to the backend of that name, with one sequence of `context` positions.
struct LoadedProbe {
    std::unique_ptr<GgufFile> file;
    ModelPlan plan;
    std::unique_ptr<Backend> backend;
    std::vector<std::uint32_t> blocks;
};
[[nodiscard]] LoadedProbe load(const std::string& path, const std::string& backend, int threads, std::uint32_t context,
                               std::uint32_t rows);

void addGreedyCommand(CLI::App& app);
void addLogitsCommand(CLI::App& app);

} // namespace decodescope::engine::probe
