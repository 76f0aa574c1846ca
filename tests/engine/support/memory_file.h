#pragma once

#include <string>
#include <string_view>

namespace decodescope::engine::test {

/// A regular file without a place on any disk, for readers that take a path.
class MemoryFile {
public:
    explicit MemoryFile(std::string_view bytes);
    ~MemoryFile();
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    void put(std::string_view bytes); ///< in place of what it held; nobody may have it mapped
    [[nodiscard]] const std::string& path() const noexcept { return m_path; }

private:
    int m_descriptor;
    std::string m_path;
};

} // namespace decodescope::engine::test
