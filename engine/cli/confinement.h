#pragma once

namespace decodescope::engine {

/// Takes away from this process what reading a file does not need: core dumps, new privileges, more than 512 MiB of
/// memory of its own beside the mapped file, more than 20 s of processor time. For commands that only look.
void confineToReading() noexcept;

} // namespace decodescope::engine
