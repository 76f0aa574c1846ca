#pragma once

#include "engine/base/error.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace decodescope::engine {

/// Reads the members of one JSON object with every type and range checked. null is absent. The first thing that is
/// wrong is kept as a sentence, and everything after it reads as absent.
class JsonFields {
public:
    /// `object` outlives it.
    explicit JsonFields(const nlohmann::json& object);

    /// Null when absent.
    [[nodiscard]] const nlohmann::json* find(std::string_view key) const;
    [[nodiscard]] std::optional<bool> flag(std::string_view key);
    [[nodiscard]] std::optional<std::int64_t> integer(std::string_view key, std::int64_t least, std::int64_t most);
    [[nodiscard]] std::optional<float> real(std::string_view key, double least, double most);
    [[nodiscard]] std::optional<std::string> text(std::string_view key,
                                                  std::size_t mostBytes = std::numeric_limits<std::size_t>::max());

    void fault(std::string sentence);
    [[nodiscard]] bool good() const noexcept { return m_fault.empty(); }
    [[nodiscard]] const std::string& sentence() const noexcept { return m_fault; }

private:
    const nlohmann::json& m_object;
    std::string m_fault;
};

/// A JSON number with an integral value in [least, most]: 3 and 3.0, not 3.5.
[[nodiscard]] std::optional<std::int64_t> integerOf(const nlohmann::json& value, std::int64_t least, std::int64_t most);
/// A finite JSON number in [least, most].
[[nodiscard]] std::optional<double> realOf(const nlohmann::json& value, double least, double most);

} // namespace decodescope::engine
