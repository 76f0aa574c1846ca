#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// What of a response's head may be written to a file or an export (reliability.md section 6).
namespace decodescope {

/// Masks sensitive values in the raw bytes of one response, read by read and whatever the cuts: every byte of such
/// a value becomes '*', so lengths and everything that is measured stay as they were. Bytes after the head, and
/// answers that are not HTTP, pass unchanged.
class HeadMasker {
public:
    void mask(std::string& bytes);
    /// Whether the head is over: later bytes need no masking.
    [[nodiscard]] bool done() const noexcept { return m_place == Place::body; }

private:
    enum class Place : std::uint8_t { statusLine, lineStart, name, value, body };
    void endOfLine();

    Place m_place = Place::statusLine;
    std::string m_statusLine; // as much of it as is needed to see a 1xx
    std::string m_name;
    bool m_hide = false;    // the value at hand is masked
    bool m_interim = false; // the head is that of a 1xx response: another one follows
};

} // namespace decodescope
