#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace decodescope {

/// A text so far without what its next version may show otherwise: half a surrogate pair, and the replacement
/// characters that stand for a character whose last tokens have not come.
[[nodiscard]] std::string_view settledPart(std::string_view wtf8) noexcept;

/// Finds what is new where a server sends, instead of a delta, the whole text so far.
class CumulativeText {
public:
    enum class Mode {
        always, ///< events are known to be cumulative
        guard   ///< deltas are expected; now and then a message that repeats everything is caught
    };
    explicit CumulativeText(Mode mode)
        : m_mode(mode) {}

    struct News {
        std::string_view text; ///< the end of what was given
        bool repeated = false; ///< the beginning was the text so far
    };
    [[nodiscard]] News take(std::string_view text);
    /// The texts are over: the end of the latest one that waited for its next version.
    [[nodiscard]] std::string takeRest();
    [[nodiscard]] bool hasRest() const noexcept { return !m_rest.empty(); }

private:
    Mode m_mode;
    std::string m_seen;
    std::string m_rest;
    std::size_t m_pieces = 0;
};

} // namespace decodescope
