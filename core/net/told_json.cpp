#include "core/net/told_json.h"

#include "core/base/utf8.h"

#include <nlohmann/json.hpp>

namespace decodescope {

std::string textIn(const nlohmann::json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_string() ? repairUtf8(found->get<std::string>()).text : std::string();
}

std::optional<std::uint64_t> countIn(const nlohmann::json& object, const char* name) {
    const auto found = object.find(name);
    if (found == object.end() || !found->is_number_unsigned())
        return std::nullopt;
    return found->get<std::uint64_t>();
}

} // namespace decodescope
