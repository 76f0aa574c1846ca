#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Reading JSON of unknown origin without a way to throw: a member that is absent or of another type is absent.
namespace decodescope {

/// Whether brackets outside strings nest deeper than 64, found before the library sees the text: its copies and dumps
/// recurse, and deep nesting overflows the stack.
[[nodiscard]] bool nestsTooDeep(std::string_view text);
/// The parsed text; nullopt when it is no JSON or nestsTooDeep().
[[nodiscard]] std::optional<nlohmann::json> parseJson(std::string_view text);
/// JSON text; bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string dumpJson(const nlohmann::json& value);

/// The member, or null when `object` is no object or has none of that name.
[[nodiscard]] const nlohmann::json* member(const nlohmann::json& object, const char* name);
[[nodiscard]] std::optional<std::string> textMember(const nlohmann::json& object, const char* name);
[[nodiscard]] std::optional<std::int64_t> integerMember(const nlohmann::json& object, const char* name);
[[nodiscard]] std::optional<double> numberMember(const nlohmann::json& object, const char* name);
[[nodiscard]] std::optional<bool> boolMember(const nlohmann::json& object, const char* name);

} // namespace decodescope
