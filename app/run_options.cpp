#include "app/run_options.h"

#include "core/base/redaction.h"
#include "core/net/tls_trust.h"
#include "core/source/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>

namespace decodescope {

namespace {

constexpr std::size_t kPromptBytes = 64U << 20;
constexpr std::size_t kMostLanes = 256;
/// Longest time-out that fits a Duration with room to add it to an instant.
constexpr double kLongestTimeoutS = 1e9;

enum class PromptNeed { needed, optional };

Result<std::string> readPrompt(const RunFlags& flags, PromptNeed need) {
    if (flags.prompt && flags.promptFile)
        return fail(ErrorCode::usage, "Give either --prompt or --prompt-file, not both.");
    if (flags.prompt)
        return *flags.prompt;
    if (!flags.promptFile && need == PromptNeed::optional)
        return std::string();
    if (!flags.promptFile)
        return fail(ErrorCode::usage, "Give a prompt with --prompt TEXT or --prompt-file FILE (- for standard input).");
    const bool fromStdin = *flags.promptFile == "-";
    if (fromStdin && flags.keyStdin)
        return fail(ErrorCode::usage, "Standard input can give the key or the prompt, not both.");
    std::ifstream file;
    if (!fromStdin) {
        file.open(*flags.promptFile, std::ios::binary);
        if (!file)
            return fail(ErrorCode::io,
                        fmt::format("The prompt file {} cannot be read: {}.", *flags.promptFile, std::strerror(errno)));
    }
    std::istream& input = fromStdin ? std::cin : file;
    std::string text;
    char buffer[1U << 16];
    while (input.read(buffer, sizeof buffer) || input.gcount() > 0) {
        text.append(buffer, static_cast<std::size_t>(input.gcount()));
        if (text.size() > kPromptBytes)
            return fail(ErrorCode::usage, "The prompt is longer than 64 MiB.");
    }
    if (input.bad())
        return fail(ErrorCode::io, fmt::format("The prompt file {} cannot be read to its end.", *flags.promptFile));
    return text;
}

Result<void> setTimeout(std::optional<Duration>& timeout, const std::optional<double>& seconds, std::string_view flag) {
    if (!seconds)
        return {};
    if (!std::isfinite(*seconds) || *seconds < 0 || *seconds > kLongestTimeoutS)
        return fail(ErrorCode::usage,
                    fmt::format("{} takes seconds from 0 (never) to {:.0f}.", flag, kLongestTimeoutS));
    if (*seconds == 0)
        timeout.reset();
    else
        timeout = fromSeconds(*seconds);
    return {};
}

Result<Timeouts> timeoutsOf(const RunFlags& flags) {
    Timeouts timeouts;
    for (const auto& [timeout, seconds, flag] :
         {std::tuple{&timeouts.connect, &flags.connectTimeoutS, "--connect-timeout"},
          std::tuple{&timeouts.firstToken, &flags.firstTokenTimeoutS, "--first-token-timeout"},
          std::tuple{&timeouts.idle, &flags.idleTimeoutS, "--idle-timeout"},
          std::tuple{&timeouts.total, &flags.totalTimeoutS, "--total-timeout"}}) {
        if (Result<void> set = setTimeout(*timeout, *seconds, flag); !set)
            return tl::unexpected(set.error());
    }
    return timeouts;
}

Result<KeyReference> keyOfSingleLane(const RunFlags& flags) {
    const int given = int{!flags.keyEnv.empty()} + int{!flags.keyFile.empty()} + int{flags.keyStdin};
    if (given > 1)
        return fail(ErrorCode::usage, "Give the key one way: --key-env, --key-file or --key-stdin.");
    if (!flags.keyEnv.empty())
        return KeyReference{KeyReference::Kind::environment, flags.keyEnv};
    if (!flags.keyFile.empty())
        return KeyReference{KeyReference::Kind::file, flags.keyFile};
    if (flags.keyStdin)
        return KeyReference{KeyReference::Kind::standardInput, {}};
    return KeyReference{};
}

Result<std::vector<LaneOption>> laneOptions(const RunFlags& flags) {
    std::vector<LaneOption> options;
    if (!flags.lanes.empty()) {
        if (!flags.endpoint.empty() || !flags.model.empty() || !flags.protocol.empty() || !flags.keyEnv.empty() ||
            !flags.keyFile.empty() || flags.keyStdin || !flags.preset.empty() || !flags.presetOptions.empty() ||
            flags.thinkTags || flags.cumulative || !flags.pinnedCertificate.empty())
            return fail(
                ErrorCode::usage,
                "--endpoint, --preset, --model, --protocol, --key-... and what belongs to them describe a single "
                "lane; with --lane they belong inside it.");
        if (flags.lanes.size() > kMostLanes)
            return fail(ErrorCode::usage, fmt::format("There are {} lanes, and at most {} can be measured in one run.",
                                                      flags.lanes.size(), kMostLanes));
        for (const std::string& text : flags.lanes) {
            Result<LaneOption> lane = parseLaneOption(text, letterName(options.size()));
            if (!lane)
                return tl::unexpected(lane.error());
            options.push_back(*std::move(lane));
        }
        return options;
    }
    std::string preset = flags.preset;
    if (flags.endpoint.empty() && preset.empty()) {
        Result<std::string> named = defaultPreset(
            processEnvironment(), "Say whom to ask: --endpoint URL (or --preset ID) and --model M, or one --lane for "
                                  "each lane (a model on this machine is a lane too: --lane local=FILE).");
        if (!named)
            return tl::unexpected(named.error());
        preset = *std::move(named);
    }
    Result<KeyReference> key = keyOfSingleLane(flags);
    if (!key)
        return tl::unexpected(key.error());
    LaneOption lane;
    lane.name = letterName(0);
    lane.endpoint.url = flags.endpoint;
    lane.endpoint.model = flags.model;
    if (!flags.protocol.empty())
        lane.endpoint.protocol = flags.protocol;
    lane.endpoint.key = *std::move(key);
    lane.endpoint.preset = std::move(preset);
    lane.endpoint.presetOptions = flags.presetOptions;
    lane.endpoint.thinkTags = flags.thinkTags;
    lane.endpoint.cumulative = flags.cumulative;
    if (Result<void> pinned = pinCertificate(lane.endpoint, flags.pinnedCertificate); !pinned)
        return tl::unexpected(pinned.error());
    Result<FromEnvironment> from = completePreset(lane.endpoint, !flags.protocol.empty(), processEnvironment());
    if (!from)
        return tl::unexpected(from.error());
    lane.from = *std::move(from);
    options.push_back(std::move(lane));
    return options;
}

/// What of a lane came from the environment, in words; empty if nothing did.
std::string provenance(const LaneOption& lane) {
    if (lane.from.address.empty() && lane.from.key.empty())
        return {};
    std::string sentence = fmt::format("Lane {} asks {}", lane.name, urlWithoutSecrets(lane.endpoint.url));
    if (!lane.from.address.empty())
        sentence += fmt::format(" (from {})", lane.from.address);
    if (!lane.from.key.empty())
        sentence += fmt::format(" with the key from {}", lane.from.key);
    return sentence + '.';
}

std::string referenceText(const KeyReference& key) {
    switch (key.kind) {
    case KeyReference::Kind::environment:
        return fmt::format("the environment variable {}", key.name);
    case KeyReference::Kind::file:
        return fmt::format("the file {}", key.name);
    case KeyReference::Kind::standardInput:
        return "standard input";
    case KeyReference::Kind::session:
        return "this session";
    case KeyReference::Kind::keychain:
        return fmt::format("the keychain's entry for {}", key.name);
    case KeyReference::Kind::none:
        break;
    }
    return "nowhere";
}

} // namespace

Result<OutputForm> outputForm(bool json, bool jsonLines) {
    if (json && jsonLines)
        return fail(ErrorCode::usage, "Give either --json or --jsonl, not both.");
    return json ? OutputForm::json : jsonLines ? OutputForm::jsonLines : OutputForm::forPeople;
}

Result<RunRequest> understand(const RunFlags& flags) {
    RunRequest request;
    Result<OutputForm> form = outputForm(flags.json, flags.jsonLines);
    if (!form)
        return tl::unexpected(form.error());
    request.form = *form;
    request.text = flags.text ? TextExport::whole : TextExport::hashOnly;
    request.plan = flags.plan;
    if (!flags.record.empty())
        request.recordPath = flags.record;
    request.note = flags.note;

    for (const std::string& expression : flags.failIf) {
        Result<Threshold> threshold = Threshold::parse(expression);
        if (!threshold)
            return tl::unexpected(threshold.error());
        request.thresholds.push_back(*std::move(threshold));
    }
    Result<std::vector<LaneOption>> options = laneOptions(flags);
    if (!options)
        return tl::unexpected(options.error());
    Result<Timeouts> timeouts = timeoutsOf(flags);
    if (!timeouts)
        return tl::unexpected(timeouts.error());
    // Lanes of recordings were asked already.
    const bool allRecorded =
        std::all_of(options->begin(), options->end(), [](const LaneOption& o) { return o.recorded.has_value(); });
    Result<std::string> prompt = readPrompt(flags, allRecorded ? PromptNeed::optional : PromptNeed::needed);
    if (!prompt)
        return tl::unexpected(prompt.error());

    std::set<std::string> names;
    for (LaneOption& option : *options) {
        if (!names.insert(option.name).second)
            return fail(ErrorCode::usage, fmt::format("Two lanes are called {}; give each its own name.", option.name));
        if (std::string note = provenance(option); !note.empty())
            request.notes.push_back(std::move(note));
        LaneConfig lane;
        lane.look = static_cast<int>(request.lanes.size());
        lane.id = static_cast<LaneId>(request.lanes.size() + 1);
        lane.spec.laneName = option.name;
        lane.spec.endpoint = std::move(option.endpoint);
        lane.spec.local = std::move(option.local);
        lane.spec.recorded = std::move(option.recorded);
        lane.spec.batchMates = option.batchMates;
        lane.spec.contextDepth = option.contextDepth;
        if (lane.spec.endpoint.extraCaFile.empty())
            lane.spec.endpoint.extraCaFile = flags.caFile;
        if (!option.verifyTold)
            lane.spec.endpoint.allowInvalidTls = flags.allowInvalidTls;
        if (flags.reuse)
            lane.spec.endpoint.connection = ConnectionUse::reuse;
        lane.spec.endpoint.allowPlainHttpWithKey = flags.allowPlainHttpWithKey;
        lane.spec.system = flags.system;
        lane.spec.prompt = *prompt;
        lane.spec.sampling = flags.sampling;
        lane.spec.sampling.stream = !flags.noStream;
        lane.spec.timeouts = *timeouts;
        lane.spec.caps = flags.caps;
        lane.spec.uniquePrefix = flags.uniquePrefix;
        request.lanes.push_back(std::move(lane));
    }
    return request;
}

Result<void> guardKey(const EndpointSpec& endpoint) {
    const auto url = parseUrl(endpoint.url); // what is no address is refused in words of its own
    if (!url || url->tls() || url->loopback() || endpoint.allowPlainHttpWithKey)
        return {};
    return fail(ErrorCode::usage, fmt::format("The key would travel unencrypted to {}. Use https, or allow it with "
                                              "--allow-key-over-http.",
                                              url->authority()));
}

Result<void> checkAuthorities(const std::vector<LaneConfig>& lanes) {
    for (const LaneConfig& lane : lanes) {
        if (Result<void> usable = checkAuthorities(lane.spec.endpoint); !usable)
            return fail(usable.error().code, fmt::format("Lane {}: {}", lane.spec.laneName, usable.error().message));
    }
    return {};
}

Result<void> fetchKeys(std::vector<LaneConfig>& lanes, const KeyLoader& load) {
    for (LaneConfig& lane : lanes) {
        const KeyReference& reference = lane.spec.endpoint.key;
        if (reference.kind == KeyReference::Kind::none)
            continue;
        Result<std::shared_ptr<const Secret>> key = load(reference);
        if (!key)
            return fail(key.error().code, fmt::format("Lane {}: {}", lane.spec.laneName, key.error().message),
                        key.error().detail);
        if (!*key || (*key)->empty())
            return fail(ErrorCode::usage,
                        fmt::format("Lane {}: there is no key in {}.", lane.spec.laneName, referenceText(reference)));
        if (Result<void> safe = guardKey(lane.spec.endpoint); !safe)
            return fail(safe.error().code, fmt::format("Lane {}: {}", lane.spec.laneName, safe.error().message));
        lane.spec.key = *std::move(key);
    }
    return {};
}

} // namespace decodescope
