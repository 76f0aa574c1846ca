#include "core/source/requests/fields.h"

#include <nlohmann/json.hpp>

#include <charconv>

namespace decodescope {
namespace {

template <class T> void putValue(nlohmann::ordered_json& body, const char* name, const std::optional<T>& value) {
    if (value)
        body[name] = *value;
}

} // namespace

void put(nlohmann::ordered_json& body, const char* name, const std::optional<int>& value) {
    putValue(body, name, value);
}
void put(nlohmann::ordered_json& body, const char* name, const std::optional<std::int64_t>& value) {
    putValue(body, name, value);
}
void put(nlohmann::ordered_json& body, const char* name, const std::optional<double>& value) {
    putValue(body, name, value);
}
void put(nlohmann::ordered_json& body, const char* name, const std::optional<std::string>& value) {
    putValue(body, name, value);
}

nlohmann::ordered_json chatMessages(const RunSpec& spec) {
    nlohmann::ordered_json messages = nlohmann::ordered_json::array();
    if (!spec.system.empty())
        messages.push_back({{"role", "system"}, {"content", spec.system}});
    messages.push_back({{"role", "user"}, {"content", spec.prompt}});
    return messages;
}

std::string rawPrompt(const RunSpec& spec) {
    return spec.system.empty() ? spec.prompt : spec.system + "\n\n" + spec.prompt;
}

void putIgnoreEos(nlohmann::ordered_json& body, const SamplingSpec& sampling) {
    if (sampling.ignoreEos)
        body["ignore_eos"] = true;
}

ThinkingBudget thinkingBudget(std::string_view effort) {
    if (effort == "none" || effort == "off" || effort == "false")
        return {true, {}};
    if (effort == "low")
        return {false, 1024};
    if (effort == "medium")
        return {false, 4096};
    if (effort == "high")
        return {false, 16384};
    int tokens = 0;
    const auto [end, error] = std::from_chars(effort.data(), effort.data() + effort.size(), tokens);
    if (error == std::errc() && end == effort.data() + effort.size() && tokens >= 0)
        return {tokens == 0, tokens};
    return {};
}

} // namespace decodescope
