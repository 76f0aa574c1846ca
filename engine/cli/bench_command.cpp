#include "engine/cli/bench_run.h"
#include "engine/cli/commands.h"
#include "engine/cli/say.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

namespace decodescope::engine {

namespace {

struct BenchArguments {
    BenchOptions options;
    std::string kv = "f16";
    bool json = false;
};

int bench(BenchArguments& arguments) {
    BenchOptions& options = arguments.options;
    options.kvType = arguments.kv == "q8" ? KvType::q8 : KvType::f16;
    const auto say = [](const std::string& what) { fmt::print(stderr, "{}\n", what); };
    const Result<BenchReport> report = runBench(options, say);
    if (!report)
        return failed(report.error());
    return printed(arguments.json ? benchAsJson(*report, options) + "\n" : benchAsTable(*report, options));
}

} // namespace

Command benchCommand(CLI::App& program) {
    CLI::App* const command = program.add_subcommand("bench", "Measure prompt and decode rates of a model file");
    const auto arguments = std::make_shared<BenchArguments>();
    BenchOptions& options = arguments->options;
    constexpr int kMostTokens = 1 << 20;
    command->add_option("FILE", options.file, "A model (*.gguf); of a model in parts the first")->required();
    command->add_option("-t,--threads", options.threads, "Numbers of threads, one row each; 0: the engine chooses")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::Range(0, 1024));
    command->add_option("-p,--prompt", options.promptTokens, "Tokens of the prompt; 0: do not measure it")
        ->check(CLI::Range(0, kMostTokens))
        ->capture_default_str();
    command->add_option("-n,--decode", options.decodeTokens, "Tokens to decode; 0: do not measure it")
        ->check(CLI::Range(0, kMostTokens))
        ->capture_default_str();
    command->add_option("-r,--repeat", options.repeat, "Repeats, of which the medians are told")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    command->add_option("--device", options.device, "auto, cpu or cuda:N")->capture_default_str();
    command->add_option("--kv", arguments->kv, "What keys and values are stored as")
        ->check(CLI::IsMember({"f16", "q8"}))
        ->capture_default_str();
    command
        ->add_option("--at-once", options.atOnce, "Measure so many requests together too, through the scheduler: 1,8")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::Range(1, 16));
    command->add_flag("--json", arguments->json, "Print one JSON object");
    return {command, [arguments] { return bench(*arguments); }};
}

} // namespace decodescope::engine
