#include "tests/engine/llama/probe.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <numeric>

namespace decodescope::engine::probe {

namespace {

struct GreedyOptions {
    std::string model;
    std::string prompt;
    std::string backend = "reference";
    int threads = 1;
    std::uint32_t count = 1;
    std::uint32_t top = 5;
};

/// The ids of the largest logits, largest first; the lower id on ties.
std::vector<std::uint32_t> largest(std::span<const float> logits, std::size_t count) {
    std::vector<std::uint32_t> ids(logits.size());
    std::iota(ids.begin(), ids.end(), 0U);
    count = std::min(count, ids.size());
    std::partial_sort(
        ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(count), ids.end(),
        [&](std::uint32_t a, std::uint32_t b) { return logits[a] != logits[b] ? logits[a] > logits[b] : a < b; });
    ids.resize(count);
    return ids;
}

void continueGreedily(const GreedyOptions& options) {
    auto tokens = nlohmann::json::parse(options.prompt).get<std::vector<TokenId>>();
    const auto promptLength = static_cast<std::uint32_t>(tokens.size());
    LoadedProbe probe =
        load(options.model, options.backend, options.threads, promptLength + options.count, promptLength);

    nlohmann::json chosen = nlohmann::json::array();
    nlohmann::json tops = nlohmann::json::array();
    std::uint32_t position = 0;
    for (std::uint32_t i = 0; i < options.count; ++i) {
        SequenceSlice slice;
        slice.tokens = std::span(tokens).subspan(position);
        slice.firstPosition = position;
        slice.blocks = probe.blocks;
        slice.logitsFrom = static_cast<std::uint32_t>(slice.tokens.size()) - 1;
        const StepOutput step = orStop(probe.backend->step({&slice, 1}));
        position = static_cast<std::uint32_t>(tokens.size());
        nlohmann::json top = nlohmann::json::array();
        for (const std::uint32_t id : largest(step.logits, options.top))
            top.push_back({id, step.logits[id]});
        tokens.push_back(top.at(0).at(0).get<TokenId>());
        chosen.push_back(tokens.back());
        tops.push_back(std::move(top));
    }
    std::cout << nlohmann::json{{"tokens", chosen}, {"top", tops}} << '\n';
}

} // namespace

void addGreedyCommand(CLI::App& app) {
    const auto options = std::make_shared<GreedyOptions>();
    CLI::App* const command = app.add_subcommand("greedy", "the most likely continuation, with the runners-up");
    command->add_option("model", options->model)->required();
    command->add_option("--prompt", options->prompt, "a JSON list of token ids")->required();
    command->add_option("--backend", options->backend);
    command->add_option("--threads", options->threads);
    command->add_option("--count", options->count, "tokens to add");
    command->add_option("--top", options->top, "logits to tell at each")->check(CLI::Range(1, 1000));
    command->callback([options] { continueGreedily(*options); });
}

} // namespace decodescope::engine::probe
