#pragma once

#include "engine/base/error.h"
#include "engine/gguf/gguf_file.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace decodescope::engine {

/// The metadata of one architecture: keys are given without their prefix ("block_count" for "llama.block_count").
/// An absent key is nullopt, one of a wrong type or out of range is ErrorCode::malformed with the key's name.
class ModelKeys {
public:
    ModelKeys(const GgufFile& file, std::string_view architecture);

    [[nodiscard]] const GgufFile& file() const noexcept { return m_file; }
    [[nodiscard]] const std::string& architecture() const noexcept { return m_architecture; }
    [[nodiscard]] bool has(std::string_view key) const;

    [[nodiscard]] Result<std::optional<std::uint32_t>> count(std::string_view key, std::uint32_t least,
                                                             std::uint32_t most) const;
    [[nodiscard]] Result<std::uint32_t> requiredCount(std::string_view key, std::uint32_t least,
                                                      std::uint32_t most) const;
    /// Finite numbers alone.
    [[nodiscard]] Result<std::optional<float>> number(std::string_view key) const;
    [[nodiscard]] Result<std::optional<std::string_view>> text(std::string_view key) const;
    /// One value for all layers or an array of one a layer; always `layers` values. Required.
    [[nodiscard]] Result<std::vector<std::uint32_t>> perLayer(std::string_view key, std::uint32_t layers,
                                                              std::uint32_t least, std::uint32_t most) const;

    /// The key in full, for messages.
    [[nodiscard]] std::string fullName(std::string_view key) const;

private:
    const GgufFile& m_file;
    std::string m_architecture;
};

} // namespace decodescope::engine
