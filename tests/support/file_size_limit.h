#pragma once

#include <cstddef>
#include <sys/resource.h>

namespace decodescope::test {

/// While it lives no file of this process can grow beyond `bytes`: a disk that is full at that very byte, for writers
/// of every kind. What is written to a pipe is not meant by it.
class FileSizeLimit {
public:
    explicit FileSizeLimit(std::size_t bytes) {
        ::getrlimit(RLIMIT_FSIZE, &m_before);
        const rlimit now{bytes, m_before.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &now);
    }
    ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &m_before); }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;

private:
    rlimit m_before{};
};

} // namespace decodescope::test
