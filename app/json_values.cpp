#include "app/json_values.h"

#include "core/base/utf8.h"
#include "core/base/visible_text.h"
#include "core/record/json_fields.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace decodescope {

Json jsonNumber(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json jsonNumber(const std::optional<double>& value) {
    return value ? jsonNumber(*value) : Json(nullptr);
}

Json jsonCount(const std::optional<std::uint64_t>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json jsonCount(const std::optional<double>& value) {
    constexpr double kExact = 9007199254740992.0; // 2^53
    if (!value || !std::isfinite(*value))
        return nullptr;
    if (*value >= 0 && *value < kExact && *value == std::floor(*value))
        return static_cast<std::uint64_t>(*value);
    return *value;
}

Json jsonText(std::string_view text) {
    return repairUtf8(text).text;
}

Json jsonOptionalText(const std::optional<std::string>& text) {
    return text ? jsonText(*text) : Json(nullptr);
}

Json jsonTextOrNull(std::string_view text) {
    return text.empty() ? Json(nullptr) : jsonText(text);
}

Json jsonForeign(std::string_view text) {
    if (text.empty() || nestsTooDeep(text))
        return nullptr;
    Json value = Json::parse(text, nullptr, false);
    return value.is_discarded() ? Json(nullptr) : value;
}

std::string jsonDump(const Json& value, int indent) {
    return visibleJson(value.dump(indent, ' ', false, Json::error_handler_t::replace));
}

} // namespace decodescope
