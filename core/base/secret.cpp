#include "core/base/secret.h"

#include <cstring>
#include <mutex>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <utility>

namespace decodescope {

namespace {

/// Counts the keys in memory; from the first to the last the process can neither be dumped nor looked into.
class MemoryGuard {
public:
    static MemoryGuard& instance() {
        static auto* guard = new MemoryGuard; // outlives keys that are destroyed at exit
        return *guard;
    }
    void hold() noexcept {
        const std::lock_guard lock(m_mutex);
        if (m_held++ > 0)
            return;
        m_wasDumpable = ::prctl(PR_GET_DUMPABLE);
        ::prctl(PR_SET_DUMPABLE, 0);
        if (::getrlimit(RLIMIT_CORE, &m_coreLimit) == 0) {
            const rlimit none{0, m_coreLimit.rlim_max};
            ::setrlimit(RLIMIT_CORE, &none);
        }
    }
    void drop() noexcept {
        const std::lock_guard lock(m_mutex);
        if (--m_held > 0)
            return;
        if (m_wasDumpable == 1)
            ::prctl(PR_SET_DUMPABLE, 1);
        ::setrlimit(RLIMIT_CORE, &m_coreLimit);
    }

private:
    std::mutex m_mutex;
    int m_held = 0;
    int m_wasDumpable = 1;
    rlimit m_coreLimit{};
};

} // namespace

void Secret::wipe() noexcept {
    // Writing through a volatile pointer keeps the compiler from dropping the stores.
    volatile char* bytes = m_value.data();
    for (std::size_t i = 0; i < m_value.size(); ++i)
        bytes[i] = '\0';
    m_value.clear();
}

void Secret::hold() noexcept {
    if (m_held || m_value.empty())
        return;
    m_held = true;
    MemoryGuard::instance().hold();
}

void Secret::drop() noexcept {
    wipe();
    if (std::exchange(m_held, false))
        MemoryGuard::instance().drop();
}

Secret::Secret(std::string value)
    : m_value(std::move(value)) {
    hold();
}

Secret::Secret(const Secret& other)
    : m_value(other.m_value) {
    hold();
}

Secret& Secret::operator=(const Secret& other) {
    if (this != &other) {
        wipe();
        m_value = other.m_value;
        hold();
    }
    return *this;
}

Secret::Secret(Secret&& other) noexcept
    : m_value(other.m_value) {
    hold();
    other.drop();
}

Secret& Secret::operator=(Secret&& other) noexcept {
    if (this != &other) {
        wipe();
        m_value = other.m_value;
        hold();
        other.drop();
    }
    return *this;
}

Secret::~Secret() {
    drop();
}

bool Secret::equals(const Secret& other) const noexcept {
    if (m_value.size() != other.m_value.size())
        return false;
    unsigned char difference = 0;
    for (std::size_t i = 0; i < m_value.size(); ++i)
        difference = static_cast<unsigned char>(difference | (m_value[i] ^ other.m_value[i]));
    return difference == 0;
}

} // namespace decodescope
