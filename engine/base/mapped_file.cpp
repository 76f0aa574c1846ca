#include "engine/base/mapped_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace decodescope::engine {

namespace {

tl::unexpected<Error> cannot(const char* what, const std::string& path, int number) {
    return fail(ErrorCode::disk,
                fmt::format("Cannot {} {}: {}.", what, visible(path, 4096), std::generic_category().message(number)));
}

} // namespace

Result<MappedFile> MappedFile::open(const std::string& path) {
    // Without O_NONBLOCK, a pipe that nobody writes to would hold us here for ever.
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return cannot("open", path, errno);
    struct stat status {};
    if (::fstat(descriptor, &status) != 0) {
        const int number = errno;
        ::close(descriptor);
        return cannot("look at", path, number);
    }
    if (!S_ISREG(status.st_mode)) {
        ::close(descriptor);
        return fail(ErrorCode::disk, fmt::format("{} is no regular file.", visible(path, 4096)));
    }
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size == 0) {
        ::close(descriptor);
        return MappedFile({});
    }
    void* const mapping = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    const int number = errno;
    ::close(descriptor);
    if (mapping == MAP_FAILED)
        return cannot("map", path, number);
    return MappedFile({static_cast<const std::byte*>(mapping), size});
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : m_bytes(std::exchange(other.m_bytes, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
    std::swap(m_bytes, other.m_bytes);
    return *this;
}

MappedFile::~MappedFile() {
    if (!m_bytes.empty())
        ::munmap(const_cast<std::byte*>(m_bytes.data()), m_bytes.size());
}

void MappedFile::willNeed() const noexcept {
    if (!m_bytes.empty())
        ::madvise(const_cast<std::byte*>(m_bytes.data()), m_bytes.size(), MADV_WILLNEED);
}

void MappedFile::doneWith() const noexcept {
    if (!m_bytes.empty())
        ::madvise(const_cast<std::byte*>(m_bytes.data()), m_bytes.size(), MADV_DONTNEED);
}

} // namespace decodescope::engine
