#pragma once

#include "core/base/clock.h"
#include "core/base/secret.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// What to ask, of whom, and how: the complete description of one run, copied into the run when it starts, so
/// that edits made meanwhile cannot touch it. Never serialised with its key.
namespace decodescope {

/// Where a key came from: shown to people and written to files in place of the key.
struct KeyReference {
    enum class Kind { none, environment, file, standardInput, session, keychain };
    Kind kind = Kind::none;
    std::string name; ///< the variable, the path, or the origin that a key in the keychain is for; empty otherwise
};

/// Whether a run may take a connection that an earlier one left open.
enum class ConnectionUse : std::uint8_t {
    fresh, ///< always a new one: opening it is measured beside TTFT
    reuse  ///< a warm one where there is one
};

struct EndpointSpec {
    std::string preset; ///< id of an endpoint preset (resources/presets.json): its header and extras; empty: none
    std::vector<std::string> presetOptions; ///< ids of those of the preset's options that are switched on
    std::string url;                        ///< as typed: server root, ending in /v1, or the full route
    std::string protocol = "openai-chat";
    std::string model;
    KeyReference key;
    std::string extraCaFile;            ///< PEM; empty: the system's authorities alone
    bool allowInvalidTls = false;       ///< per endpoint, visible, never remembered silently
    bool allowPlainHttpWithKey = false; ///< a key over http to a host that is not loopback was confirmed
    /// SHA-256 of the one certificate that is trusted here beside the authorities, "AB:CD:..."; empty: none.
    std::string pinnedCertificate;
    ConnectionUse connection = ConnectionUse::fresh;
    bool thinkTags = false;  ///< split inline <think> text into reasoning
    bool cumulative = false; ///< events carry the whole text so far
};

/// A model file that our own engine decodes on this machine; the endpoint is then the engine's, once it runs.
struct LocalModelSpec {
    std::string path;            ///< a GGUF (the first shard of several)
    std::string device = "auto"; ///< "auto", "cpu", "cuda:N"
    int threads = 0;             ///< 0: the engine tunes it
    int contextLength = 0;       ///< 0: the engine's default
    int parallel = 4;            ///< requests that decode together
    std::string kvType = "f16";  ///< "f16" or "q8"
    bool speculative = false;    ///< prompt lookup
    bool prefixCache = true;     ///< prompts may reuse what an earlier one computed

    friend bool operator==(const LocalModelSpec&, const LocalModelSpec&) = default;
};

/// A lane of a recording that runs along as if it were live, at its own pace.
struct RecordedLaneSpec {
    std::string file;
    int lane = 0; ///< index in the recording

    friend bool operator==(const RecordedLaneSpec&, const RecordedLaneSpec&) = default;
};

struct SamplingSpec {
    std::optional<int> maxTokens;
    std::optional<double> temperature;
    std::optional<std::int64_t> seed;
    bool ignoreEos = false;
    std::optional<std::string> reasoningEffort;
    bool stream = true;
};

/// nullopt: never. Each has a reason of its own in ErrorKind.
struct Timeouts {
    std::optional<Duration> connect = std::chrono::seconds(30);
    std::optional<Duration> firstToken = std::chrono::seconds(600); ///< from t0 to the first fragment
    std::optional<Duration> idle = std::chrono::seconds(120);       ///< between two reads, after the first byte
    std::optional<Duration> total;
};

/// Where a response is cut off, for models that never stop (time has its own limit). Absent: the usual limits of
/// core/wire/wire_limits.h.
struct ResponseCaps {
    std::optional<std::size_t> bytes;    ///< of the body, after inflating
    std::optional<std::size_t> messages; ///< events of the stream

    friend bool operator==(const ResponseCaps&, const ResponseCaps&) = default;
};

/// What an engine can decode at once is 16 requests: the lane's own and these.
inline constexpr int kMostBatchMates = 15;

struct RunSpec {
    std::string laneName;
    EndpointSpec endpoint;
    std::optional<LocalModelSpec> local;      ///< set: the engine answers, and `endpoint` is filled when it runs
    std::optional<RecordedLaneSpec> recorded; ///< set: nothing is asked, a recording answers
    int batchMates = 0;   ///< local lanes: further requests of the same kind that decode beside, shown nowhere
    int contextDepth = 0; ///< about so many tokens of filler stand before the prompt
    std::string system;   ///< empty: no system message
    std::string prompt;   ///< as the user wrote it; a unique prefix is put before it by the session
    SamplingSpec sampling;
    Timeouts timeouts;
    ResponseCaps caps;
    bool uniquePrefix = false;
    std::shared_ptr<const Secret> key; ///< null: no key
};

} // namespace decodescope
