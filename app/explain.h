#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// `decodescope explain`: what would be measured if a captured response arrived from a socket.
namespace decodescope {

struct ExplainOptions {
    std::string protocol;
    std::string file;
    std::size_t splitBytes = 0;        ///< each read holds that many bytes; 0: see splits
    std::vector<std::uint64_t> splits; ///< reads end at these offsets of the file; none: one read
    bool thinkTags = false;
    bool cumulative = false;
};

/// The JSON object of cli.md. Fails with usage for a protocol that this version does not decode, io for a file that
/// cannot be read; a response that holds an error is no failure.
[[nodiscard]] Result<std::string> explainFile(const ExplainOptions& options);

/// The same of bytes in memory.
[[nodiscard]] Result<std::string> explainBytes(std::string_view bytes, const ExplainOptions& options);

} // namespace decodescope
