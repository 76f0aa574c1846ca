#include "core/source/preset_body.h"

#include "core/source/endpoint_preset.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace decodescope {
namespace {

using Json = nlohmann::ordered_json;

Json fieldsFor(const FieldsByProtocol& table, const std::string& protocol) {
    const auto found = table.find(protocol);
    return found != table.end() ? Json::parse(found->second) : Json::object();
}

/// Adds what `to` lacks, object by object.
void addMissing(Json& to, const Json& from) {
    for (const auto& [name, value] : from.items()) {
        if (!to.contains(name))
            to[name] = value;
        else if (to[name].is_object() && value.is_object())
            addMissing(to[name], value);
    }
}

void rename(Json& body, const Json& names) {
    for (const auto& [ours, theirs] : names.items()) {
        if (const auto found = body.find(ours); found != body.end()) {
            Json value = std::move(*found);
            body.erase(found);
            body[theirs.get<std::string>()] = std::move(value);
        }
    }
}

/// What a preset and its chosen options add to a request of this form.
Json extrasOf(const EndpointPreset& preset, const RunSpec& spec) {
    Json all = Json::object();
    for (const std::string& id : spec.endpoint.presetOptions) {
        if (const PresetOption* option = preset.option(id))
            addMissing(all, fieldsFor(option->extras, spec.endpoint.protocol));
    }
    addMissing(all, fieldsFor(preset.extras, spec.endpoint.protocol));
    if (!spec.sampling.stream)
        all.erase("stream_options"); // servers refuse it where nothing is streamed
    return all;
}

void collect(std::vector<std::string>& paths, const Json& fields, const std::string& before) {
    for (const auto& [name, value] : fields.items()) {
        if (value.is_object())
            collect(paths, value, before + name + '.');
        else
            paths.push_back(before + name);
    }
}

} // namespace

Result<void> applyPresetToBody(const RunSpec& spec, Json& body) {
    if (spec.endpoint.preset.empty())
        return {};
    const auto preset = knownPreset(spec.endpoint.preset);
    if (!preset)
        return tl::unexpected(preset.error());
    rename(body, fieldsFor((*preset)->rename, spec.endpoint.protocol));
    for (const std::string& name : (*preset)->omit)
        body.erase(name);
    addMissing(body, extrasOf(**preset, spec));
    return {};
}

std::vector<std::string> unusualFields(const RunSpec& spec) {
    std::vector<std::string> paths;
    const EndpointPreset* preset = findPreset(spec.endpoint.preset);
    const bool omitsUsage = preset != nullptr &&
                            std::find(preset->omit.begin(), preset->omit.end(), "stream_options") != preset->omit.end();
    const std::string& protocol = spec.endpoint.protocol;
    const bool asksUsage = protocol == "openai-chat" || protocol == "openai-completions" || protocol == "azure-chat";
    if (spec.sampling.stream && asksUsage && !omitsUsage)
        paths.emplace_back("stream_options.include_usage");
    if (preset != nullptr)
        collect(paths, extrasOf(*preset, spec), {});
    if (spec.sampling.ignoreEos)
        paths.emplace_back("ignore_eos");
    if (spec.sampling.reasoningEffort)
        paths.emplace_back("reasoning_effort");
    return paths;
}

} // namespace decodescope
