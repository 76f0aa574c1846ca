#include "tests/engine/llama/probe.h"

int main(int argc, char** argv) {
    CLI::App app("What the engine's rooms compute, for tests.");
    app.require_subcommand(1);
    decodescope::engine::probe::addGreedyCommand(app);
    decodescope::engine::probe::addLogitsCommand(app);
    CLI11_PARSE(app, argc, argv);
    return 0;
}
