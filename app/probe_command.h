#pragma once

#include "app/exit_status.h"
#include "app/probe.h"
#include "app/run_options.h"

#include <string>

namespace decodescope {

/// The flags of `probe` as typed.
struct ProbeFlags {
    std::string url, preset, protocol, model, keyEnv, keyFile, caFile, pinnedCertificate;
    bool keyStdin = false;
    bool allowInvalidTls = false;
    bool allowPlainHttpWithKey = false;
    bool json = false;
};

/// What `probe` needs from the composition root.
struct ProbeServices {
    ListCall listModels;
    SourceFactory sources;
    KeyLoader loadKey;
};

/// `decodescope probe URL`: what answers there, and whether it really streams. Needs a QCoreApplication.
[[nodiscard]] ExitStatus probeCommand(const ProbeFlags& flags, const ProbeServices& services);

/// What the findings come to, by cli.md's families.
[[nodiscard]] ExitStatus exitStatusOf(const ProbeFindings& findings);

} // namespace decodescope
