#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace decodescope {

/// Finds what is new where a server sends, instead of a delta, the whole text so far.
class CumulativeText {
public:
    enum class Mode {
        always, ///< the user says that events are cumulative
        guard   ///< deltas are expected; now and then a message that repeats everything is caught
    };
    explicit CumulativeText(Mode mode)
        : m_mode(mode) {}

    struct News {
        std::string_view text; ///< the end of what was given
        bool repeated = false; ///< the beginning was the text so far
    };
    [[nodiscard]] News take(std::string_view text);

private:
    Mode m_mode;
    std::string m_seen;
    std::size_t m_pieces = 0;
};

} // namespace decodescope
