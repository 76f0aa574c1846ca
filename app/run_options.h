#pragma once

#include "app/fail_if.h"
#include "app/lane_option.h"
#include "app/run_json.h"
#include "core/base/error.h"
#include "core/session/session.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace decodescope {

/// What a command prints on stdout.
enum class OutputForm { forPeople, json, jsonLines };

/// The flags of `run` as typed, before anything is looked up.
struct RunFlags {
    std::vector<std::string> lanes;
    std::string endpoint, model, protocol, keyEnv, keyFile, caFile;
    std::string preset;
    std::vector<std::string> presetOptions;
    bool thinkTags = false;
    bool cumulative = false;
    std::string pinnedCertificate;
    bool keyStdin = false;
    std::optional<std::string> prompt, promptFile;
    std::string system;
    SamplingSpec sampling;
    bool noStream = false;
    bool uniquePrefix = false;
    RunPlan plan;
    std::optional<double> connectTimeoutS, firstTokenTimeoutS, idleTimeoutS, totalTimeoutS; ///< 0: never
    ResponseCaps caps;
    bool allowInvalidTls = false;
    bool reuse = false; ///< connections may be used again by later runs
    bool allowPlainHttpWithKey = false;
    std::optional<std::string> transport; ///< a name of transportKindFromString(); absent: the best one
    std::string record, note;
    bool text = false;
    std::vector<std::string> failIf;
    bool json = false;
    bool jsonLines = false;
};

/// The same, understood and complete but for the keys' values.
struct RunRequest {
    std::vector<LaneConfig> lanes;
    std::vector<std::string> notes; ///< sentences: what of a lane came from the environment
    RunPlan plan;
    std::vector<Threshold> thresholds;
    std::optional<std::string> recordPath;
    std::string note; ///< how the recording was made, for its header
    OutputForm form = OutputForm::forPeople;
    TextExport text = TextExport::hashOnly;
};

[[nodiscard]] Result<RunRequest> understand(const RunFlags& flags);
/// --json and --jsonl exclude each other.
[[nodiscard]] Result<OutputForm> outputForm(bool json, bool jsonLines);

/// Fetches the value behind a key's reference.
using KeyLoader = std::function<Result<std::shared_ptr<const Secret>>(const KeyReference&)>;
/// Refuses to send a key over plain http to another machine, unless that was allowed: `run` and `probe` alike, before
/// anything is asked.
[[nodiscard]] Result<void> guardKey(const EndpointSpec& endpoint);
/// The certificates that lanes are to trust can be read.
[[nodiscard]] Result<void> checkAuthorities(const std::vector<LaneConfig>& lanes);

/// Gives every lane its key. A message names the lane and the reference, never the key.
[[nodiscard]] Result<void> fetchKeys(std::vector<LaneConfig>& lanes, const KeyLoader& load);

} // namespace decodescope
