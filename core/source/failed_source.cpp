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
    const Instant now = m_clock.now();
    if (m_output.raw)
        m_output.raw->onEnd(now, kind, m_message);
    StreamEnd last;
    last.verdict = StreamEnd::Verdict::error;
    last.kind = kind;
    last.message = m_message;
    m_output.events->post({now, 0, 0, std::move(last)});
}

} // namespace decodescope
