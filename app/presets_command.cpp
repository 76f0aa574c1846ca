#include "app/presets_command.h"

#include "app/json_values.h"
#include "app/terminal.h"
#include "core/base/redaction.h"
#include "core/source/environment_endpoints.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace decodescope {
namespace {

/// The address as it may be shown.
std::string shown(const std::string& address) {
    const auto url = parseUrl(address);
    return url ? url->text() : std::string();
}

Json presetJson(const EndpointPreset& preset) {
    Json options = Json::array();
    for (const PresetOption& option : preset.options)
        options.push_back({{"id", option.id}, {"name", option.name}});
    return {{"id", preset.id},
            {"name", preset.name},
            {"note", jsonTextOrNull(preset.note)},
            {"url", jsonTextOrNull(preset.url)},
            {"url_form", preset.urlForm},
            {"protocols", preset.protocols},
            {"key_variables", preset.keyVariables},
            {"url_variable", jsonTextOrNull(preset.urlVariable)},
            {"options", std::move(options)}};
}

Json foundJson(const FoundEndpoint& found) {
    return {{"preset", found.endpoint.preset},
            {"url", jsonText(shown(found.endpoint.url))},
            {"protocol", found.endpoint.protocol},
            {"url_from", jsonTextOrNull(found.urlFrom)},
            {"key_from", jsonTextOrNull(found.keyFrom)}};
}

std::string forPeople(const std::vector<FoundEndpoint>& found, const std::vector<std::string>& unusable) {
    std::string text = fmt::format("{:<18} {:<26} {}\n", "Preset", "Name", "Address");
    for (const EndpointPreset& preset : builtInPresets()) {
        text += fmt::format("{:<18} {:<26} {}\n", preset.id, preset.name,
                            preset.url.empty() ? "your own, as in " + preset.urlForm : preset.url);
        text += fmt::format("{:<18} {}\n", "", fmt::join(preset.protocols, ", "));
        for (const PresetOption& option : preset.options)
            text += fmt::format("{:<18} option {}: {}\n", "", option.id, option.name);
        if (!preset.note.empty())
            text += fmt::format("{:<18} {}\n", "", preset.note);
    }
    text += found.empty() ? "\nThe environment names no endpoint.\n"
                          : "\nNamed by the environment (nothing was contacted):\n";
    for (const FoundEndpoint& endpoint : found)
        text += fmt::format("{:<18} {}, {}, {}\n", endpoint.endpoint.preset, shown(endpoint.endpoint.url),
                            endpoint.urlFrom.empty() ? "the preset's address" : "address from " + endpoint.urlFrom,
                            endpoint.keyFrom.empty() ? "no key" : "key from " + endpoint.keyFrom);
    for (const std::string& sentence : unusable)
        text += redacted(sentence) + '\n';
    return text;
}

} // namespace

ExitStatus presetsCommand(bool json) {
    const std::vector<FoundEndpoint> found = endpointsIn(processEnvironment());
    const std::vector<std::string> unusable = unusableAddressesIn(processEnvironment());
    if (!json)
        return writeOut(forPeople(found, unusable)) ? ExitStatus::ok : ExitStatus::disk;
    Json presets = Json::array();
    for (const EndpointPreset& preset : builtInPresets())
        presets.push_back(presetJson(preset));
    Json named = Json::array();
    for (const FoundEndpoint& endpoint : found)
        named.push_back(foundJson(endpoint));
    Json problems = Json::array();
    for (const std::string& sentence : unusable)
        problems.push_back(jsonText(redacted(sentence)));
    const Json all = {{"schema", 1},
                      {"presets", std::move(presets)},
                      {"environment", std::move(named)},
                      {"environment_problems", std::move(problems)}};
    return writeOut(jsonDump(all) + '\n') ? ExitStatus::ok : ExitStatus::disk;
}

} // namespace decodescope
