#include "core/wire/sse_decoder.h"

namespace decodescope {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Position of the first CR or LF. A plain loop: the compiler does better with it than with find_first_of.
std::size_t lineEnd(std::string_view s) noexcept {
    for (std::size_t i = 0; i < s.size(); ++i) {
        if (s[i] == '\n' || s[i] == '\r')
            return i;
    }
    return std::string_view::npos;
}

bool onlySpace(std::string_view s) noexcept {
    return s.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

} // namespace

SseDecoder::Status SseDecoder::feed(std::string_view bytes) {
    if (m_tooLarge)
        return Status::tooLarge;
    while (!bytes.empty()) {
        if (m_afterCr) {
            m_afterCr = false;
            if (bytes.front() == '\n') {
                bytes.remove_prefix(1);
                continue;
            }
        }
        const std::size_t end = lineEnd(bytes);
        const std::string_view piece = bytes.substr(0, end);
        if (m_partial.size() + piece.size() > m_maxBytes) {
            m_tooLarge = true;
            return Status::tooLarge;
        }
        if (end == std::string_view::npos) {
            m_partial.append(piece);
            break;
        }
        m_afterCr = bytes[end] == '\r';
        bytes.remove_prefix(end + 1);
        bool fits = true;
        if (m_partial.empty()) {
            fits = line(piece);
        } else {
            m_partial.append(piece);
            fits = line(m_partial);
            m_partial.clear();
        }
        if (!fits) {
            m_tooLarge = true;
            return Status::tooLarge;
        }
    }
    return Status::open;
}

SseDecoder::Tail SseDecoder::finish() {
    if (m_tooLarge)
        return Tail::nothing;
    if (!m_partial.empty()) {
        (void)line(m_partial);
        m_partial.clear();
    }
    const bool used = (m_hasData && !onlySpace(m_data)) || m_hasError;
    dispatch();
    return used ? Tail::used : Tail::nothing;
}

std::string_view SseDecoder::withoutMark(std::string_view text) {
    if (!m_firstLine)
        return text;
    m_firstLine = false;
    if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark)
        text.remove_prefix(kByteOrderMark.size());
    return text;
}

/// A line that begins with a bracket begins an object, unless it stands within an event; its other lines begin like
/// no field does.
bool SseDecoder::takesAsBareJson(std::string_view line) {
    const bool begins = m_bare.empty() && !m_hasData && !line.empty() && line.front() == '{';
    const bool goesOn =
        !m_bare.empty() && !line.empty() && std::string_view(" \t\"{}[]").find(line.front()) != std::string_view::npos;
    if (!begins && !goesOn) {
        m_bare.clear();
        return false;
    }
    if (begins)
        m_bareBrackets = {};
    m_bare.append(line).append("\n");
    bool closed = false;
    for (const char c : line)
        closed = m_bareBrackets.closes(c);
    if (closed || m_bare.size() > m_maxBytes) {
        if (closed)
            m_sink.onSseBareJson(m_bare);
        m_bare.clear();
    }
    return true;
}

bool SseDecoder::line(std::string_view text) {
    text = withoutMark(text);
    if (takesAsBareJson(text))
        return true;
    if (text.empty()) {
        dispatch();
        return true;
    }
    const std::size_t colon = text.find(':');
    if (colon == 0) {
        m_sink.onSseComment(text.substr(1));
        return true;
    }
    std::string_view value;
    if (colon != std::string_view::npos) {
        value = text.substr(colon + 1);
        if (!value.empty() && value.front() == ' ')
            value.remove_prefix(1);
    }
    field(text.substr(0, colon), value);
    return m_data.size() <= m_maxBytes && m_error.size() <= m_maxBytes;
}

void SseDecoder::field(std::string_view name, std::string_view value) {
    const auto append = [&](std::string& to, bool& has) {
        if (has)
            to += '\n';
        to.append(value);
        has = true;
    };
    if (name == "data")
        append(m_data, m_hasData);
    else if (name == "event")
        m_name.assign(value);
    else if (name == "error")
        append(m_error, m_hasError);
    // `id` and `retry` are for clients that connect again; a measurement never does.
}

void SseDecoder::dispatch() {
    if (m_hasError)
        m_sink.onSseErrorField(m_error);
    if (m_hasData && !onlySpace(m_data))
        m_sink.onSseEvent(m_name, m_data);
    m_name.clear();
    m_data.clear();
    m_error.clear();
    m_hasData = false;
    m_hasError = false;
}

} // namespace decodescope
