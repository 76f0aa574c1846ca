#include "core/record/json_fields.h"

#include <nlohmann/json.hpp>

#include <limits>

namespace decodescope {
namespace {

constexpr int kDeepest = 64;

} // namespace

bool nestsTooDeep(std::string_view text) {
    int depth = 0;
    bool inString = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (inString) {
            if (c == '\\')
                ++i;
            else if (c == '"')
                inString = false;
            continue;
        }
        if (c == '"')
            inString = true;
        else if ((c == '{' || c == '[') && ++depth > kDeepest)
            return true;
        else if (c == '}' || c == ']')
            --depth;
    }
    return false;
}

std::optional<nlohmann::json> parseJson(std::string_view text) {
    if (nestsTooDeep(text))
        return std::nullopt;
    nlohmann::json value = nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
    if (value.is_discarded())
        return std::nullopt;
    return value;
}

std::string dumpJson(const nlohmann::json& value) {
    return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

const nlohmann::json* member(const nlohmann::json& object, const char* name) {
    if (!object.is_object())
        return nullptr;
    const auto found = object.find(name);
    return found == object.end() ? nullptr : &*found;
}

std::optional<std::string> textMember(const nlohmann::json& object, const char* name) {
    const nlohmann::json* value = member(object, name);
    if (value == nullptr || !value->is_string())
        return std::nullopt;
    return value->get_ref<const std::string&>();
}

std::optional<std::int64_t> integerMember(const nlohmann::json& object, const char* name) {
    const nlohmann::json* value = member(object, name);
    if (value == nullptr || !value->is_number_integer())
        return std::nullopt;
    if (value->is_number_unsigned() &&
        value->get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        return std::nullopt;
    return value->get<std::int64_t>();
}

std::optional<double> numberMember(const nlohmann::json& object, const char* name) {
    const nlohmann::json* value = member(object, name);
    if (value == nullptr || !value->is_number())
        return std::nullopt;
    return value->get<double>();
}

std::optional<bool> boolMember(const nlohmann::json& object, const char* name) {
    const nlohmann::json* value = member(object, name);
    if (value == nullptr || !value->is_boolean())
        return std::nullopt;
    return value->get<bool>();
}

} // namespace decodescope
