#pragma once

#include "core/wire/cumulative_text.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace decodescope {

/// Finds out whether a server sends what is new or the whole text so far, where its API allows both and says nowhere
/// which. As long as each text begins with the one before it, both are possible ("ha", "ha" may be one laugh or two);
/// texts that could be read either way are held back until later ones decide.
class PrefixTest {
public:
    enum class Knowledge {
        none,
        cumulative ///< the user says so
    };
    explicit PrefixTest(Knowledge knowledge);

    /// What is new in a message. Pieces that were held back belong to an earlier message than the one at hand.
    struct Piece {
        std::string text;
        std::uint32_t message = 0;
    };
    void take(std::string_view text, std::uint32_t message, std::vector<Piece>& out);
    /// The texts are over: what was seen so far decides.
    void finish(std::vector<Piece>& out);
    [[nodiscard]] bool holding() const noexcept { return !m_held.empty() || (m_decided && m_decided->hasRest()); }

private:
    void decide(CumulativeText::Mode mode, std::vector<Piece>& out);
    void pass(std::string_view text, std::uint32_t message, std::vector<Piece>& out);

    std::optional<CumulativeText> m_decided;
    std::vector<Piece> m_held; // the first text stays here as well, although its settled part is handed out
    std::string m_seen;        // the settled part of the latest text
    std::size_t m_firstSettled = 0;
    std::size_t m_heldBytes = 0;
    std::size_t m_growths = 0;
    std::uint32_t m_lastMessage = 0;
};

} // namespace decodescope
