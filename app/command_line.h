#pragma once

namespace decodescope {

/// The whole program behind main(): reads the arguments, does what they ask, returns the exit status.
[[nodiscard]] int runCommandLine(int argc, char** argv);

} // namespace decodescope
