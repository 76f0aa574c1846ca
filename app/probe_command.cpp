#include "app/probe_command.h"

#include "app/probe_output.h"
#include "app/terminal.h"
#include "core/net/tls_trust.h"
#include "core/source/request_form.h"

#include <fmt/format.h>

namespace decodescope {

namespace {

ExitStatus refuse(const Error& error) {
    tell(fmt::format("decodescope: {}", error.message));
    return exitStatusOf(error);
}

struct Question {
    EndpointSpec endpoint;
    std::vector<std::string> protocols;
};

Result<Question> understandProbe(const ProbeFlags& flags) {
    Question asked;
    EndpointSpec& endpoint = asked.endpoint;
    endpoint.url = flags.url;
    endpoint.model = flags.model;
    endpoint.preset = flags.preset;
    endpoint.extraCaFile = flags.caFile;
    if (Result<void> pinned = pinCertificate(endpoint, flags.pinnedCertificate); !pinned)
        return tl::unexpected(pinned.error());
    endpoint.allowInvalidTls = flags.allowInvalidTls;
    endpoint.allowPlainHttpWithKey = flags.allowPlainHttpWithKey;
    if (int{!flags.keyEnv.empty()} + int{!flags.keyFile.empty()} + int{flags.keyStdin} > 1)
        return fail(ErrorCode::usage, "Give the key one way: --key-env, --key-file or --key-stdin.");
    if (!flags.keyEnv.empty())
        endpoint.key = {KeyReference::Kind::environment, flags.keyEnv};
    else if (!flags.keyFile.empty())
        endpoint.key = {KeyReference::Kind::file, flags.keyFile};
    else if (flags.keyStdin)
        endpoint.key = {KeyReference::Kind::standardInput, {}};
    if (!flags.protocol.empty()) {
        if (const auto form = knownRequestForm(flags.protocol); !form)
            return tl::unexpected(form.error());
        endpoint.protocol = flags.protocol;
    }
    if (flags.url.empty() && flags.preset.empty()) {
        Result<std::string> named =
            defaultPreset(processEnvironment(), "Say what to probe: decodescope probe URL, or --preset ID.");
        if (!named)
            return tl::unexpected(named.error());
        endpoint.preset = *std::move(named);
    }
    if (auto from = completePreset(endpoint, !flags.protocol.empty(), processEnvironment()); !from)
        return tl::unexpected(from.error());
    if (const auto url = parseUrl(endpoint.url); !url)
        return tl::unexpected(url.error());
    if (!flags.protocol.empty())
        asked.protocols = {flags.protocol};
    else if (const EndpointPreset* preset = findPreset(endpoint.preset))
        asked.protocols = preset->protocols;
    else
        for (const std::string_view protocol : askedProtocols())
            asked.protocols.emplace_back(protocol);
    return asked;
}

} // namespace

ExitStatus exitStatusOf(const ProbeFindings& findings) {
    if (findings.interrupted)
        return ExitStatus::interrupted;
    if (findings.anyAnswers())
        return findings.stream ? exitStatusOf(*findings.stream->record) : ExitStatus::ok;
    return findings.refused() ? ExitStatus::refused : ExitStatus::noResponse;
}

ExitStatus probeCommand(const ProbeFlags& flags, const ProbeServices& services) {
    Result<Question> asked = understandProbe(flags);
    if (!asked)
        return refuse(asked.error());
    if (Result<void> usable = checkAuthorities(asked->endpoint); !usable)
        return refuse(usable.error());
    std::shared_ptr<const Secret> key;
    if (asked->endpoint.key.kind != KeyReference::Kind::none) {
        auto loaded = services.loadKey(asked->endpoint.key);
        if (!loaded)
            return refuse(loaded.error());
        key = *std::move(loaded);
        // Refused here in its own words, not once for every question.
        if (Result<void> safe = guardKey(asked->endpoint); !safe)
            return refuse(safe.error());
    }
    const ProbeFindings findings =
        probe(asked->endpoint, asked->protocols, std::move(key), services.listModels, services.sources);
    const std::string text = flags.json ? probeAsJson(findings) : probeForPeople(findings);
    if (!writeOut(text))
        return ExitStatus::disk;
    if (flags.json)
        tell(probeVerdict(findings));
    return exitStatusOf(findings);
}

} // namespace decodescope
