#pragma once

#include "engine/base/error.h"
#include "engine/gguf/gguf_file.h"
#include "engine/gguf/gguf_metadata.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// The header of one file: everything before the tensor data, and where the tensors lie. All text is left where it is
/// in the mapping.
namespace decodescope::engine {

struct GgufHeader {
    std::uint32_t version = 0;
    Metadata metadata;
    std::vector<TensorView> tensors; ///< in file order; `data` and `bytes` checked against the file
};

/// `name` is the file's for messages. Nothing is allocated for a count before the bytes that it promises are there.
[[nodiscard]] Result<GgufHeader> parseHeader(std::span<const std::byte> file, const std::string& name);

} // namespace decodescope::engine
