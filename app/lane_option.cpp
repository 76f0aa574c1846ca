#include "app/lane_option.h"

#include "core/base/fingerprint.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

namespace decodescope {

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

Result<Pairs> splitPairs(std::string_view text) {
    Pairs pairs;
    std::string current;
    std::size_t equals = std::string::npos; // in `current`
    const auto finish = [&]() -> bool {
        if (equals == std::string::npos)
            return false;
        pairs.emplace_back(current.substr(0, equals), current.substr(equals + 1));
        current.clear();
        equals = std::string::npos;
        return true;
    };
    const auto refuse = [] {
        return fail(ErrorCode::usage, "--lane takes name=value pairs with commas between them, as in "
                                      "\"name=A,endpoint=http://127.0.0.1:8080,model=M\"; a comma inside a value is "
                                      "written \\,.");
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '\\' && i + 1 < text.size() && (text[i + 1] == ',' || text[i + 1] == '\\')) {
            current += text[++i];
        } else if (c == ',') {
            if (!finish())
                return refuse();
        } else {
            if (c == '=' && equals == std::string::npos)
                equals = current.size();
            current += c;
        }
    }
    if (!finish())
        return refuse();
    return pairs;
}

constexpr int kMostThreads = 1024;
constexpr int kMostContext = 1 << 24;
constexpr int kMostParallel = 256; // the engine has its own, lower bound, and says so

tl::unexpected<Error> badValue(std::string_view name, std::string_view takes) {
    return fail(ErrorCode::usage, fmt::format("--lane: {} takes {}.", name, takes));
}

Result<void> takeNumber(std::string_view name, const std::string& value, int least, int most, int& to) {
    int number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size() || number < least || number > most)
        return badValue(name, fmt::format("a whole number from {} to {}", least, most));
    to = number;
    return {};
}

Result<void> takeChoice(std::string_view name, const std::string& value, std::string_view on, std::string_view off,
                        bool& to) {
    if (value != on && value != off)
        return badValue(name, fmt::format("{} or {}", on, off));
    to = value == on;
    return {};
}

/// A part that only a lane of a kind has; false if it is none of this kind's.
Result<bool> takeLocal(const std::string& name, const std::string& value, LocalModelSpec& local) {
    Result<void> taken;
    if (name == "threads")
        taken = takeNumber(name, value, 0, kMostThreads, local.threads);
    else if (name == "ctx")
        taken = takeNumber(name, value, 0, kMostContext, local.contextLength);
    else if (name == "parallel")
        taken = takeNumber(name, value, 1, kMostParallel, local.parallel);
    else if (name == "speculative")
        taken = takeChoice(name, value, "lookup", "off", local.speculative);
    else if (name == "prefix-cache")
        taken = takeChoice(name, value, "on", "off", local.prefixCache);
    else if (name == "device")
        local.device = value;
    else if (name == "kv" && (value == "f16" || value == "q8"))
        local.kvType = value;
    else if (name == "kv")
        taken = badValue(name, "f16 or q8");
    else
        return false;
    if (!taken)
        return tl::unexpected(taken.error());
    return true;
}

Result<bool> takeRemote(const std::string& name, std::string& value, EndpointSpec& endpoint) {
    Result<void> taken;
    if (name == "model") {
        endpoint.model = std::move(value);
    } else if (name == "protocol") {
        endpoint.protocol = std::move(value);
    } else if (name == "preset") {
        endpoint.preset = std::move(value);
    } else if (name == "option") {
        endpoint.presetOptions.push_back(std::move(value));
    } else if (name == "key-env") {
        endpoint.key = {KeyReference::Kind::environment, std::move(value)};
    } else if (name == "key-file") {
        endpoint.key = {KeyReference::Kind::file, std::move(value)};
    } else if (name == "ca-file") {
        endpoint.extraCaFile = std::move(value);
    } else if (name == "pin") {
        taken = pinCertificate(endpoint, value);
    } else if (name == "verify") {
        taken = takeChoice(name, value, "off", "on", endpoint.allowInvalidTls);
    } else if (name == "connection") {
        bool reuse = false;
        taken = takeChoice(name, value, "reuse", "fresh", reuse);
        endpoint.connection = reuse ? ConnectionUse::reuse : ConnectionUse::fresh;
    } else if (name == "think-tags") {
        taken = takeChoice(name, value, "on", "off", endpoint.thinkTags);
    } else if (name == "cumulative") {
        taken = takeChoice(name, value, "on", "off", endpoint.cumulative);
    } else {
        return false;
    }
    if (!taken)
        return tl::unexpected(taken.error());
    return true;
}

/// What a lane's parts are taken by, once it is known of which kind it is.
Result<bool> takePart(const std::string& name, std::string& value, LaneOption& lane) {
    if (lane.local) {
        if (name == "protocol") { // a model without a chat template takes plain completions
            lane.endpoint.protocol = std::move(value);
            return true;
        }
        const bool mates = name == "mates";
        if (mates || name == "depth") {
            if (Result<void> taken = takeNumber(name, value, 0, mates ? kMostBatchMates : kMostContext,
                                                mates ? lane.batchMates : lane.contextDepth);
                !taken)
                return tl::unexpected(taken.error());
            return true;
        }
        return takeLocal(name, value, *lane.local);
    }
    if (!lane.recorded)
        return takeRemote(name, value, lane.endpoint);
    constexpr int kMostLanes = 4095;
    if (name != "lane")
        return false;
    if (Result<void> taken = takeNumber(name, value, 0, kMostLanes, lane.recorded->lane); !taken)
        return tl::unexpected(taken.error());
    return true;
}

/// Batch-mates that the engine has no room for would wait for the lane, or it for them, and decode beside nobody.
Result<void> fitMates(LaneOption& lane, bool parallelTold) {
    const int together = lane.batchMates + 1;
    if (together <= lane.local->parallel)
        return {};
    if (parallelTold)
        return fail(ErrorCode::usage, fmt::format("Lane {}: mates={} needs parallel={} or more, as the lane's own "
                                                  "request decodes with them.",
                                                  lane.name, lane.batchMates, together));
    lane.local->parallel = together;
    return {};
}

tl::unexpected<Error> unknownPart(const LaneOption& lane) {
    if (lane.local)
        return fail(ErrorCode::usage, "--lane with local= knows name, local, threads, ctx, parallel, kv, speculative, "
                                      "prefix-cache, device, mates, depth and protocol.");
    if (lane.recorded)
        return fail(ErrorCode::usage, "--lane with recording= knows name, recording and lane.");
    return fail(ErrorCode::usage, "--lane knows name, endpoint, preset, option, model, protocol, key-env, key-file, "
                                  "ca-file, pin, verify, connection, think-tags and cumulative; or local=FILE or "
                                  "recording=FILE and their parts. "
                                  "A key itself is never taken from the command line, where every user of the "
                                  "machine can read it.");
}

} // namespace

std::string letterName(std::size_t index) {
    std::string name(1, static_cast<char>('A' + index % 26));
    for (index /= 26; index > 0; index = (index - 1) / 26)
        name.insert(name.begin(), static_cast<char>('A' + (index - 1) % 26));
    return name;
}

Result<void> pinCertificate(EndpointSpec& endpoint, const std::string& fingerprint) {
    endpoint.pinnedCertificate = normalFingerprint(fingerprint);
    if (!fingerprint.empty() && endpoint.pinnedCertificate.empty())
        return fail(ErrorCode::usage, "A certificate is pinned by its SHA-256 fingerprint, 64 hexadecimal digits as in "
                                      "AB:CD:...");
    return {};
}

Result<FromEnvironment> completePreset(EndpointSpec& endpoint, bool protocolTold, const Environment& environment) {
    FromEnvironment from;
    if (endpoint.preset.empty() && !endpoint.presetOptions.empty())
        return fail(ErrorCode::usage, "Options are a preset's: name the preset, too.");
    if (endpoint.preset.empty())
        return from;
    const auto preset = knownPreset(endpoint.preset);
    if (!preset)
        return tl::unexpected(preset.error());
    const EndpointPreset& known = **preset;
    if (endpoint.url.empty()) {
        auto address = addressIn(environment, known);
        if (!address)
            return tl::unexpected(address.error());
        if (*address) {
            endpoint.url = **std::move(address);
            from.address = known.urlVariable;
        }
    }
    auto made = withPreset(endpoint, known.id, protocolTold);
    if (!made)
        return tl::unexpected(made.error());
    endpoint = *std::move(made);
    if (endpoint.key.kind == KeyReference::Kind::none) {
        if (auto variable = keyVariableFor(known, endpoint.url, environment)) {
            from.key = *variable;
            endpoint.key = {KeyReference::Kind::environment, *std::move(variable)};
        }
    }
    return from;
}

Result<std::string> defaultPreset(const Environment& environment, std::string sentence) {
    static constexpr std::string_view kVariable = "OPENAI_BASE_URL";
    std::string offered;
    for (const FoundEndpoint& found : endpointsIn(environment)) {
        if (found.urlFrom == kVariable)
            return found.endpoint.preset;
        offered += fmt::format("{}--preset {} ({})", offered.empty() ? "" : ", ", found.endpoint.preset,
                               found.urlFrom.empty() ? found.keyFrom : found.urlFrom);
    }
    for (const std::string& unusable : unusableAddressesIn(environment))
        sentence += ' ' + unusable;
    if (!offered.empty())
        sentence += fmt::format(" The environment would do for {}.", offered);
    return fail(ErrorCode::usage, sentence);
}

Result<LaneOption> parseLaneOption(std::string_view text, const std::string& defaultName,
                                   const Environment& environment) {
    Result<Pairs> pairs = splitPairs(text);
    if (!pairs)
        return tl::unexpected(pairs.error());
    LaneOption lane;
    lane.name = defaultName;
    int answerers = 0;
    for (auto& [name, value] : *pairs) {
        if (value.empty())
            return fail(ErrorCode::usage, "--lane: a pair has a name and no value after the equals sign.");
        if (name == "endpoint")
            lane.endpoint.url = value;
        else if (name == "local")
            lane.local.emplace().path = value;
        else if (name == "recording")
            lane.recorded.emplace().file = value;
        else
            continue;
        ++answerers;
    }
    const auto told = [&pairs](std::string_view part) {
        return std::any_of(pairs->begin(), pairs->end(), [&](const auto& pair) { return pair.first == part; });
    };
    const bool remote = !lane.local && !lane.recorded;
    if (answerers == 0 && told("preset"))
        answerers = 1;
    for (auto& [name, value] : *pairs) {
        if (name == "name") {
            lane.name = std::move(value);
        } else if (name != "endpoint" && name != "local" && name != "recording") {
            const Result<bool> taken = takePart(name, value, lane);
            if (!taken)
                return tl::unexpected(taken.error());
            if (!*taken)
                return unknownPart(lane);
        }
    }
    lane.verifyTold = told("verify");
    if (remote && answerers == 1) {
        Result<FromEnvironment> from = completePreset(lane.endpoint, told("protocol"), environment);
        if (!from)
            return fail(from.error().code, fmt::format("Lane {}: {}", lane.name, from.error().message));
        lane.from = *std::move(from);
    }
    if (answerers > 1)
        return fail(ErrorCode::usage, fmt::format("Lane {}: give one of endpoint=, local= and recording=.", lane.name));
    if (answerers == 0)
        return fail(ErrorCode::usage, fmt::format("Lane {}: give its address with endpoint=URL or preset=ID, a model "
                                                  "file with local=FILE, or a recording with recording=FILE.",
                                                  lane.name));
    if (lane.local) {
        if (Result<void> fits = fitMates(lane, told("parallel")); !fits)
            return tl::unexpected(fits.error());
    }
    return lane;
}

} // namespace decodescope
