#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

namespace decodescope {

/// Adds up running counts that a server keeps for each choice apart, where usage is told for all of them together.
class ChoiceTotals {
public:
    /// The choice's count so far. Returns the sum over all choices.
    std::uint64_t take(std::uint16_t choice, std::uint64_t count) {
        // No answer has so many tokens, and the sum over 65,536 choices cannot wrap.
        constexpr std::uint64_t kMost = 1ULL << 40;
        std::uint64_t& known = m_counts[choice];
        m_sum -= known;
        known = std::min(count, kMost);
        m_sum += known;
        return m_sum;
    }

private:
    std::map<std::uint16_t, std::uint64_t> m_counts;
    std::uint64_t m_sum = 0;
};

} // namespace decodescope
