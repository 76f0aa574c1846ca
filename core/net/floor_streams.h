#pragma once

#include <vector>

namespace decodescope {

/// The streams of a FloorServer: serves on the listening sockets until the other end of `lifeline` is closed. Runs in
/// the server's own process, which has this one thread.
void serveFloorStreams(const std::vector<int>& listeners, int lifeline);

} // namespace decodescope
