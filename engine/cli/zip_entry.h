#pragma once

#include "engine/base/error.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

/// As much of zip as a Python wheel needs: entries that are stored or deflated, no encryption, below 4 GiB.
namespace decodescope::engine {

struct ZipEntry {
    std::uint16_t method = 0; ///< 0 stored, 8 deflated
    std::uint64_t bytes = 0;  ///< unpacked
    std::span<const std::byte> packed;
};

/// The entry whose name is `file` or ends with "/" and `file`.
[[nodiscard]] Result<ZipEntry> findZipEntry(std::span<const std::byte> zip, std::string_view file);

/// Hands the entry's bytes over piece by piece; stops at the first error of `take`. Never gives more than
/// `entry.bytes`; an entry that holds fewer or more is ErrorCode::malformed.
[[nodiscard]] Result<void> unpackZipEntry(const ZipEntry& entry,
                                          const std::function<Result<void>(std::span<const std::byte>)>& take);

} // namespace decodescope::engine
