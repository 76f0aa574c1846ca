#include "tests/engine/support/memory_file.h"

#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

namespace decodescope::engine::test {

MemoryFile::MemoryFile(std::string_view bytes)
    : m_descriptor(memfd_create("model", MFD_CLOEXEC))
    , m_path("/proc/self/fd/" + std::to_string(m_descriptor)) {
    put(bytes);
}

MemoryFile::~MemoryFile() {
    close(m_descriptor);
}

void MemoryFile::put(std::string_view bytes) {
    const auto size = static_cast<ssize_t>(bytes.size());
    if (ftruncate(m_descriptor, size) != 0 || pwrite(m_descriptor, bytes.data(), bytes.size(), 0) != size) {
        std::perror("a file in memory"); // the machine is at its end; a test without its file proves nothing
        std::abort();
    }
}

} // namespace decodescope::engine::test
