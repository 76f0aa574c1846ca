#pragma once

#include "core/base/error.h"
#include "core/source/request.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What is known of a vendor or server beside the API that it speaks: data, from resources/presets.json.
namespace decodescope {

/// Fields of a body by protocol, each set a JSON object as text.
using FieldsByProtocol = std::map<std::string, std::string, std::less<>>;

/// Something that a vendor can do and that a run may ask for.
struct PresetOption {
    std::string id;   ///< "no-cache"
    std::string name; ///< for people
    FieldsByProtocol extras;
};

struct EndpointPreset {
    std::string id;
    std::string name;
    std::string note;                      ///< a sentence for people; may be empty
    std::string url;                       ///< usable as it stands; empty: every user has another
    std::string urlForm;                   ///< how an address looks, as an example; never empty
    std::vector<std::string> protocols;    ///< what it speaks, the usual one first; never empty
    std::optional<AuthHeader> auth;        ///< absent: the protocol's own
    Headers headers;                       ///< names in lower case
    std::vector<std::string> keyVariables; ///< environment variables that usually hold its key, best first
    std::string urlVariable;               ///< the environment variable that usually holds its address; may be empty
    bool listsModels = true;               ///< false: its models have to be known by name
    bool thinkTags = false;                ///< it sends reasoning inline, as <think> text
    bool cumulative = false;               ///< its events carry the whole text so far
    FieldsByProtocol extras;               ///< sent with every request
    std::vector<PresetOption> options;
    FieldsByProtocol rename;       ///< fields that it calls otherwise: {"ours": "its"}
    std::vector<std::string> omit; ///< fields that it refuses, and that are our own wish, not the user's

    [[nodiscard]] const PresetOption* option(std::string_view wanted) const;
    [[nodiscard]] bool speaks(std::string_view protocol) const;
};

/// Reads a list of presets, strictly: an unknown member, a wrong type or a doubled id is refused by name, so that a
/// typing error in the data cannot pass for a preset without extras.
[[nodiscard]] Result<std::vector<EndpointPreset>> parsePresets(std::string_view json);

/// The presets that this program ships, in the order in which people should see them.
[[nodiscard]] const std::vector<EndpointPreset>& builtInPresets();
/// Null when there is none of that id.
[[nodiscard]] const EndpointPreset* findPreset(std::string_view id);
/// The same, or a sentence that lists the known ones (ErrorCode::usage).
[[nodiscard]] Result<const EndpointPreset*> knownPreset(std::string_view id);

/// Any server that follows OpenAI's API, and one that refuses what only most of them know.
inline constexpr std::string_view kPlainPreset = "openai-compatible";
inline constexpr std::string_view kStrictPreset = "openai-strict";

/// Makes an endpoint that of a preset. What `told` holds stays: its address, and its protocol when `protocolTold`; a
/// protocol that the preset does not speak is refused, as are options that it does not have. The key is not touched.
[[nodiscard]] Result<EndpointSpec> withPreset(EndpointSpec told, std::string_view preset, bool protocolTold);

} // namespace decodescope
