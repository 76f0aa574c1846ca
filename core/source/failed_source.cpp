#include "core/source/failed_source.h"

#include <utility>

namespace decodescope {

FailedSource::FailedSource(std::string message, const Clock& clock, SourceOutput output)
    : m_message(std::move(message))
    , m_clock(clock)
    , m_output(std::move(output)) {}

void FailedSource::prepare() {
    end(ErrorKind::unreachable);
}

void FailedSource::cancel(ErrorKind kind) {
    end(kind);
}

void FailedSource::end(ErrorKind kind) {
    if (std::exchange(m_ended, true))
        return;
    endRun(m_output, m_clock.now(), kind, m_message);
}

} // namespace decodescope
