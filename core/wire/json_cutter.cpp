#include "core/wire/json_cutter.h"

namespace decodescope {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kSpace = " \t\r\n";

bool isSpace(char c) noexcept {
    return kSpace.find(c) != std::string_view::npos;
}

bool isBlank(std::string_view text) noexcept {
    return text.find_first_not_of(kSpace) == std::string_view::npos;
}

} // namespace

bool BracketDepth::closes(char c) noexcept {
    if (m_inString) {
        if (m_escaped)
            m_escaped = false;
        else if (c == '\\')
            m_escaped = true;
        else if (c == '"')
            m_inString = false;
    } else if (c == '"') {
        m_inString = true;
    } else if (c == '{' || c == '[') {
        ++m_depth;
    } else if (c == '}' || c == ']') {
        --m_depth;
    }
    return !m_inString && m_depth <= 0;
}

bool opensBrackets(std::string_view line) noexcept {
    BracketDepth brackets;
    for (const char c : line)
        (void)brackets.closes(c);
    return brackets.open();
}

LineCutter::Status LineCutter::feed(std::string_view bytes) {
    while (!m_tooLarge && !bytes.empty()) {
        const std::size_t end = bytes.find('\n');
        const std::string_view piece = bytes.substr(0, end);
        if (m_partial.size() + piece.size() > m_maxBytes) {
            m_tooLarge = true;
            break;
        }
        if (end == std::string_view::npos) {
            m_partial.append(piece);
            break;
        }
        bytes.remove_prefix(end + 1);
        if (m_partial.empty()) {
            line(piece);
        } else {
            m_partial.append(piece);
            line(m_partial);
            m_partial.clear();
        }
    }
    return m_tooLarge ? Status::tooLarge : Status::open;
}

LineCutter::Tail LineCutter::finish() {
    if (m_tooLarge || isBlank(m_partial))
        return Tail::nothing;
    line(m_partial);
    m_partial.clear();
    return Tail::used;
}

void LineCutter::line(std::string_view text) {
    if (m_firstLine && text.substr(0, kByteOrderMark.size()) == kByteOrderMark)
        text.remove_prefix(kByteOrderMark.size());
    m_firstLine = false;
    if (!isBlank(text))
        m_sink.onJsonText(text);
}

ArrayCutter::Status ArrayCutter::feed(std::string_view bytes) {
    m_begin = 0;
    for (std::size_t i = 0; i < bytes.size() && !m_tooLarge; ++i) {
        const char c = bytes[i];
        switch (m_place) {
        case Place::before: // a byte order mark and white space: the sniffer saw what the body is
            if (c == '[')
                m_place = Place::between;
            break;
        case Place::between:
            between(c, i);
            break;
        case Place::inValue:
            if (m_brackets.closes(c)) {
                element(bytes, i + 1);
                m_place = Place::between;
            }
            break;
        case Place::inWord:
            if (c == ',' || c == ']') {
                element(bytes, i);
                m_place = Place::between;
                between(c, i);
            }
            break;
        }
        m_tooLarge = begun() && m_partial.size() + (i + 1 - m_begin) > m_maxBytes;
    }
    if (!m_tooLarge && begun())
        m_partial.append(bytes.substr(m_begin));
    return m_tooLarge ? Status::tooLarge : Status::open;
}

void ArrayCutter::between(char c, std::size_t i) {
    if (isSpace(c) || c == ',')
        return;
    if (c == ']') {
        if (!m_closed)
            m_sink.onArrayEnd();
        m_closed = true;
        return;
    }
    m_begin = i;
    m_brackets = {};
    m_place = m_brackets.closes(c) ? Place::inWord : Place::inValue;
}

void ArrayCutter::element(std::string_view bytes, std::size_t end) {
    const std::string_view piece = bytes.substr(m_begin, end - m_begin);
    if (m_partial.empty()) {
        m_sink.onJsonText(piece);
        return;
    }
    m_partial.append(piece);
    m_sink.onJsonText(m_partial);
    m_partial.clear();
}

ArrayCutter::Tail ArrayCutter::finish() {
    m_partial.clear();
    return m_closed && !m_tooLarge ? Tail::nothing : Tail::unfinished;
}

} // namespace decodescope
