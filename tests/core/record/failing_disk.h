#pragma once

#include "core/record/disk.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <limits>

namespace decodescope::test {

/// A disk whose N-th call (from 1) fails, and every call after it, as on a disk that stays full. With EINTR the
/// N-th alone fails.
class FailingDisk final : public DiskCalls {
public:
    FailingDisk(int failAt, int error)
        : m_left(failAt)
        , m_error(error) {}

    ssize_t write(int fd, const void* data, std::size_t size) override {
        if (strikes())
            return -1;
        return DiskCalls::write(fd, data, std::min(size, mostPerWrite));
    }
    int syncData(int fd) override { return !writesOnly && strikes() ? -1 : DiskCalls::syncData(fd); }
    int sync(int fd) override { return !writesOnly && strikes() ? -1 : DiskCalls::sync(fd); }
    int rename(const char* from, const char* to) override {
        return !writesOnly && strikes() ? -1 : DiskCalls::rename(from, to);
    }

    [[nodiscard]] bool failed() const { return m_failed; }

    std::size_t mostPerWrite = std::numeric_limits<std::size_t>::max(); ///< short writes
    bool writesOnly = false;

private:
    bool strikes() {
        const int left = --m_left;
        if (left > 0 || (m_error == EINTR && left < 0))
            return false;
        m_failed = true;
        errno = m_error;
        return true;
    }

    std::atomic<int> m_left;
    int m_error;
    std::atomic<bool> m_failed = false;
};

} // namespace decodescope::test
