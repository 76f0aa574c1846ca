#pragma once

#include "core/base/clock.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// JSON as cli.md wants it: undefined is null, no number is NaN or infinite, text is valid UTF-8.
namespace decodescope {

using Json = nlohmann::ordered_json;

[[nodiscard]] Json jsonNumber(double value);
[[nodiscard]] Json jsonNumber(const std::optional<double>& value);
/// A count that may be a fraction: whole ones are written without a point.
[[nodiscard]] Json jsonCount(const std::optional<double>& value);
[[nodiscard]] Json jsonCount(const std::optional<std::uint64_t>& value);
[[nodiscard]] Json jsonText(std::string_view text);
[[nodiscard]] Json jsonOptionalText(const std::optional<std::string>& text);
/// Null for an empty text.
[[nodiscard]] Json jsonTextOrNull(std::string_view text);
/// Another party's JSON text as a value; null when it is not JSON, or nested too deeply to be copied safely.
[[nodiscard]] Json jsonForeign(std::string_view text);

/// One line, or indented for people's eyes when `indent` is at least 0. Never throws.
[[nodiscard]] std::string jsonDump(const Json& value, int indent = -1);

} // namespace decodescope
