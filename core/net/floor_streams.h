#pragma once

#include <vector>

struct ssl_ctx_st;

namespace decodescope {

/// The streams of a FloorServer: serves on the listening sockets, under TLS where `tls` is not null, until the other
/// end of `lifeline` is closed. Runs in the server's own process, which has this one thread.
void serveFloorStreams(const std::vector<int>& listeners, int lifeline, ssl_ctx_st* tls);

} // namespace decodescope
