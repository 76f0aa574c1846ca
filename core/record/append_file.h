#pragma once

#include "core/base/error.h"
#include "core/record/disk.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace decodescope {

/// A file of lines that only grows: opened O_APPEND under a new name, mode 0600. Whatever fails, it holds whole
/// lines only. Not thread-safe.
class AppendFile {
public:
    /// Refuses an existing path. The file, its first lines and its directory entry are on disk when this returns;
    /// after a failure there is no file.
    [[nodiscard]] static Result<AppendFile> create(const std::string& path, std::string_view firstLines,
                                                   std::shared_ptr<DiskCalls> calls = systemDiskCalls());

    /// Appends whole lines. Returns 0 or the errno; after a failure a torn last line has been cut off again.
    [[nodiscard]] int append(std::string_view lines);
    /// Makes what was written durable. 0 or the errno.
    [[nodiscard]] int sync();
    /// Whether the file still has a name: false once it was deleted.
    [[nodiscard]] bool hasName() const;

    [[nodiscard]] std::uint64_t bytes() const noexcept { return m_bytes; }
    [[nodiscard]] const std::string& path() const noexcept { return m_path; }

private:
    AppendFile(std::string path, FileDescriptor fd, std::shared_ptr<DiskCalls> calls);

    std::string m_path;
    FileDescriptor m_fd;
    std::shared_ptr<DiskCalls> m_calls;
    std::uint64_t m_bytes = 0; // of whole lines
};

} // namespace decodescope
