#include "core/source/context_filler.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace decodescope {

namespace {

constexpr std::array<std::string_view, 8> kWho{"man", "woman", "boy", "girl", "teacher", "doctor", "farmer", "king"};
constexpr std::array<std::string_view, 8> kHow{"old", "young", "small", "tall", "quiet", "happy", "poor", "good"};
constexpr std::array<std::string_view, 8> kDid{"saw", "found", "made", "took", "lost", "kept", "sold", "wanted"};
constexpr std::array<std::string_view, 8> kWhat{"house", "book", "horse", "letter", "stone", "boat", "table", "tree"};
constexpr std::array<std::string_view, 8> kWhere{"river", "city", "road", "garden", "school", "market", "field", "sea"};
/// "The old man saw a small house near the long river." with its full stop.
constexpr int kTokensPerSentence = 12;

} // namespace

std::string contextFiller(int tokens) {
    std::string text;
    std::uint32_t state = 1;
    const auto pick = [&state](const auto& words) {
        state = state * 1664525U + 1013904223U;
        return words[state >> 29U];
    };
    for (int done = 0; done < tokens; done += kTokensPerSentence) {
        text += done == 0 ? "The " : " The ";
        text += pick(kHow);
        text += ' ';
        text += pick(kWho);
        text += ' ';
        text += pick(kDid);
        text += " a ";
        text += pick(kHow);
        text += ' ';
        text += pick(kWhat);
        text += " near the ";
        text += pick(kHow);
        text += ' ';
        text += pick(kWhere);
        text += '.';
    }
    return text;
}

} // namespace decodescope
