#pragma once

#include "engine/base/error.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace decodescope::engine {

/// SHA-256 of bytes as they come, and the file that they go to.
class CheckedWriter {
public:
    /// Creates `path`; it must not exist.
    [[nodiscard]] static Result<CheckedWriter> create(const std::string& path);
    CheckedWriter(CheckedWriter&&) noexcept;
    CheckedWriter& operator=(CheckedWriter&&) noexcept;
    ~CheckedWriter();

    [[nodiscard]] Result<void> write(std::span<const std::byte> bytes);
    /// Everything on the disk, and the digest as lower-case hex.
    [[nodiscard]] Result<std::string> finish();

private:
    struct Parts;
    explicit CheckedWriter(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> m_parts;
};

/// SHA-256 of a file, or an error when it cannot be read.
[[nodiscard]] Result<std::string> sha256OfFile(const std::string& path);

/// `from` takes the name `to`, and the folder that holds them is on the disk.
[[nodiscard]] Result<void> renameDurably(const std::string& from, const std::string& to);

} // namespace decodescope::engine
