#include "core/base/hiccup_log.h"

#include <algorithm>

namespace decodescope {

HiccupLog::HiccupLog(std::size_t capacity)
    : m_capacity(std::max<std::size_t>(capacity, 1)) {}

bool HiccupLog::waitForListener() {
    std::unique_lock lock(m_mutex);
    m_due.reset();
    m_changed.wait(lock, [this] { return m_shut || m_listeners > 0; });
    return !m_shut;
}

bool HiccupLog::sleepUntil(Instant due) {
    std::unique_lock lock(m_mutex);
    m_due = due;
    m_changed.wait_until(lock, due, [this] { return m_shut; });
    return !m_shut;
}

void HiccupLog::note(const Hiccup& hiccup) {
    const std::lock_guard lock(m_mutex);
    if (m_kept.size() == m_capacity)
        m_kept.pop_front();
    m_kept.push_back(hiccup);
    ++m_noted;
    m_due.reset();
}

void HiccupLog::shut() {
    {
        const std::lock_guard lock(m_mutex);
        m_shut = true;
    }
    m_changed.notify_all();
}

void HiccupLog::listen() {
    {
        const std::lock_guard lock(m_mutex);
        ++m_listeners;
    }
    m_changed.notify_all();
}

void HiccupLog::unlisten() {
    const std::lock_guard lock(m_mutex);
    --m_listeners;
}

HiccupLog::Cursor HiccupLog::end() const {
    const std::lock_guard lock(m_mutex);
    return m_noted;
}

std::vector<Hiccup> HiccupLog::since(Cursor& cursor) const {
    const std::lock_guard lock(m_mutex);
    return take(cursor);
}

std::vector<Hiccup> HiccupLog::sinceAndNow(Cursor& cursor, Instant now) const {
    const std::lock_guard lock(m_mutex);
    std::vector<Hiccup> hiccups = take(cursor);
    if (m_due && now - *m_due >= Hiccup::kWorthNoting)
        hiccups.push_back({*m_due, now});
    return hiccups;
}

std::vector<Hiccup> HiccupLog::take(Cursor& cursor) const {
    const Cursor wanted = m_noted - std::min(cursor, m_noted);
    const auto kept = static_cast<std::ptrdiff_t>(std::min<Cursor>(wanted, m_kept.size()));
    cursor = m_noted;
    return {m_kept.end() - kept, m_kept.end()};
}

} // namespace decodescope
