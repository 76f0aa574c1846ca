#pragma once

#include "core/wire/stream_event.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace decodescope {

/// Splits the reasoning that some models write into their answer between `<think>` and `</think>`, where the tags may
/// be cut over any number of deltas. The tags themselves belong to neither side.
class ThinkSplitter {
public:
    /// A piece of text of one side. `message`: the one that brought it, which for the beginning of what turned out to
    /// be no tag is an earlier one.
    struct Piece {
        Channel channel = Channel::answer;
        std::string text;
        std::uint32_t message = 0;
    };

    void feed(std::string_view text, std::uint32_t message, std::vector<Piece>& out);
    /// The text is over: the beginning of a tag that never came is text.
    void finish(std::vector<Piece>& out);
    [[nodiscard]] bool holding() const noexcept { return !m_held.empty(); }

private:
    void put(std::string_view text, std::uint32_t message, std::vector<Piece>& out);

    bool m_inside = false;
    std::string m_held;                        // a beginning of the tag awaited
    std::vector<std::uint32_t> m_heldMessages; // for each byte held, the message that brought it
};

} // namespace decodescope
