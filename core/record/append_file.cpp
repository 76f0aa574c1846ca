#include "core/record/append_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace decodescope {

AppendFile::AppendFile(std::string path, FileDescriptor fd, std::shared_ptr<DiskCalls> calls)
    : m_path(std::move(path))
    , m_fd(std::move(fd))
    , m_calls(std::move(calls)) {}

Result<AppendFile> AppendFile::create(const std::string& path, std::string_view firstLines,
                                      std::shared_ptr<DiskCalls> calls) {
    const auto failed = [&](int error) {
        return fail(ErrorCode::io,
                    fmt::format("The recording {} could not be created: {}. Choose another name or place.", path,
                                diskReason(error)),
                    fmt::format("errno {}", error));
    };
    FileDescriptor fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd.open())
        return failed(errno);
    AppendFile file(path, std::move(fd), std::move(calls));
    int error = file.append(firstLines);
    if (error == 0)
        error = file.sync();
    if (error == 0)
        error = syncDirectoryOf(*file.m_calls, path);
    if (error != 0) {
        ::unlink(path.c_str());
        return failed(error);
    }
    return file;
}

int AppendFile::append(std::string_view lines) {
    const FileSizeSignalGuard guard;
    std::size_t written = 0;
    const int error = writeFully(*m_calls, m_fd.get(), lines, written);
    if (error == 0) {
        m_bytes += written;
        return 0;
    }
    const std::size_t lastBreak = lines.substr(0, written).rfind('\n');
    m_bytes += lastBreak == std::string_view::npos ? 0 : lastBreak + 1;
    // A reader drops a torn line anyway; without it the file says of itself that it is whole.
    if (::ftruncate(m_fd.get(), static_cast<off_t>(m_bytes)) != 0)
        return error;
    return error;
}

int AppendFile::sync() {
    return m_calls->syncData(m_fd.get()) == 0 ? 0 : errno;
}

bool AppendFile::hasName() const {
    struct stat status {};
    return ::fstat(m_fd.get(), &status) == 0 && status.st_nlink > 0;
}

} // namespace decodescope
