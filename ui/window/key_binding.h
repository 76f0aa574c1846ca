#pragma once

#include "core/source/run_spec.h"

#include <QString>

namespace decodescope {

/// Scheme, host and port of an endpoint's URL in lower case, the default port filled in; empty while the URL names
/// no host. A typed key belongs to one origin (reliability.md section 6).
[[nodiscard]] QString originOf(const std::string& url);

/// Whether the URL is plain http to a host that is not this machine: a key would be readable on the way.
[[nodiscard]] bool plainHttpAbroad(const std::string& url);

/// Drops a key that was typed, or is kept in the keychain, for another origin; names of variables and files stay, since
/// nothing is sent before the user presses Run. Returns whether a key was dropped.
bool dropForeignKey(RunSpec& spec, const QString& typedForOrigin);

/// Where the key comes from, in words: "OPENAI_API_KEY (environment)", "typed for this session", "no key".
[[nodiscard]] QString describeKey(const KeyReference& key);

} // namespace decodescope
