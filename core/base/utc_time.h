#pragma once

#include <string>

namespace decodescope {

/// The wall clock as "2026-03-01T12:34:56.789Z": a label for a run, never a term of a sum.
[[nodiscard]] std::string utcNow();

} // namespace decodescope
