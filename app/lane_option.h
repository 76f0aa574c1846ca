#pragma once

#include "core/base/error.h"
#include "core/source/environment_endpoints.h"
#include "core/source/run_spec.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace decodescope {

/// The variables of the environment that an endpoint was completed from; empty: none.
struct FromEnvironment {
    std::string address;
    std::string key;
};

/// What one `--lane` says, before its key is fetched.
struct LaneOption {
    std::string name;
    EndpointSpec endpoint;                    ///< with the key's reference
    std::optional<LocalModelSpec> local;      ///< a model on this machine
    std::optional<RecordedLaneSpec> recorded; ///< a lane of a recording
    int batchMates = 0, contextDepth = 0;     ///< of a local model
    FromEnvironment from;
    bool verifyTold = false; ///< the lane says itself whether certificates are verified
};

/// The path that stands for the sample model until it was fetched.
inline constexpr std::string_view kSampleModel = "sample";

/// "name=A,endpoint=URL,model=M,protocol=P,key-env=VAR", "preset=ID,model=M", "name=A,local=FILE,threads=1" or
/// "recording=FILE,lane=0"; a comma or backslash inside a value is written with a backslash before it. `name` may be
/// left out and is then `defaultName`. A preset fills in what is not told, out of the environment first: the
/// address that its variable holds counts before the preset's own. Values never appear in a refusal, since somebody may
/// have put a key there.
[[nodiscard]] Result<LaneOption> parseLaneOption(std::string_view text, const std::string& defaultName,
                                                 const Environment& environment = processEnvironment());

/// Trusts a certificate by its fingerprint, however that is written; an empty one is none.
[[nodiscard]] Result<void> pinCertificate(EndpointSpec& endpoint, const std::string& fingerprint);

/// Makes `endpoint` that of a preset where it names one: what was told stays, and its key's variable is the preset's if
/// no key was told and the address is of the origin that this key is for.
[[nodiscard]] Result<FromEnvironment> completePreset(EndpointSpec& endpoint, bool protocolTold,
                                                     const Environment& environment);

/// The preset of whom to ask when nobody was named: where OPENAI_BASE_URL leads. Without it a usage error: `sentence`,
/// and what else the environment would give.
[[nodiscard]] Result<std::string> defaultPreset(const Environment& environment, std::string sentence);

/// "A" ... "Z", "AA" ...
[[nodiscard]] std::string letterName(std::size_t index);

} // namespace decodescope
