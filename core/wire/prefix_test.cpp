#include "core/wire/prefix_test.h"

#include <utility>

namespace decodescope {
namespace {

// A text that begins with a long one before it, or two in a row that grew: no stream of deltas does that.
constexpr std::size_t kSureFromBytes = 24;
constexpr std::size_t kSureFromGrowths = 2;
constexpr std::size_t kMostHeld = 256;
constexpr std::size_t kMostHeldBytes = 64U << 10;

} // namespace

PrefixTest::PrefixTest(Knowledge knowledge) {
    if (knowledge == Knowledge::cumulative)
        m_decided.emplace(CumulativeText::Mode::always);
}

void PrefixTest::take(std::string_view text, std::uint32_t message, std::vector<Piece>& out) {
    if (text.empty())
        return;
    m_lastMessage = message;
    if (m_decided) {
        pass(text, message, out);
        return;
    }
    const std::string_view settled = settledPart(text);
    const bool first = m_held.empty();
    if (!first && settled.substr(0, m_seen.size()) != m_seen) {
        decide(CumulativeText::Mode::guard, out);
        pass(text, message, out);
        return;
    }
    const bool grew = !m_seen.empty() && settled.size() > m_seen.size(); // out of nothing every text may come
    m_growths += grew ? 1 : 0;
    const bool sure = grew && (m_seen.size() >= kSureFromBytes || m_growths >= kSureFromGrowths);
    m_seen = settled;
    m_held.push_back({std::string(text), message});
    m_heldBytes += text.size();
    if (first) {
        m_firstSettled = settled.size();
        if (!settled.empty())
            out.push_back({std::string(settled), message});
    } else if (sure) {
        decide(CumulativeText::Mode::always, out);
    } else if (m_held.size() > kMostHeld || m_heldBytes > kMostHeldBytes) {
        decide(m_growths > 0 ? CumulativeText::Mode::always : CumulativeText::Mode::guard, out);
    }
}

void PrefixTest::decide(CumulativeText::Mode mode, std::vector<Piece>& out) {
    m_decided.emplace(mode);
    const std::vector<Piece> held = std::exchange(m_held, {});
    for (std::size_t i = 0; i < held.size(); ++i) {
        if (i > 0) {
            pass(held[i].text, held[i].message, out);
            continue;
        }
        std::string_view news = m_decided->take(held[i].text).text;
        news.remove_prefix(m_firstSettled);
        if (!news.empty())
            out.push_back({std::string(news), held[i].message});
    }
}

void PrefixTest::pass(std::string_view text, std::uint32_t message, std::vector<Piece>& out) {
    const std::string_view news = m_decided->take(text).text;
    if (!news.empty())
        out.push_back({std::string(news), message});
}

void PrefixTest::finish(std::vector<Piece>& out) {
    if (!m_decided) {
        // Two equal texts and no more: the last message of such APIs often repeats the text beside the finish reason.
        const bool repeats = m_growths > 0 || (m_held.size() == 2 && !m_seen.empty());
        decide(repeats ? CumulativeText::Mode::always : CumulativeText::Mode::guard, out);
    }
    if (std::string rest = m_decided->takeRest(); !rest.empty())
        out.push_back({std::move(rest), m_lastMessage});
}

} // namespace decodescope
