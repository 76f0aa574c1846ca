#pragma once

#include "core/source/endpoint_preset.h"
#include "core/source/model_finder.h"

#include <optional>
#include <string>
#include <vector>

/// Endpoints that the user's environment names already, as other programs read it. They are offered: nothing here, and
/// nobody who is offered one, contacts them unasked.
namespace decodescope {

/// This process's own environment.
[[nodiscard]] Environment processEnvironment();

/// An endpoint as the environment has it.
struct FoundEndpoint {
    EndpointSpec endpoint; ///< with its preset, and the reference of its key if there is one
    std::string urlFrom;   ///< the variable that holds the address; empty: the preset's own address
    std::string keyFrom;   ///< the variable that holds the key; empty: no key is set
};

/// All that are named, in the order of the presets; each address once. The values of keys are looked at only for
/// whether there are any.
[[nodiscard]] std::vector<FoundEndpoint> endpointsIn(const Environment& environment);

/// The address that the preset's variable holds, as a client should use it; absent where it is not set. It counts
/// before the preset's own, wherever nobody told one. Fails in a sentence that names the variable where it makes no
/// sense.
[[nodiscard]] Result<std::optional<std::string>> addressIn(const Environment& environment,
                                                           const EndpointPreset& preset);

/// A sentence for each address of the environment that cannot be used; endpointsIn() leaves them out.
[[nodiscard]] std::vector<std::string> unusableAddressesIn(const Environment& environment);

/// The variable whose key belongs to `url`, if it is set: the preset's, as long as the address is of the origin that
/// the variable's key is meant for - that of the preset's address variable where it is set, else the preset's own. A
/// key is never guessed to belong to another origin.
[[nodiscard]] std::optional<std::string> keyVariableFor(const EndpointPreset& preset, const std::string& url,
                                                        const Environment& environment);

/// The address in a variable as a client should use it: a missing scheme or port is filled in, and an address that only
/// servers can listen at (0.0.0.0, ::) becomes loopback. Empty when it makes no sense.
[[nodiscard]] std::string clientAddress(const std::string& value, const EndpointPreset& preset);

} // namespace decodescope
