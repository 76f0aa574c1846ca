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
    std::vector<std::string> environment;
    for (const QString& variable : engineEnvironment(EngineTask::fetch).toStringList())
        environment.push_back(variable.toStdString());
    std::vector<char*> variables;
    for (std::string& variable : environment)
        variables.push_back(variable.data());
    variables.push_back(nullptr);
    execve(path.c_str(), arguments.data(), variables.data());
    tell(fmt::format("decodescope: {} could not be started: {}.", path, std::strerror(errno)));
    return ExitStatus::noResponse;
}

} // namespace decodescope
