#include "core/record/safe_file.h"

#include <climits>
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace decodescope {
namespace {

/// The file that a name leads to, also one that is not there yet: saving through a link must not put a file in the
/// link's place.
std::string resolved(std::string path) {
    constexpr int kMostLinks = 40; // as the kernel has it
    std::array<char, PATH_MAX> buffer{};
    for (int links = 0; links < kMostLinks; ++links) {
        if (::realpath(path.c_str(), buffer.data()) != nullptr)
            return buffer.data();
        const ssize_t length = ::readlink(path.c_str(), buffer.data(), buffer.size());
        if (length <= 0 || static_cast<std::size_t>(length) == buffer.size())
            break;
        const std::string target(buffer.data(), static_cast<std::size_t>(length));
        const std::size_t slash = path.rfind('/');
        path = target.front() == '/' || slash == std::string::npos ? target : path.substr(0, slash + 1) + target;
    }
    return path;
}

/// Devices, pipes and sockets are written to and never replaced: by renaming, a file would take the place of /dev/null.
bool isNoFile(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

int writeInto(const std::string& path, std::string_view content, DiskCalls& calls) {
    const FileDescriptor target(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    if (!target.open())
        return errno;
    // A pipe that nobody reads is refused; one that is read slowly is waited for.
    if (::fcntl(target.get(), F_SETFL, 0) != 0)
        return errno;
    std::size_t written = 0;
    return writeFully(calls, target.get(), content, written);
}

tl::unexpected<Error> cannotSave(const std::string& path, int error) {
    return fail(ErrorCode::io,
                fmt::format("{} could not be saved: {}. What was there before is unchanged.", path, diskReason(error)),
                fmt::format("errno {}", error));
}

/// A file beside its final place, 0600, that vanishes unless it is put in place.
class TemporaryFile {
public:
    TemporaryFile(const std::string& target, DiskCalls& calls)
        : m_target(target)
        , m_path(target + ".XXXXXX")
        , m_calls(calls)
        , m_fd(::mkostemp(m_path.data(), O_CLOEXEC)) {
        m_error = m_fd.open() ? 0 : errno;
    }
    ~TemporaryFile() {
        if (m_fd.open() && !m_inPlace)
            ::unlink(m_path.c_str());
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    [[nodiscard]] int error() const { return m_error; }

    int write(std::string_view bytes) {
        std::size_t written = 0;
        return writeFully(m_calls, m_fd.get(), bytes, written);
    }

    int putInPlace(Existing existing) {
        if (m_calls.sync(m_fd.get()) != 0)
            return errno;
        // link() refuses an existing name, rename() replaces it; both are one step.
        if (existing == Existing::refuse) {
            if (::link(m_path.c_str(), m_target.c_str()) != 0)
                return errno;
            ::unlink(m_path.c_str());
        } else if (m_calls.rename(m_path.c_str(), m_target.c_str()) != 0) {
            return errno;
        }
        m_inPlace = true;
        return syncDirectoryOf(m_calls, m_target);
    }

private:
    std::string m_target;
    std::string m_path;
    DiskCalls& m_calls;
    FileDescriptor m_fd;
    int m_error = 0;
    bool m_inPlace = false;
};

/// The file as it was gets a second name; the first one is about to mean the new file.
int keepBackup(const std::string& path) {
    const std::string backup = path + ".bak";
    const std::string next = backup + ".new";
    ::unlink(next.c_str());
    if (::link(path.c_str(), next.c_str()) != 0)
        return errno == ENOENT ? 0 : errno;
    return ::rename(next.c_str(), backup.c_str()) == 0 ? 0 : errno;
}

} // namespace

Result<void> saveFile(const std::string& path, std::string_view content, Backup backup,
                      std::shared_ptr<DiskCalls> calls) {
    const FileSizeSignalGuard guard;
    if (isNoFile(path)) {
        const int error = writeInto(path, content, *calls);
        return error == 0 ? Result<void>() : cannotSave(path, error);
    }
    const std::string target = resolved(path);
    TemporaryFile file(target, *calls);
    int error = file.error();
    if (error == 0)
        error = file.write(content);
    if (error == 0 && backup == Backup::keepOne)
        error = keepBackup(target);
    if (error == 0)
        error = file.putInPlace(Existing::replace);
    if (error != 0)
        return cannotSave(path, error);
    return {};
}

Result<void> putInPlace(const std::string& file, const std::string& path, std::shared_ptr<DiskCalls> calls) {
    if (isNoFile(path))
        return fail(ErrorCode::io, fmt::format("{} could not be saved: it is a device or a pipe.", path));
    const std::string target = resolved(path);
    int error = calls->rename(file.c_str(), target.c_str()) == 0 ? 0 : errno;
    if (error == 0)
        error = syncDirectoryOf(*calls, target);
    if (error != 0)
        return cannotSave(path, error);
    return {};
}

Result<void> makePrivateFolder(const std::string& path) {
    for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
        const std::string part = path.substr(0, end);
        if (::mkdir(part.c_str(), 0700) != 0 && errno != EEXIST && errno != EISDIR) {
            const int error = errno;
            struct stat status {};
            if (::stat(part.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
                return fail(ErrorCode::io, fmt::format("The folder {} cannot be made: {}.", part, diskReason(error)));
        }
        if (end == std::string::npos)
            break;
    }
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
        return fail(ErrorCode::io, fmt::format("{} is no folder.", path));
    return {};
}

Result<void> copyRecording(const std::string& from, const std::string& to, Existing existing,
                           std::shared_ptr<DiskCalls> calls) {
    constexpr std::size_t kAtOnce = std::size_t{1} << 20;
    const FileSizeSignalGuard guard;
    const FileDescriptor source(::open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!source.open())
        return fail(ErrorCode::io, fmt::format("The recording {} could not be read: {}.", from, diskReason(errno)));
    struct stat kind {};
    if (::fstat(source.get(), &kind) != 0 || !S_ISREG(kind.st_mode))
        return fail(ErrorCode::io, fmt::format("The recording {} could not be read: it is no ordinary file.", from));
    if (isNoFile(to))
        return fail(ErrorCode::io, fmt::format("{} could not be saved: it is a device or a pipe.", to));
    TemporaryFile copy(existing == Existing::replace ? resolved(to) : to, *calls);
    int error = copy.error();
    std::string buffer(kAtOnce, '\0');
    std::string pending; // read, but not yet known to be a whole line
    while (error == 0) {
        const ssize_t got = ::read(source.get(), buffer.data(), buffer.size());
        if (got == 0)
            break;
        if (got < 0) {
            error = errno == EINTR ? 0 : errno;
            continue;
        }
        pending.append(buffer, 0, static_cast<std::size_t>(got));
        if (const std::size_t end = pending.rfind('\n'); end != std::string::npos) {
            error = copy.write(std::string_view(pending).substr(0, end + 1));
            pending.erase(0, end + 1);
        }
    }
    if (error == 0)
        error = copy.putInPlace(existing);
    if (error != 0)
        return cannotSave(to, error);
    return {};
}

} // namespace decodescope
