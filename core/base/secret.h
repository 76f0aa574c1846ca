#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace decodescope {

/// An API key. It cannot be printed, formatted, compared by accident or serialised: there is no conversion
/// and no stream operator. The bytes are wiped on destruction. Only the transport unwraps it, into the
/// request's header bytes. While any key is held, the process leaves no core file and its memory cannot be read by
/// other processes of the user.
class Secret {
public:
    Secret() = default;
    explicit Secret(std::string value);
    Secret(const Secret& other);
    Secret& operator=(const Secret& other);
    Secret(Secret&& other) noexcept;
    Secret& operator=(Secret&& other) noexcept;
    ~Secret();

    [[nodiscard]] bool empty() const noexcept { return m_value.empty(); }
    /// Number of bytes; what an error message may say about a key.
    [[nodiscard]] std::size_t size() const noexcept { return m_value.size(); }
    /// The bytes themselves. For the request writer and the redactor alone.
    [[nodiscard]] std::string_view revealForTransport() const noexcept { return m_value; }
    /// Constant-time comparison.
    [[nodiscard]] bool equals(const Secret& other) const noexcept;

private:
    void wipe() noexcept;
    /// Guards the process's memory as long as one that holds something exists.
    void hold() noexcept;
    void drop() noexcept;

    std::string m_value;
    bool m_held = false;
};

} // namespace decodescope
