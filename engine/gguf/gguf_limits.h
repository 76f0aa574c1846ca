#pragma once

#include <cstdint>

/// The most that a file may claim. No model comes near them; a file beyond them is refused before anything is done.
namespace decodescope::engine {

constexpr std::uint64_t kMaxHeaderBytes = 512ULL << 20;
constexpr std::uint64_t kMaxKeys = 65'536;
constexpr std::uint64_t kMaxKeyBytes = 65'535;
constexpr std::uint64_t kMaxTensors = 65'536; ///< of all shards
constexpr std::uint64_t kMaxTensorNameBytes = 63;
constexpr std::uint32_t kMaxDimensions = 4;
constexpr std::uint64_t kMaxArrayElements = 16ULL << 20;
/// Arrays beyond it are not handed out as vectors: three times the largest vocabulary there is, and still no file makes
/// us build tables of more than 64 MB.
constexpr std::uint64_t kMaxCopiedElements = 768ULL << 10;
constexpr std::uint64_t kMaxStringBytes = 16ULL << 20;
constexpr std::uint64_t kMinAlignment = 8;
constexpr std::uint64_t kMaxAlignment = 65'536;
constexpr std::uint64_t kDefaultAlignment = 32;
constexpr std::uint64_t kMaxShards = 1'024;

} // namespace decodescope::engine
