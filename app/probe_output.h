#pragma once

#include "app/probe.h"

#include <string>

namespace decodescope {

/// The findings for people, ending with a line feed. Plain text without colours.
[[nodiscard]] std::string probeForPeople(const ProbeFindings& findings);
/// The findings as one JSON object.
[[nodiscard]] std::string probeAsJson(const ProbeFindings& findings);
/// What it comes to, in a sentence.
[[nodiscard]] std::string probeVerdict(const ProbeFindings& findings);

} // namespace decodescope
