#pragma once

#include <functional>

namespace CLI {
class App;
}

/// The subcommands of decodescope-engine, one file each. A function adds its subcommand with its options to the
/// program and gives what to do when that was asked for; its result is the exit status.
namespace decodescope::engine {

struct Command {
    CLI::App* arguments = nullptr;
    std::function<int()> run;
};

[[nodiscard]] Command serveCommand(CLI::App& program);
[[nodiscard]] Command inspectCommand(CLI::App& program);
[[nodiscard]] Command benchCommand(CLI::App& program);
[[nodiscard]] Command fetchSampleCommand(CLI::App& program);

} // namespace decodescope::engine
