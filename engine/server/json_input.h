#pragma once

#include "engine/base/error.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string_view>

namespace decodescope::engine {

inline constexpr std::size_t kMaxJsonDepth = 64;
inline constexpr std::size_t kMaxJsonValues = 1'000'000;

/// JSON from a client. ErrorCode::usage for what is no JSON, nests deeper than kMaxJsonDepth or holds more than
/// kMaxJsonValues values: found before anything is built, so a body of brackets costs nothing.
[[nodiscard]] Result<nlohmann::json> parseJson(std::string_view text);

/// A JSON object, else ErrorCode::usage.
[[nodiscard]] Result<nlohmann::json> parseJsonObject(std::string_view text);

} // namespace decodescope::engine
