#include "ui/text/token_buffer.h"

#include "ui/theme/look.h"

#include <algorithm>
#include <string_view>

namespace decodescope {
namespace {

/// UTF-16 units of valid UTF-8: one a character, two for those of four bytes.
std::uint32_t utf16Length(std::string_view utf8) {
    std::uint32_t units = 0;
    for (const char c : utf8) {
        const auto byte = static_cast<unsigned char>(c);
        units += ((byte & 0xC0U) != 0x80U ? 1U : 0U) + (byte >= 0xF0U ? 1U : 0U);
    }
    return units;
}

std::uint32_t toldTokens(const EventTokens& told) {
    for (const std::uint32_t count : {told.engine, told.ids, told.logprobs, told.usage, told.timings}) {
        if (count > 0)
            return count;
    }
    return 1;
}

} // namespace

void TokenBuffer::clear() {
    *this = TokenBuffer();
}

std::uint32_t TokenBuffer::append(const RunRecord& record) {
    const std::size_t first = m_begin.size();
    const std::size_t last = record.events.size();
    if (first >= last)
        return tokenCount();
    std::uint32_t changed = static_cast<std::uint32_t>(first);
    const std::string_view transcript = record.transcript;
    std::uint32_t position = textSize();
    const std::uint32_t oldBytes = m_bytes;
    for (std::size_t i = first; i < last; ++i) {
        const TokenEvent& event = record.events[i];
        m_begin.push_back(position);
        const std::uint32_t end = std::min<std::uint32_t>(event.textEnd, static_cast<std::uint32_t>(transcript.size()));
        if (end > m_bytes) {
            position += utf16Length(transcript.substr(m_bytes, end - m_bytes));
            while (m_span + 1 < record.spans.size() && record.spans[m_span + 1].begin <= m_bytes)
                ++m_span;
            m_bytes = end;
        }
        const Channel channel = m_span < record.spans.size() ? record.spans[m_span].channel : Channel::answer;
        auto marks = static_cast<std::uint8_t>(channel);
        const bool sameRead = i > 0 && record.events[i - 1].read == event.read;
        float gap = 0;
        if (sameRead) {
            // The whole read is underlined from its second token on.
            for (std::uint32_t t = m_readStart; t < i; ++t)
                m_marks[t] |= kShared;
            changed = std::min(changed, m_readStart);
            marks |= kShared;
            m_readStart = static_cast<std::uint32_t>(i); // those before are marked already
        } else {
            m_readStart = static_cast<std::uint32_t>(i);
            if (i > 0)
                gap = static_cast<float>(toSeconds(event.at - record.events[i - 1].at));
        }
        if (toldTokens(event.tokens) > 1)
            marks |= kShared;
        m_gapS.push_back(std::max(0.0F, gap));
        m_marks.push_back(marks);
    }
    m_text += QString::fromUtf8(transcript.data() + oldBytes, static_cast<qsizetype>(m_bytes - oldBytes));
    return changed;
}

bool TokenBuffer::setHatched(const std::vector<std::uint32_t>& tokens) {
    bool changed = false;
    std::size_t next = 0;
    for (std::uint32_t i = 0; i < tokenCount(); ++i) {
        while (next < tokens.size() && tokens[next] < i)
            ++next;
        const bool wanted = next < tokens.size() && tokens[next] == i;
        if (wanted != hatched(i)) {
            m_marks[i] ^= kHatched;
            changed = true;
        }
    }
    return changed;
}

std::uint32_t TokenBuffer::wordBegin(std::uint32_t token) const {
    std::uint32_t at = begin(token);
    const std::uint32_t stop = end(token);
    while (at < stop && m_text.at(at).isSpace())
        ++at;
    return at < stop ? at : begin(token);
}

int TokenBuffer::heatStop(std::uint32_t token, double medianS) const {
    return hatched(token) ? 0 : Look::heatStop(m_gapS[token], medianS);
}

std::uint32_t TokenBuffer::tokenAt(std::uint32_t position) const {
    auto after = std::upper_bound(m_begin.begin(), m_begin.end(), position);
    if (after == m_begin.begin())
        return 0;
    auto token = static_cast<std::uint32_t>(after - m_begin.begin() - 1);
    // At the very end stand tokens without text: the last one with text is meant.
    while (token > 0 && begin(token) == end(token))
        --token;
    return token;
}

std::uint32_t TokenBuffer::positionOfByte(const RunRecord& record, std::uint32_t byte) const {
    if (m_begin.empty() || byte >= m_bytes)
        return textSize();
    // Empty tokens stand at 0 in the record and are no help: search by the ends, which a running maximum orders.
    std::uint32_t low = 0, high = tokenCount();
    while (low < high) {
        const std::uint32_t middle = (low + high) / 2;
        std::uint32_t probe = middle;
        while (probe < high && record.events[probe].textEnd <= record.events[probe].textBegin)
            ++probe;
        if (probe == high || record.events[probe].textEnd > byte)
            high = middle;
        else
            low = probe + 1;
    }
    while (low < tokenCount() && record.events[low].textEnd <= record.events[low].textBegin)
        ++low;
    if (low >= tokenCount())
        return textSize();
    const std::uint32_t begins = record.events[low].textBegin;
    const std::uint32_t inside = byte > begins ? byte - begins : 0;
    return begin(low) + utf16Length(std::string_view(record.transcript).substr(begins, inside));
}

std::size_t TokenBuffer::memory() const {
    return static_cast<std::size_t>(m_text.capacity()) * sizeof(QChar) + m_begin.capacity() * sizeof(std::uint32_t) +
           m_gapS.capacity() * sizeof(float) + m_marks.capacity();
}

} // namespace decodescope
