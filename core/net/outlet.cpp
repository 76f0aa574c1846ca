#include "core/net/outlet.h"

namespace decodescope {

void Outlet::post(std::vector<StreamEvent>& events) {
    const std::lock_guard lock(m_mutex);
    if (m_open && !events.empty())
        m_output.events->post(events);
    events.clear();
}

void Outlet::chunk(Instant at, std::uint32_t read, std::string_view bytes) {
    const std::lock_guard lock(m_mutex);
    if (m_open && m_output.raw)
        m_output.raw->onChunk(at, read, bytes);
}

void Outlet::milestone(Instant at, const Milestone& milestone) {
    const std::lock_guard lock(m_mutex);
    if (m_open && m_output.raw)
        m_output.raw->onMilestone(at, milestone);
}

void Outlet::stamps(Instant at, const StampReport& stamps) {
    const std::lock_guard lock(m_mutex);
    if (m_open && m_output.raw)
        m_output.raw->onStamps(at, stamps);
}

void Outlet::end(Instant at, ErrorKind kind, std::string_view message, std::vector<StreamEvent>& last) {
    {
        const std::lock_guard lock(m_mutex);
        if (m_open && m_output.raw)
            m_output.raw->onEnd(at, kind, message);
        if (m_open)
            m_output.events->post(last);
    }
    last.clear();
    m_ready = true;
}

void Outlet::endUnseen(Instant at, ErrorKind kind, const std::string& message) {
    {
        const std::lock_guard lock(m_mutex);
        if (m_open)
            endRun(m_output, at, kind, message);
    }
    m_ready = true;
}

void Outlet::shut() {
    const std::lock_guard lock(m_mutex);
    m_open = false;
    m_output = {};
}

} // namespace decodescope
