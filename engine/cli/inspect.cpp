#include "engine/cli/commands.h"
#include "engine/cli/confinement.h"
#include "engine/cli/facts_report.h"
#include "engine/cli/model_facts.h"
#include "engine/cli/say.h"
#include "engine/gguf/gguf_file.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <string>

namespace decodescope::engine {

namespace {

struct InspectOptions {
    std::string file;
    bool json = false;
};

int inspect(const InspectOptions& options) {
    confineToReading();
    const Result<std::unique_ptr<GgufFile>> file = GgufFile::open(options.file);
    if (!file)
        return failed(file.error());
    const ModelFacts facts = collectFacts(**file);
    const std::string text = options.json ? factsAsJson(facts) + "\n" : factsAsPage(facts);
    if (const int status = printed(text); status != 0)
        return status;
    // A file may be well-formed and unsupported; one that contradicts itself is malformed.
    if (facts.refusal && facts.refusal->code == ErrorCode::malformed)
        return failed(*facts.refusal);
    return 0;
}

} // namespace

Command inspectCommand(CLI::App& program) {
    CLI::App* const command = program.add_subcommand("inspect", "Tell what a model file holds and whether it runs");
    const auto options = std::make_shared<InspectOptions>();
    command->add_option("FILE", options->file, "A model (*.gguf); of a model in parts the first")->required();
    command->add_flag("--json", options->json, "Print one JSON object");
    return {command, [options] { return inspect(*options); }};
}

} // namespace decodescope::engine
