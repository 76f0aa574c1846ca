#include "tests/engine/llama/probe.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>

namespace decodescope::engine::probe {

namespace {

struct LogitsOptions {
    std::string model;
    std::string prompts;
    std::string out;
    std::string backend = "reference";
    std::string rows = "all";
    int threads = 1;
    std::uint32_t chunk = 64;
};

void writeLogits(const LogitsOptions& options) {
    std::ifstream in(options.prompts);
    const auto prompts = nlohmann::json::parse(in).get<std::vector<std::vector<TokenId>>>();
    std::size_t longest = 0;
    for (const auto& prompt : prompts)
        longest = std::max(longest, prompt.size());
    LoadedProbe probe =
        load(options.model, options.backend, options.threads, static_cast<std::uint32_t>(longest), options.chunk);

    std::ofstream out(options.out, std::ios::binary);
    for (const auto& prompt : prompts)
        for (std::size_t begin = 0; begin < prompt.size(); begin += options.chunk) {
            const std::size_t count = std::min<std::size_t>(options.chunk, prompt.size() - begin);
            const bool last = begin + count == prompt.size();
            SequenceSlice slice;
            slice.tokens = std::span(prompt).subspan(begin, count);
            slice.firstPosition = static_cast<std::uint32_t>(begin);
            slice.blocks = probe.blocks;
            slice.logitsFrom = options.rows == "all" ? 0 : static_cast<std::uint32_t>(last ? count - 1 : count);
            const StepOutput step = orStop(probe.backend->step({&slice, 1}));
            out.write(reinterpret_cast<const char*>(step.logits.data()),
                      static_cast<std::streamsize>(step.logits.size_bytes()));
        }
    if (!out.flush())
        stop({ErrorCode::disk, "The logits could not be written to " + options.out + "."});
}

} // namespace

void addLogitsCommand(CLI::App& app) {
    const auto options = std::make_shared<LogitsOptions>();
    CLI::App* const command = app.add_subcommand("logits", "f32 logits of prompts, one after another");
    command->add_option("model", options->model)->required();
    command->add_option("--prompts", options->prompts, "a JSON list of lists of token ids")->required();
    command->add_option("--out", options->out)->required();
    command->add_option("--backend", options->backend);
    command->add_option("--rows", options->rows)->check(CLI::IsMember({"all", "last"}));
    command->add_option("--threads", options->threads);
    command->add_option("--chunk", options->chunk, "tokens a step")->check(CLI::Range(1, 4096));
    command->callback([options] { writeLogits(*options); });
}

} // namespace decodescope::engine::probe
