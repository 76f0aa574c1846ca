#include "app/engine_command.h"

#include "app/terminal.h"
#include "core/net/engine_program.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <unistd.h>
#include <vector>

namespace decodescope {

ExitStatus becomeEngine(int argc, char** argv) {
    const Result<QString> program = findEngineProgram();
    if (!program) {
        tell(fmt::format("decodescope: {}", program.error().message));
        return ExitStatus::noResponse;
    }
    std::string path = program->toStdString();
    std::vector<char*> arguments{path.data()};
    for (int i = 2; i < argc; ++i)
        arguments.push_back(argv[i]);
    arguments.push_back(nullptr);
    execv(path.c_str(), arguments.data());
    tell(fmt::format("decodescope: {} could not be started: {}.", path, std::strerror(errno)));
    return ExitStatus::noResponse;
}

} // namespace decodescope
