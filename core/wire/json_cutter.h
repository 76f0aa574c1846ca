#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// Bodies that are JSON texts one after the other, without the frame of server-sent events.
namespace decodescope {

/// Takes the JSON texts that a body is cut into. The view is valid during the call only.
class JsonTextSink {
public:
    virtual ~JsonTextSink() = default;
    /// One line, or one element of the array, as its bytes stand (it may be no JSON). Never blank.
    virtual void onJsonText(std::string_view text) = 0;
    /// The array was closed: what is handed on later stands behind it.
    virtual void onArrayEnd() {}
};

/// NDJSON: lines ended by LF or CRLF, blank ones ignored, one leading byte order mark stripped. What is found does not
/// depend on how the bytes were cut.
class LineCutter {
public:
    enum class Status { open, tooLarge };
    enum class Tail { nothing, used };

    /// `maxBytes`: of one line.
    LineCutter(JsonTextSink& sink, std::size_t maxBytes)
        : m_sink(sink)
        , m_maxBytes(maxBytes) {}

    /// After tooLarge nothing more is read.
    Status feed(std::string_view bytes);
    /// The body ended cleanly: a last line without LF is handed on. Says whether there was one.
    Tail finish();

private:
    void line(std::string_view text);

    JsonTextSink& m_sink;
    std::size_t m_maxBytes;
    std::string m_partial; // of a line whose end has not come
    bool m_firstLine = true;
    bool m_tooLarge = false;
};

/// Counts the brackets of a JSON text byte by byte; those inside strings do not count.
class BracketDepth {
public:
    /// Takes the next byte. Whether the value that it belongs to is whole with it.
    bool closes(char c) noexcept;
    /// Whether brackets are open, outside of strings.
    [[nodiscard]] bool open() const noexcept { return !m_inString && m_depth > 0; }

private:
    std::int64_t m_depth = 0;
    bool m_inString = false;
    bool m_escaped = false;
};

/// A JSON array whose elements arrive one after the other: each object or array is handed on as soon as its last
/// bracket is there, without waiting for the comma. Brackets inside strings do not count. Anything else between the
/// commas is handed on up to the comma, for the reader to judge; so is what follows the array.
class ArrayCutter {
public:
    enum class Status { open, tooLarge };
    enum class Tail {
        nothing,   ///< the array was closed
        unfinished ///< it was not; an element that had begun was no message
    };

    /// `maxBytes`: of one element.
    ArrayCutter(JsonTextSink& sink, std::size_t maxBytes)
        : m_sink(sink)
        , m_maxBytes(maxBytes) {}

    /// After tooLarge nothing more is read.
    Status feed(std::string_view bytes);
    Tail finish();

private:
    enum class Place { before, between, inValue, inWord };

    [[nodiscard]] bool begun() const noexcept { return m_place == Place::inValue || m_place == Place::inWord; }
    void between(char c, std::size_t i);
    void element(std::string_view bytes, std::size_t end);

    JsonTextSink& m_sink;
    std::size_t m_maxBytes;
    Place m_place = Place::before;
    std::string m_partial;   // of the element that has begun, without what stands in the bytes at hand
    std::size_t m_begin = 0; // where in the bytes at hand it begins, or goes on
    BracketDepth m_brackets;
    bool m_closed = false;
    bool m_tooLarge = false;
};

/// Whether a line leaves brackets open that it opened, outside of strings: it is a part of a longer JSON text.
[[nodiscard]] bool opensBrackets(std::string_view line) noexcept;

} // namespace decodescope
