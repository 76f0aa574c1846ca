#include "core/record/disk.h"

#include <cerrno>
#include <cstdio>
#include <ctime>
#include <fcntl.h>
#include <signal.h>
#include <sys/statvfs.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace decodescope {
namespace {

std::string directoryOf(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos)
        return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

} // namespace

ssize_t DiskCalls::write(int fd, const void* data, std::size_t size) {
    return ::write(fd, data, size);
}
int DiskCalls::syncData(int fd) {
    return ::fdatasync(fd);
}
int DiskCalls::sync(int fd) {
    return ::fsync(fd);
}
int DiskCalls::rename(const char* from, const char* to) {
    return ::rename(from, to);
}

std::shared_ptr<DiskCalls> systemDiskCalls() {
    static const auto calls = std::make_shared<DiskCalls>();
    return calls;
}

FileDescriptor::FileDescriptor(FileDescriptor&& other) noexcept
    : m_fd(std::exchange(other.m_fd, -1)) {}

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
    if (this != &other) {
        close();
        m_fd = std::exchange(other.m_fd, -1);
    }
    return *this;
}

void FileDescriptor::close() noexcept {
    if (m_fd >= 0)
        ::close(std::exchange(m_fd, -1));
}

FileSizeSignalGuard::FileSizeSignalGuard() {
    sigset_t limit;
    sigset_t before;
    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &limit, &before);
    m_wasBlocked = sigismember(&before, SIGXFSZ) == 1;
}

FileSizeSignalGuard::~FileSizeSignalGuard() {
    if (m_wasBlocked)
        return;
    // One may have been raised and be waiting: taken here, it cannot strike when the mask is lifted.
    sigset_t limit;
    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    const timespec now{};
    while (sigtimedwait(&limit, nullptr, &now) == SIGXFSZ) {
    }
    pthread_sigmask(SIG_UNBLOCK, &limit, nullptr);
}

int writeFully(DiskCalls& calls, int fd, std::string_view bytes, std::size_t& written) {
    written = 0;
    while (written < bytes.size()) {
        const ssize_t took = calls.write(fd, bytes.data() + written, bytes.size() - written);
        if (took > 0) {
            written += static_cast<std::size_t>(took);
        } else if (took == 0) {
            return EIO;
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

int syncDirectoryOf(DiskCalls& calls, const std::string& path) {
    const FileDescriptor directory(::open(directoryOf(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!directory.open())
        return errno;
    if (calls.sync(directory.get()) == 0)
        return 0;
    // Some file systems have nothing to sync in a directory and say so.
    return errno == EINVAL ? 0 : errno;
}

std::string diskReason(int error) {
    switch (error) {
    case ENOSPC:
        return "the disk is full";
    case EDQUOT:
        return "the disk quota is used up";
    case EFBIG:
        return "the file may not grow further (a size limit)";
    case EIO:
        return "the disk reported a read or write error";
    case EROFS:
        return "the disk is mounted read-only";
    case EACCES:
    case EPERM:
        return "permission was denied";
    case ENOENT:
        return "the folder does not exist";
    case ENOTDIR:
        return "part of the path is not a folder";
    case EEXIST:
        return "a file of that name exists already";
    case ENAMETOOLONG:
        return "the name is too long";
    case EISDIR:
        return "it is a folder";
    case EMFILE:
    case ENFILE:
        return "too many files are open";
    default:
        return std::generic_category().message(error);
    }
}

std::optional<std::uint64_t> freeDiskBytes(const std::string& path) {
    struct statvfs status {};
    if (::statvfs(path.c_str(), &status) != 0 && ::statvfs(directoryOf(path).c_str(), &status) != 0)
        return std::nullopt;
    return std::uint64_t{status.f_bavail} * status.f_frsize;
}

} // namespace decodescope
