#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>

/// Members of what the engine's program prints; nothing that it may print can throw.
namespace decodescope {

/// Valid UTF-8; empty when there is no text of that name, or `object` is none.
[[nodiscard]] std::string textIn(const nlohmann::json& object, const char* name);
/// Absent when there is no whole number of that name from 0 on.
[[nodiscard]] std::optional<std::uint64_t> countIn(const nlohmann::json& object, const char* name);

} // namespace decodescope
