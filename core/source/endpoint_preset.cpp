#include "core/source/endpoint_preset.h"

#include "core/source/request_form.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace decodescope {

/// resources/presets.json, packed by CMake.
extern const std::string_view kPresetsJson;

const PresetOption* EndpointPreset::option(std::string_view wanted) const {
    const auto found = std::find_if(options.begin(), options.end(), [&](const auto& o) { return o.id == wanted; });
    return found != options.end() ? &*found : nullptr;
}

bool EndpointPreset::speaks(std::string_view protocol) const {
    return std::find(protocols.begin(), protocols.end(), protocol) != protocols.end();
}

const std::vector<EndpointPreset>& builtInPresets() {
    // The tests hold that the packed text is good; a program with a bad one has no presets.
    static const std::vector<EndpointPreset> presets =
        parsePresets(kPresetsJson).value_or(std::vector<EndpointPreset>());
    return presets;
}

const EndpointPreset* findPreset(std::string_view id) {
    for (const EndpointPreset& preset : builtInPresets()) {
        if (preset.id == id)
            return &preset;
    }
    return nullptr;
}

Result<const EndpointPreset*> knownPreset(std::string_view id) {
    if (const EndpointPreset* preset = findPreset(id))
        return preset;
    std::vector<std::string_view> known;
    for (const EndpointPreset& preset : builtInPresets())
        known.push_back(preset.id);
    return fail(ErrorCode::usage,
                fmt::format("There is no such endpoint preset. Known are {}.", fmt::join(known, ", ")));
}

Result<EndpointSpec> withPreset(EndpointSpec told, std::string_view id, bool protocolTold) {
    const auto preset = knownPreset(id);
    if (!preset)
        return tl::unexpected(preset.error());
    const EndpointPreset& p = **preset;
    told.preset = p.id;
    if (!protocolTold)
        told.protocol = p.protocols.front();
    else if (requestForm(told.protocol) != nullptr && !p.speaks(told.protocol))
        return fail(ErrorCode::usage,
                    fmt::format("The preset \"{}\" does not speak {}, but {}. Leave one of the two out.", p.id,
                                told.protocol, fmt::join(p.protocols, ", ")));
    if (told.url.empty())
        told.url = p.url;
    if (told.url.empty())
        return fail(ErrorCode::usage,
                    fmt::format("The preset \"{}\" has no address of its own: give the endpoint's, as in {}.", p.id,
                                p.urlForm));
    for (const std::string& chosen : told.presetOptions) {
        if (p.option(chosen) != nullptr)
            continue;
        std::vector<std::string_view> known;
        for (const PresetOption& option : p.options)
            known.push_back(option.id);
        return fail(ErrorCode::usage, known.empty() ? fmt::format("The preset \"{}\" has no options.", p.id)
                                                    : fmt::format("The preset \"{}\" has no such option. Known are {}.",
                                                                  p.id, fmt::join(known, ", ")));
    }
    told.thinkTags = told.thinkTags || p.thinkTags;
    told.cumulative = told.cumulative || p.cumulative;
    return told;
}

} // namespace decodescope
