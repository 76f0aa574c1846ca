#pragma once

#include "core/base/clock.h"
#include "core/base/secret.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

/// What to ask, of whom, and how: the complete description of one run, copied into the run when it starts, so
/// that edits made meanwhile cannot touch it. Never serialised with its key.
namespace decodescope {

/// Where a key came from: shown to people and written to files in place of the key.
struct KeyReference {
    enum class Kind { none, environment, file, standardInput, session };
    Kind kind = Kind::none;
    std::string name; ///< the variable or the path; empty otherwise
};

struct EndpointSpec {
    std::string url;      ///< as typed: server root, ending in /v1, or the full route
    std::string protocol = "openai-chat";
    std::string model;
    KeyReference key;
    std::string extraCaFile; ///< PEM; empty: the system's authorities alone
    bool allowInvalidTls = false;         ///< per endpoint, visible, never remembered silently
    bool allowPlainHttpWithKey = false;   ///< a key over http to a host that is not loopback was confirmed
    bool thinkTags = false;
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

struct RunSpec {
    std::string laneName;
    EndpointSpec endpoint;
    std::string system; ///< empty: no system message
    std::string prompt; ///< as the user wrote it; a unique prefix is put before it by the session
    SamplingSpec sampling;
    Timeouts timeouts;
    bool uniquePrefix = false;
    std::shared_ptr<const Secret> key; ///< null: no key
};

} // namespace decodescope
