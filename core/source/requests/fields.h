#pragma once

#include "core/source/run_spec.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Parts of request bodies that several APIs share.
namespace decodescope {

/// Sets a field that was given; leaves the body alone otherwise.
void put(nlohmann::ordered_json& body, const char* name, const std::optional<int>& value);
void put(nlohmann::ordered_json& body, const char* name, const std::optional<std::int64_t>& value);
void put(nlohmann::ordered_json& body, const char* name, const std::optional<double>& value);
void put(nlohmann::ordered_json& body, const char* name, const std::optional<std::string>& value);

/// The system text, if any, and the prompt as messages with roles.
[[nodiscard]] nlohmann::ordered_json chatMessages(const RunSpec& spec);
/// Raw text has no roles: the system text is what stands before the prompt.
[[nodiscard]] std::string rawPrompt(const RunSpec& spec);
/// A field that is there only when it is true.
void putIgnoreEos(nlohmann::ordered_json& body, const SamplingSpec& sampling);

/// How hard a model is to think, taken apart for APIs that count the tokens of it: a number is a budget, "none", "off"
/// and "false" mean not at all, "low", "medium" and "high" are turned into budgets.
struct ThinkingBudget {
    bool off = false;
    std::optional<int> tokens; ///< absent: a word that is no budget
};
[[nodiscard]] ThinkingBudget thinkingBudget(std::string_view effort);

} // namespace decodescope
