#pragma once

namespace decodescope::engine {

/// Logical processors that this process may use: affinity and the control group's quota, at least 1.
[[nodiscard]] int allowedProcessors();

/// Physical cores among them: two threads of one core share its arithmetic and its path to memory.
[[nodiscard]] int allowedCores();

} // namespace decodescope::engine
