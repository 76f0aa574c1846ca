#include "engine/model/model_keys.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace decodescope::engine {

ModelKeys::ModelKeys(const GgufFile& file, std::string_view architecture)
    : m_file(file)
    , m_architecture(architecture) {}

std::string ModelKeys::fullName(std::string_view key) const {
    return fmt::format("{}.{}", m_architecture, key);
}

bool ModelKeys::has(std::string_view key) const {
    return m_file.has(fullName(key));
}

Result<std::optional<std::uint32_t>> ModelKeys::count(std::string_view key, std::uint32_t least,
                                                      std::uint32_t most) const {
    const std::string name = fullName(key);
    if (!m_file.has(name))
        return std::nullopt;
    const auto value = m_file.unsignedInteger(name);
    if (!value)
        return fail(ErrorCode::malformed, fmt::format("The model file's key {} is not a whole number.", name));
    if (*value < least || *value > most)
        return fail(ErrorCode::malformed,
                    fmt::format("The model file's key {} is {}; it must be from {} to {}.", name, *value, least, most));
    return static_cast<std::uint32_t>(*value);
}

Result<std::uint32_t> ModelKeys::requiredCount(std::string_view key, std::uint32_t least, std::uint32_t most) const {
    auto value = count(key, least, most);
    if (!value)
        return tl::unexpected(std::move(value.error()));
    if (!*value)
        return fail(ErrorCode::malformed, fmt::format("The model file lacks the key {}.", fullName(key)));
    return **value;
}

Result<std::optional<float>> ModelKeys::number(std::string_view key) const {
    const std::string name = fullName(key);
    if (!m_file.has(name))
        return std::nullopt;
    const auto value = m_file.real(name);
    if (!value || !std::isfinite(*value) || std::abs(*value) > std::numeric_limits<float>::max())
        return fail(ErrorCode::malformed, fmt::format("The model file's key {} is not a finite number.", name));
    return static_cast<float>(*value);
}

Result<std::optional<std::string_view>> ModelKeys::text(std::string_view key) const {
    const std::string name = fullName(key);
    if (!m_file.has(name))
        return std::nullopt;
    const auto value = m_file.text(name);
    if (!value)
        return fail(ErrorCode::malformed, fmt::format("The model file's key {} is not a text.", name));
    return *value;
}

Result<std::vector<std::uint32_t>> ModelKeys::perLayer(std::string_view key, std::uint32_t layers, std::uint32_t least,
                                                       std::uint32_t most) const {
    const std::string name = fullName(key);
    const auto length = m_file.arraySize(name);
    if (!length) {
        auto value = requiredCount(key, least, most);
        if (!value)
            return tl::unexpected(std::move(value.error()));
        return std::vector<std::uint32_t>(layers, *value);
    }
    if (*length != layers)
        return fail(ErrorCode::malformed,
                    fmt::format("The model file's key {} has {} values for {} layers.", name, *length, layers));
    const auto values = m_file.integers(name);
    if (!values)
        return fail(ErrorCode::malformed, fmt::format("The model file's key {} is no list of whole numbers.", name));
    std::vector<std::uint32_t> out;
    out.reserve(layers);
    for (const std::int64_t value : *values) {
        if (value < least || value > most)
            return fail(ErrorCode::malformed, fmt::format("The model file's key {} has the value {}; each must be from "
                                                          "{} to {}.",
                                                          name, value, least, most));
        out.push_back(static_cast<std::uint32_t>(value));
    }
    return out;
}

} // namespace decodescope::engine
