#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace decodescope::engine::test {

/// A model file made out of a fuzzer's bytes: mostly a valid one with some keys, tensors and numbers changed, now and
/// then the bytes as they are.
[[nodiscard]] std::string mutatedModel(const std::uint8_t* data, std::size_t size);

} // namespace decodescope::engine::test
