#include "engine/tokenizer/special_tokens.h"

#include <queue>

#include <algorithm>

namespace decodescope::engine {

namespace {

/// Longest first; of equal length the smaller id, then the earlier place.
struct ComesLater {
    bool operator()(const SpecialTokens::Found& left, const SpecialTokens::Found& right) const noexcept {
        const std::size_t leftLength = left.end - left.begin;
        const std::size_t rightLength = right.end - right.begin;
        if (leftLength != rightLength) {
            return leftLength < rightLength;
        }
        return left.token != right.token ? left.token > right.token : left.begin > right.begin;
    }
};

/// How far text may be parsed from a position on: positions are asked for in any order.
std::size_t parsedLength(std::span<const ByteRange> parsed, std::size_t at) {
    const auto next = std::ranges::upper_bound(parsed, at, {}, &ByteRange::begin);
    if (next == parsed.begin()) {
        return 0;
    }
    const ByteRange& range = *(next - 1);
    return range.end > at ? range.end - at : 0;
}

} // namespace

bool SpecialTokens::add(std::string_view spelling, TokenId token, Kind kind) {
    if (spelling.empty() || spelling.size() > kMaxSpelling) {
        return true;
    }
    std::uint32_t node = 0;
    for (const char character : spelling) {
        const auto byte = static_cast<unsigned char>(character);
        if (const PairMap::Value* edge = m_edges.find(node, byte)) {
            node = edge->first;
            continue;
        }
        const auto fresh = static_cast<std::uint32_t>(m_nodes.size());
        if (fresh == kMaxNodes || !m_edges.insert(node, byte, {fresh, 0})) {
            return false;
        }
        m_nodes.emplace_back();
        node = fresh;
    }
    m_starts[static_cast<unsigned char>(spelling[0])] = true;
    TokenId& target = kind == Kind::always ? m_nodes[node].always : m_nodes[node].whenParsed;
    target = token;
    return true;
}

SpecialTokens::Found SpecialTokens::longestAt(std::string_view text, std::size_t at, Limits limits) const noexcept {
    Found found{at, at, -1};
    std::uint32_t node = 0;
    const std::size_t longest = std::max(limits.always, limits.whenParsed);
    for (std::size_t length = 1; length <= longest; ++length) {
        const PairMap::Value* edge = m_edges.find(node, static_cast<unsigned char>(text[at + length - 1]));
        if (edge == nullptr) {
            break;
        }
        node = edge->first;
        if (m_nodes[node].always >= 0 && length <= limits.always) {
            found = {at, at + length, m_nodes[node].always};
        } else if (m_nodes[node].whenParsed >= 0 && length <= limits.whenParsed) {
            found = {at, at + length, m_nodes[node].whenParsed};
        }
    }
    return found;
}

std::vector<SpecialTokens::Found> SpecialTokens::find(std::string_view text, std::span<const ByteRange> parsed) const {
    std::priority_queue<Found, std::vector<Found>, ComesLater> candidates;
    const auto consider = [&](std::size_t at, std::size_t limit) {
        const Limits limits{std::min(limit, text.size() - at), std::min(limit, parsedLength(parsed, at))};
        if (const Found found = longestAt(text, at, limits); found.token >= 0) {
            candidates.push(found);
        }
    };
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (m_starts[static_cast<unsigned char>(text[at])]) {
            consider(at, text.size());
        }
    }
    std::vector<Found> taken;
    if (candidates.empty()) {
        return taken;
    }
    std::vector<bool> covered(text.size());
    while (!candidates.empty()) {
        const Found found = candidates.top();
        candidates.pop();
        if (covered[found.begin]) {
            continue;
        }
        // What was taken before is at least as long, so an overlap covers this one's last byte.
        if (covered[found.end - 1]) {
            std::size_t limit = found.end - 1 - found.begin;
            while (covered[found.begin + limit - 1]) {
                --limit;
            }
            consider(found.begin, limit);
            continue;
        }
        std::fill(covered.begin() + static_cast<std::ptrdiff_t>(found.begin),
                  covered.begin() + static_cast<std::ptrdiff_t>(found.end), true);
        taken.push_back(found);
    }
    std::ranges::sort(taken, {}, &Found::begin);
    return taken;
}

} // namespace decodescope::engine
