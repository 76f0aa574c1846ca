#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace decodescope::engine {

/// The path of one part of a model: stem-00002-of-00005.gguf.
struct ShardName {
    std::string stem;         ///< with the folder
    std::uint64_t number = 0; ///< from 1
    std::uint64_t count = 0;

    [[nodiscard]] static std::optional<ShardName> of(const std::string& path);
    [[nodiscard]] std::string part(std::uint64_t which) const;
};

} // namespace decodescope::engine
