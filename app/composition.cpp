#include "app/composition.h"

#include "app/credentials.h"
#include "core/net/network_thread.h"
#include "core/net/remote_source.h"

#include <memory>

namespace decodescope {

RunServices realServices() {
    const auto network = std::make_shared<NetworkThread>();
    RunServices services;
    services.sources = [network, remote = makeRemoteSourceFactory(*network)](
                           const RunSpec& request, SourceOutput output) { return remote(request, std::move(output)); };
    services.loadKey = loadKey;
    return services;
}

} // namespace decodescope
