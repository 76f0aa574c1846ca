#include "core/wire/think_splitter.h"

namespace decodescope {
namespace {

constexpr std::string_view kOpening = "<think>";
constexpr std::string_view kClosing = "</think>";

} // namespace

void ThinkSplitter::feed(std::string_view text, std::uint32_t message, std::vector<Piece>& out) {
    std::size_t plain = 0; // from here on nothing was handed out yet
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::string_view tag = m_inside ? kClosing : kOpening;
        if (!m_held.empty() && text[i] != tag[m_held.size()]) {
            // No tag after all. "<" stands only at the head of a tag, so no shorter beginning can be in what is held.
            finish(out);
            plain = i;
        }
        if (text[i] != tag[m_held.size()])
            continue;
        if (m_held.empty())
            put(text.substr(plain, i - plain), message, out);
        m_held += text[i];
        m_heldMessages.push_back(message);
        plain = i + 1;
        if (m_held == tag) {
            m_held.clear();
            m_heldMessages.clear();
            m_inside = !m_inside;
        }
    }
    if (m_held.empty())
        put(text.substr(plain), message, out);
}

void ThinkSplitter::finish(std::vector<Piece>& out) {
    for (std::size_t i = 0; i < m_held.size(); ++i)
        put(std::string_view(m_held).substr(i, 1), m_heldMessages[i], out);
    m_held.clear();
    m_heldMessages.clear();
}

void ThinkSplitter::put(std::string_view text, std::uint32_t message, std::vector<Piece>& out) {
    if (text.empty())
        return;
    const Channel channel = m_inside ? Channel::reasoning : Channel::answer;
    if (!out.empty() && out.back().channel == channel && out.back().message == message)
        out.back().text += text;
    else
        out.push_back({channel, std::string(text), message});
}

} // namespace decodescope
