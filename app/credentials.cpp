#include "app/credentials.h"

#include "core/base/redaction.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace decodescope {

namespace {

using Key = Result<std::shared_ptr<const Secret>>;

/// No key is longer; what is, is the wrong file.
constexpr std::size_t kMaximumKeyBytes = 16 << 10;

/// Closes a descriptor at the end of its scope.
struct Descriptor {
    int value = -1;
    ~Descriptor() {
        if (value >= 0)
            ::close(value);
    }
};

void wipe(std::string& text) {
    std::fill(text.begin(), text.end(), '\0');
    text.clear();
}

/// Makes a key of a text after dropping the line break at its end.
Key keyFrom(std::string text, const std::string& place) {
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r'))
        text.pop_back();
    if (text.empty())
        return fail(ErrorCode::usage, fmt::format("There is no key {}: it is empty.", place));
    const bool fit = std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7F; });
    if (!fit) {
        wipe(text);
        return fail(ErrorCode::usage, fmt::format("The key {} holds a space, a line break or another character that no "
                                                  "key has. Check where it was copied from.",
                                                  place));
    }
    return std::make_shared<const Secret>(std::move(text));
}

/// Reads to the end, or to the first line break; nullopt when it is too long, an errno in `error` on failure.
std::optional<std::string> readAll(int descriptor, bool firstLineOnly, int& error) {
    std::string text;
    std::array<char, 1024> buffer{};
    error = 0;
    for (;;) {
        // From a terminal or a pipe only the key's own line is taken: the rest may be meant for others.
        const std::size_t want = firstLineOnly ? 1 : buffer.size();
        const ssize_t n = ::read(descriptor, buffer.data(), want);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            error = errno;
            break;
        }
        if (n == 0)
            break;
        text.append(buffer.data(), static_cast<std::size_t>(n));
        if (firstLineOnly && buffer[0] == '\n')
            break;
        if (text.size() > kMaximumKeyBytes) {
            wipe(text);
            buffer.fill('\0');
            return std::nullopt;
        }
    }
    buffer.fill('\0');
    return text;
}

/// What may be a key that was put where its name belongs is not repeated.
std::string shownName(const std::string& name) {
    const std::string masked = withoutLikelyKeys(name);
    return masked == name ? name : masked + " (is that the key itself? Its name belongs here)";
}

Key fromEnvironment(const KeyReference& reference) {
    const char* value = std::getenv(reference.name.c_str());
    if (value == nullptr)
        return fail(ErrorCode::usage, fmt::format("The environment variable {} that should hold the key is not set.",
                                                  shownName(reference.name)));
    return keyFrom(value, describe(reference));
}

Key fromFile(const KeyReference& reference) {
    // Opened first and judged by the descriptor, so that nothing can be exchanged in between.
    const Descriptor file{::open(reference.name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    struct stat status {};
    if (file.value < 0 || ::fstat(file.value, &status) != 0)
        return fail(ErrorCode::io, fmt::format("The key file \"{}\" cannot be read: {}.", shownName(reference.name),
                                               std::strerror(errno)));
    if (!S_ISREG(status.st_mode))
        return fail(
            ErrorCode::usage,
            fmt::format("\"{}\" is no plain file. Give the path of a file that holds the key.", reference.name));
    if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        return fail(ErrorCode::usage, fmt::format("The key file \"{0}\" can be read or changed by others. Make it your "
                                                  "own with: chmod 600 \"{0}\"",
                                                  reference.name));
    int error = 0;
    auto text = readAll(file.value, false, error);
    if (!text)
        return fail(ErrorCode::usage, fmt::format("The file \"{}\" is too long to hold a key.", reference.name));
    if (error != 0) {
        wipe(*text);
        return fail(ErrorCode::io,
                    fmt::format("The key file \"{}\" cannot be read: {}.", reference.name, std::strerror(error)));
    }
    return keyFrom(std::move(*text), describe(reference));
}

Key fromStandardInput(const KeyReference& reference) {
    int error = 0;
    auto text = readAll(STDIN_FILENO, true, error);
    if (!text)
        return fail(ErrorCode::usage, "The first line of standard input is too long to be a key.");
    if (error != 0) {
        wipe(*text);
        return fail(ErrorCode::io,
                    fmt::format("The key cannot be read from standard input: {}.", std::strerror(error)));
    }
    return keyFrom(std::move(*text), describe(reference));
}

} // namespace

Result<std::shared_ptr<const Secret>> loadKey(const KeyReference& reference) {
    switch (reference.kind) {
    case KeyReference::Kind::none:
        return std::shared_ptr<const Secret>();
    case KeyReference::Kind::environment:
        return fromEnvironment(reference);
    case KeyReference::Kind::file:
        return fromFile(reference);
    case KeyReference::Kind::standardInput:
        return fromStandardInput(reference);
    case KeyReference::Kind::keychain:
        return fail(ErrorCode::usage, "Keys in the keychain are fetched by the window alone. Give the key by "
                                      "--key-env, --key-file or --key-stdin.");
    case KeyReference::Kind::session:
        break;
    }
    return fail(ErrorCode::usage, "The key was typed for one session only and is not known any more. Type it again.");
}

std::string describe(const KeyReference& reference) {
    switch (reference.kind) {
    case KeyReference::Kind::none:
        return "without a key";
    case KeyReference::Kind::environment:
        return "from the environment variable " + reference.name;
    case KeyReference::Kind::file:
        return "from the file " + reference.name;
    case KeyReference::Kind::standardInput:
        return "from standard input";
    case KeyReference::Kind::keychain:
        return "from the keychain";
    case KeyReference::Kind::session:
        break;
    }
    return "typed for this session";
}

} // namespace decodescope
