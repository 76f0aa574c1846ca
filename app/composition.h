#pragma once

#include "app/probe_command.h"
#include "app/run_command.h"
#include "core/net/engine_pool.h"
#include "core/net/transport_choice.h"

#include <memory>

namespace decodescope {

/// Everything that runs are made with: real sources over the network, from recordings and from engines of our own. The
/// parts live as long as any copy of this does; `engines` needs the event loop of the thread that made it.
struct Composition {
    RunServices run;
    std::shared_ptr<EnginePool> engines;
    ListCall listModels; ///< over the same sockets as runs; answers on the network thread
};

/// The composition root of window and command line; remote lanes run over `transport`.
[[nodiscard]] Composition compose(TransportKind transport = bestTransportKind());

/// What `probe` needs, over the same sockets as runs.
[[nodiscard]] ProbeServices composeProbe();

/// A recording from a file, or from the program's own resources (a path that begins with ":/").
[[nodiscard]] Result<Recording> readAnyRecording(const std::string& path);

} // namespace decodescope
