#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace decodescope {

/// An API key. It cannot be printed, formatted, compared by accident or serialised: there is no conversion
/// and no stream operator. The bytes are wiped on destruction. Only the transport unwraps it, into the
/// request's header bytes.
class Secret {
public:
    Secret() = default;
    explicit Secret(std::string value)
        : m_value(std::move(value)) {}
    Secret(const Secret&) = default;
    Secret& operator=(const Secret& other);
    Secret(Secret&& other) noexcept;
    Secret& operator=(Secret&& other) noexcept;
    ~Secret() { wipe(); }

    [[nodiscard]] bool empty() const noexcept { return m_value.empty(); }
    /// Number of bytes; what an error message may say about a key.
    [[nodiscard]] std::size_t size() const noexcept { return m_value.size(); }
    /// The bytes themselves. For the request writer and the redactor alone.
    [[nodiscard]] std::string_view revealForTransport() const noexcept { return m_value; }
    /// Constant-time comparison.
    [[nodiscard]] bool equals(const Secret& other) const noexcept;

private:
    void wipe() noexcept;
    std::string m_value;
};

} // namespace decodescope
