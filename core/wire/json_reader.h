#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Reading JSON that a stranger wrote. Nothing here throws, whatever the text holds, and null reads as absent
/// everywhere, since servers send `usage: null` and `content: null` where others leave the key out.
///
/// A reader of our own because three things are needed at once that the usual libraries refuse: strings with half
/// a surrogate pair (servers cut a pair into two deltas), no allocation for an ordinary message, and the source text of
/// an object as it was sent.
namespace decodescope {

class JsonDocument;

/// A value of a JsonDocument, or nothing. Cheap to copy; valid until the document parses again.
class JsonView {
public:
    JsonView() = default;

    /// Whether there is a value that is not null.
    explicit operator bool() const noexcept;
    [[nodiscard]] bool isObject() const noexcept;
    [[nodiscard]] bool isArray() const noexcept;
    [[nodiscard]] bool isString() const noexcept;

    /// The member `key` of an object; nothing if this is no object or has no such key. Of equal keys the last counts.
    [[nodiscard]] JsonView operator[](std::string_view key) const noexcept;

    /// A string's text. Half a surrogate pair stands as its three bytes of WTF-8: see halfPairs().
    [[nodiscard]] std::optional<std::string_view> string() const noexcept;
    /// A string's text, or nothing-as-empty.
    [[nodiscard]] std::string_view text() const noexcept { return string().value_or(std::string_view{}); }
    /// Whether the string holds half of a surrogate pair, so that text() is not valid UTF-8.
    [[nodiscard]] bool halfPairs() const noexcept;
    /// A finite number.
    [[nodiscard]] std::optional<double> number() const noexcept;
    /// A number that is whole, not negative and below 2^53.
    [[nodiscard]] std::optional<std::uint64_t> count() const noexcept;
    /// false for nothing, false, 0 and "".
    [[nodiscard]] bool truthy() const noexcept;
    /// The value as it stands in the source.
    [[nodiscard]] std::string_view source() const noexcept;

    /// Elements of an array (0 for anything else).
    [[nodiscard]] std::size_t size() const noexcept;

    /// Walks over the elements of an array; empty for anything else.
    class Iterator {
    public:
        Iterator(const JsonDocument* document, std::uint32_t node)
            : m_document(document)
            , m_node(node) {}
        JsonView operator*() const noexcept { return {m_document, m_node}; }
        Iterator& operator++() noexcept;
        bool operator!=(const Iterator& other) const noexcept { return m_node != other.m_node; }

    private:
        const JsonDocument* m_document;
        std::uint32_t m_node;
    };
    [[nodiscard]] Iterator begin() const noexcept;
    [[nodiscard]] Iterator end() const noexcept;

private:
    friend class JsonDocument;
    JsonView(const JsonDocument* document, std::uint32_t node)
        : m_document(document)
        , m_node(node) {}

    const JsonDocument* m_document = nullptr;
    std::uint32_t m_node = 0;
};

/// One JSON text, taken apart. Meant to be used again and again: its memory is kept from text to text.
class JsonDocument {
public:
    static constexpr int kMaxDepth = 64;

    /// Reads `source`, which must be valid UTF-8, at most 2 GiB long, and outlive the views. False if it is not JSON by
    /// RFC 8259 or nests deeper than `maxDepth`; root() is nothing then.
    [[nodiscard]] bool parse(std::string_view source, int maxDepth = kMaxDepth);
    [[nodiscard]] JsonView root() const noexcept;

private:
    friend class JsonView;

    enum class Kind : std::uint8_t { null, boolean, number, string, array, object };
    /// Values in the order of the source; an object's children are key, value, key, value.
    struct Node {
        Kind kind = Kind::null;
        bool decoded = false; ///< a string with escapes: its text lies in m_decoded
        bool halfPairs = false;
        std::uint32_t begin = 0, end = 0;         ///< in the source, quotes included
        std::uint32_t textBegin = 0, textEnd = 0; ///< of a string: in the source or in m_decoded
        std::uint32_t next = 0;                   ///< the node after this value and all its children
        std::uint32_t children = 0;
    };

    bool value(int depth);
    bool container(Kind kind, char close, int depth);
    bool string();
    bool escape(Node& node);
    std::optional<char32_t> hex4();
    bool numeral();
    bool word(std::string_view literal, Kind kind);
    void space() noexcept;
    [[nodiscard]] bool at(char c) const noexcept { return m_at < m_source.size() && m_source[m_at] == c; }
    std::uint32_t open(Kind kind);
    bool close(std::uint32_t node);

    std::string_view m_source;
    std::size_t m_at = 0;
    std::vector<Node> m_nodes;
    std::string m_decoded;
};

} // namespace decodescope
