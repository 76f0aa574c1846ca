#include "engine/server/json_fields.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace decodescope::engine {

std::optional<std::int64_t> integerOf(const nlohmann::json& value, std::int64_t least, std::int64_t most) {
    std::int64_t number = 0;
    if (value.is_number_unsigned()) {
        const auto wide = value.get<std::uint64_t>();
        if (wide > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
            return std::nullopt;
        number = static_cast<std::int64_t>(wide);
    } else if (value.is_number_integer()) {
        number = value.get<std::int64_t>();
    } else if (value.is_number_float()) {
        const auto real = value.get<double>();
        constexpr double kExact = 9007199254740992.0; // beyond 2^53 a double is no longer the number that was written
        if (!(std::abs(real) <= kExact) || real != std::floor(real))
            return std::nullopt;
        number = static_cast<std::int64_t>(real);
    } else {
        return std::nullopt;
    }
    return number >= least && number <= most ? std::optional(number) : std::nullopt;
}

std::optional<double> realOf(const nlohmann::json& value, double least, double most) {
    if (!value.is_number())
        return std::nullopt;
    const auto number = value.get<double>();
    return number >= least && number <= most ? std::optional(number) : std::nullopt;
}

JsonFields::JsonFields(const nlohmann::json& object)
    : m_object(object) {}

void JsonFields::fault(std::string sentence) {
    if (m_fault.empty())
        m_fault = std::move(sentence);
}

const nlohmann::json* JsonFields::find(std::string_view key) const {
    if (!m_object.is_object() || !good())
        return nullptr;
    const auto found = m_object.find(key);
    return found == m_object.end() || found->is_null() ? nullptr : &*found;
}

std::optional<bool> JsonFields::flag(std::string_view key) {
    const nlohmann::json* value = find(key);
    if (value == nullptr)
        return std::nullopt;
    if (value->is_boolean())
        return value->get<bool>();
    fault(fmt::format("\"{}\" must be true or false.", key));
    return std::nullopt;
}

std::optional<std::int64_t> JsonFields::integer(std::string_view key, std::int64_t least, std::int64_t most) {
    const nlohmann::json* value = find(key);
    if (value == nullptr)
        return std::nullopt;
    const auto number = integerOf(*value, least, most);
    if (!number)
        fault(fmt::format("\"{}\" must be a whole number from {} to {}.", key, least, most));
    return number;
}

std::optional<float> JsonFields::real(std::string_view key, double least, double most) {
    const nlohmann::json* value = find(key);
    if (value == nullptr)
        return std::nullopt;
    const auto number = realOf(*value, least, most);
    if (!number) {
        fault(fmt::format("\"{}\" must be a number from {} to {}.", key, least, most));
        return std::nullopt;
    }
    return static_cast<float>(*number);
}

std::optional<std::string> JsonFields::text(std::string_view key, std::size_t mostBytes) {
    const nlohmann::json* value = find(key);
    if (value == nullptr)
        return std::nullopt;
    if (!value->is_string()) {
        fault(fmt::format("\"{}\" must be a string.", key));
        return std::nullopt;
    }
    const auto& string = value->get_ref<const std::string&>();
    if (string.size() > mostBytes) {
        fault(fmt::format("\"{}\" must not be longer than {} bytes.", key, mostBytes));
        return std::nullopt;
    }
    return string;
}

} // namespace decodescope::engine
