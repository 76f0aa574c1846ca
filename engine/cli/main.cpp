#include "engine/base/error.h"
#include "engine/cli/commands.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <vector>

using namespace decodescope::engine;

namespace {

constexpr const char* kExitStatusHelp = "Exit status: 0 ok; 1 internal fault; 2 wrong usage; 5 a malformed or "
                                        "unsupported model; 8 a file could not be\nread, written or downloaded; 9 "
                                        "out of memory, or a device that is absent or failed; 130 interrupted.";

int chosen(int count, char** arguments) {
    CLI::App program("The decode engine of Decodescope: runs GGUF models and tells when each token was sampled.",
                     "decodescope-engine");
    program.set_version_flag("--version", "decodescope-engine " DECODESCOPE_VERSION);
    program.require_subcommand(1);
    program.footer(kExitStatusHelp);
    const std::vector<Command> commands{serveCommand(program), benchCommand(program), inspectCommand(program),
                                        fetchSampleCommand(program)};
    try {
        program.parse(count, arguments);
    } catch (const CLI::ParseError& error) {
        const int status = program.exit(error);
        return status == 0 ? 0 : exitStatusOf(ErrorCode::usage); // --help and --version end here too, with 0
    }
    for (const Command& command : commands)
        if (command.arguments->parsed())
            return command.run();
    return exitStatusOf(ErrorCode::internal);
}

} // namespace

int main(int count, char** arguments) {
    std::signal(SIGPIPE, SIG_IGN); // a reader that went away is an error of writing, not the end of us
    try {
        return chosen(count, arguments);
    } catch (const std::bad_alloc&) {
        std::fputs("decodescope-engine: out of memory.\n", stderr);
        return exitStatusOf(ErrorCode::memory);
    } catch (const std::exception& error) {
        fmt::print(stderr, "decodescope-engine: internal fault: {}\n", visible(error.what()));
        return exitStatusOf(ErrorCode::internal);
    }
}
