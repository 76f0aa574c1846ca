#include "engine/cli/child_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace decodescope::engine {

namespace {

constexpr int kNotFound = 127;
constexpr std::size_t kKeptOutput = 64 << 10;
constexpr int kTickMs = 100;

/// In the child, after fork: only what is allowed between fork and exec.
[[noreturn]] void becomeProgram(char* const* words, char* const* environment, int output, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(kNotFound);
    std::signal(SIGPIPE, SIG_DFL);
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    execvpe(words[0], words, environment);
    _exit(kNotFound);
}

std::vector<std::string> environmentWith(const std::vector<std::pair<std::string, std::string>>& more) {
    std::vector<std::string> out;
    for (char** at = environ; *at != nullptr; ++at) {
        const std::string one = *at;
        const auto replaced = [&one](const auto& pair) { return one.starts_with(pair.first + "="); };
        if (std::none_of(more.begin(), more.end(), replaced))
            out.push_back(one);
    }
    for (const auto& [name, value] : more)
        out.push_back(name + "=" + value);
    return out;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> out;
    for (std::string& word : words)
        out.push_back(word.data());
    out.push_back(nullptr);
    return out;
}

/// Reads to the end of the output; false when `tick` wanted to stop.
bool gather(int descriptor, std::string& output, const std::function<bool()>& tick) {
    std::array<char, 8'192> piece{};
    for (;;) {
        if (!tick())
            return false;
        pollfd waiting{descriptor, POLLIN, 0};
        if (poll(&waiting, 1, kTickMs) <= 0)
            continue;
        const ssize_t got = read(descriptor, piece.data(), piece.size());
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return true;
        output.append(piece.data(), static_cast<std::size_t>(got));
        if (output.size() > 2 * kKeptOutput)
            output.erase(0, output.size() - kKeptOutput);
    }
}

} // namespace

Result<ChildResult> runChild(const std::vector<std::string>& words,
                             const std::vector<std::pair<std::string, std::string>>& environment,
                             const std::function<bool()>& tick) {
    std::vector<std::string> wordsCopy = words;
    std::vector<std::string> environmentCopy = environmentWith(environment);
    const std::vector<char*> wordPointers = pointers(wordsCopy);
    const std::vector<char*> environmentPointers = pointers(environmentCopy);
    std::array<int, 2> pipe{};
    if (pipe2(pipe.data(), O_CLOEXEC) != 0)
        return fail(ErrorCode::internal, "No pipe can be made: " + std::generic_category().message(errno) + ".");
    const pid_t self = getpid();
    const pid_t child = fork();
    if (child == 0)
        becomeProgram(wordPointers.data(), environmentPointers.data(), pipe[1], self);
    const int number = errno;
    close(pipe[1]);
    if (child < 0) {
        close(pipe[0]);
        return fail(ErrorCode::memory, "No process can be started: " + std::generic_category().message(number) + ".");
    }
    ChildResult result;
    const bool ended = gather(pipe[0], result.output, tick);
    if (!ended)
        kill(child, SIGTERM);
    close(pipe[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!ended)
        return fail(ErrorCode::cancelled, "Interrupted.");
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result;
}

} // namespace decodescope::engine
