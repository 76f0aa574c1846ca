#pragma once

#include "engine/base/error.h"

#include <cstddef>
#include <span>
#include <string>

namespace decodescope::engine {

/// A regular file mapped for reading, unmapped with the object. A file that another program shortens while it is
/// mapped ends this process with SIGBUS when the lost part is touched: the engine is a process of its own for that.
class MappedFile {
public:
    /// ErrorCode::disk when the path cannot be opened or is no regular file. An empty file maps to no bytes.
    [[nodiscard]] static Result<MappedFile> open(const std::string& path);
    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&& other) noexcept;
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    ~MappedFile();

    [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return m_bytes; }
    void willNeed() const noexcept; ///< asks the kernel to read ahead
    void doneWith() const noexcept; ///< lets the kernel take the pages back

private:
    explicit MappedFile(std::span<const std::byte> bytes) noexcept
        : m_bytes(bytes) {}
    std::span<const std::byte> m_bytes;
};

} // namespace decodescope::engine
