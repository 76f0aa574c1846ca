#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>

/// The few system calls by which recordings and settings reach the disk, each result checked.
namespace decodescope {

/// The calls that can fail for want of a disk. A seam: tests let the N-th one fail.
class DiskCalls {
public:
    virtual ~DiskCalls() = default;
    virtual ssize_t write(int fd, const void* data, std::size_t size); ///< write(2)
    virtual int syncData(int fd);                                      ///< fdatasync(2)
    virtual int sync(int fd);                                          ///< fsync(2)
    virtual int rename(const char* from, const char* to);              ///< rename(2)
};

/// The calls as the system has them.
[[nodiscard]] std::shared_ptr<DiskCalls> systemDiskCalls();

/// A descriptor that closes itself.
class FileDescriptor {
public:
    explicit FileDescriptor(int fd = -1) noexcept
        : m_fd(fd) {}
    FileDescriptor(FileDescriptor&& other) noexcept;
    FileDescriptor& operator=(FileDescriptor&& other) noexcept;
    ~FileDescriptor() { close(); }

    [[nodiscard]] int get() const noexcept { return m_fd; }
    [[nodiscard]] bool open() const noexcept { return m_fd >= 0; }
    void close() noexcept;

private:
    int m_fd;
};

/// While it lives, a file-size limit (RLIMIT_FSIZE) shows as a failed write on this thread, not as a signal that
/// ends the program.
class FileSizeSignalGuard {
public:
    FileSizeSignalGuard();
    ~FileSizeSignalGuard();
    FileSizeSignalGuard(const FileSizeSignalGuard&) = delete;
    FileSizeSignalGuard& operator=(const FileSizeSignalGuard&) = delete;

private:
    bool m_wasBlocked = false;
};

/// Writes all of it, across short writes and interruptions. Returns 0 or the errno; `written` tells how many
/// bytes the file took in either case.
[[nodiscard]] int writeFully(DiskCalls& calls, int fd, std::string_view bytes, std::size_t& written);

/// Makes a directory entry durable: fsync of the directory that holds `path`. 0 or the errno.
[[nodiscard]] int syncDirectoryOf(DiskCalls& calls, const std::string& path);

/// What an errno means to a person, as a clause without end: "the disk is full".
[[nodiscard]] std::string diskReason(int error);

/// Free bytes for this user on the file system that holds `path` (or would hold it).
[[nodiscard]] std::optional<std::uint64_t> freeDiskBytes(const std::string& path);

} // namespace decodescope
