#include "core/source/token_source.h"

namespace decodescope {

void endRun(const SourceOutput& output, Instant at, ErrorKind kind, const std::string& message) {
    if (output.raw)
        output.raw->onEnd(at, kind, message);
    output.events->post({at, 0, 0, errorEnd(kind, message)});
}

} // namespace decodescope
