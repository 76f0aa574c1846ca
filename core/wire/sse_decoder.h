#pragma once

#include "core/wire/json_cutter.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace decodescope {

/// Takes what SseDecoder finds. The views are valid during the call only.
class SseSink {
public:
    virtual ~SseSink() = default;
    /// A dispatched event. `data` is not empty.
    virtual void onSseEvent(std::string_view name, std::string_view data) = 0;
    /// A line that began with a colon, without it.
    virtual void onSseComment(std::string_view text) = 0;
    /// A block with lines of the non-standard field `error:`, as llama.cpp's server sent in 2025.
    virtual void onSseErrorField(std::string_view data) = 0;
    /// A JSON object that stands between the events without any field: so do servers report what befell them midway.
    virtual void onSseBareJson(std::string_view text) { (void)text; }
};

/// Server-sent events by the WHATWG standard: LF, CR and CRLF, each wherever a read may cut it; one leading byte order
/// mark; comments; several data lines; any other field ignored. Bytes, not characters: U+2028 and its like end no line.
/// What is found does not depend on how the bytes were cut.
class SseDecoder {
public:
    enum class Status { open, tooLarge };
    enum class Tail { nothing, used };

    /// `maxBytes`: of one line, and of the data of one event.
    SseDecoder(SseSink& sink, std::size_t maxBytes)
        : m_sink(sink)
        , m_maxBytes(maxBytes) {}

    /// After tooLarge nothing more is read.
    Status feed(std::string_view bytes);
    /// The body ended cleanly: an event that lacks its blank line is dispatched (the standard would drop it; a last
    /// word and its finish reason are worth more than that rule). Says whether there was one.
    Tail finish();

private:
    bool line(std::string_view text);
    void field(std::string_view name, std::string_view value);
    void dispatch();
    [[nodiscard]] bool takesAsBareJson(std::string_view line);
    [[nodiscard]] std::string_view withoutMark(std::string_view line);

    SseSink& m_sink;
    std::size_t m_maxBytes;
    std::string m_partial; // of a line whose end has not come
    std::string m_name;
    std::string m_data;
    std::string m_error;
    std::string m_bare; // of a JSON object without field whose last bracket has not come
    BracketDepth m_bareBrackets;
    bool m_afterCr = false;
    bool m_firstLine = true;
    bool m_hasData = false;
    bool m_hasError = false;
    bool m_tooLarge = false;
};

} // namespace decodescope
