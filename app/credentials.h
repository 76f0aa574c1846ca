#pragma once

#include "core/base/error.h"
#include "core/base/secret.h"
#include "core/source/run_spec.h"

#include <memory>
#include <string>

namespace decodescope {

/// Fetches the key that `reference` names: from the environment, from a file that only its owner may read, or
/// from the first line of standard input. The line break at its end is dropped. Null for Kind::none. Never from
/// the command line's own arguments, which every process on the machine can read. A session key is kept by the
/// window and cannot be loaded here.
[[nodiscard]] Result<std::shared_ptr<const Secret>> loadKey(const KeyReference& reference);

/// Where a key comes from, for people: "from the environment variable OPENAI_API_KEY". Says nothing of the key.
[[nodiscard]] std::string describe(const KeyReference& reference);

} // namespace decodescope
