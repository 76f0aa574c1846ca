#include "core/base/secret.h"

#include <cstring>
#include <utility>

namespace decodescope {

void Secret::wipe() noexcept {
    // Writing through a volatile pointer keeps the compiler from dropping the stores.
    volatile char* bytes = m_value.data();
    for (std::size_t i = 0; i < m_value.size(); ++i)
        bytes[i] = '\0';
    m_value.clear();
}

Secret& Secret::operator=(const Secret& other) {
    if (this != &other) {
        wipe();
        m_value = other.m_value;
    }
    return *this;
}

Secret::Secret(Secret&& other) noexcept : m_value(other.m_value) { other.wipe(); }

Secret& Secret::operator=(Secret&& other) noexcept {
    if (this != &other) {
        wipe();
        m_value = other.m_value;
        other.wipe();
    }
    return *this;
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
