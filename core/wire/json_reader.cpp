#include "core/wire/json_reader.h"

#include "core/wire/surrogates.h"

#include <charconv>
#include <cmath>
#include <cstring>

namespace decodescope {
namespace {

constexpr double kTwoTo53 = 9007199254740992.0;

bool isDigit(char c) noexcept {
    return c >= '0' && c <= '9';
}

} // namespace

bool JsonDocument::parse(std::string_view source, int maxDepth) {
    m_source = source;
    m_at = 0;
    m_nodes.clear();
    m_decoded.clear();
    space();
    bool good = source.size() < (std::size_t{1} << 31) && value(maxDepth);
    space();
    good = good && m_at == m_source.size();
    if (!good)
        m_nodes.clear();
    return good;
}

JsonView JsonDocument::root() const noexcept {
    return m_nodes.empty() ? JsonView{} : JsonView{this, 0};
}

void JsonDocument::space() noexcept {
    while (m_at < m_source.size()) {
        const char c = m_source[m_at];
        if (c != ' ' && c != '\n' && c != '\r' && c != '\t')
            return;
        ++m_at;
    }
}

std::uint32_t JsonDocument::open(Kind kind) {
    const auto index = static_cast<std::uint32_t>(m_nodes.size());
    Node& node = m_nodes.emplace_back();
    node.kind = kind;
    node.begin = static_cast<std::uint32_t>(m_at);
    return index;
}

bool JsonDocument::close(std::uint32_t index) {
    Node& node = m_nodes[index];
    node.end = static_cast<std::uint32_t>(m_at);
    node.next = static_cast<std::uint32_t>(m_nodes.size());
    return true;
}

bool JsonDocument::value(int depth) {
    if (m_at >= m_source.size())
        return false;
    switch (m_source[m_at]) {
    case '{':
        return container(Kind::object, '}', depth);
    case '[':
        return container(Kind::array, ']', depth);
    case '"':
        return string();
    case 't':
        return word("true", Kind::boolean);
    case 'f':
        return word("false", Kind::boolean);
    case 'n':
        return word("null", Kind::null);
    default:
        return numeral();
    }
}

bool JsonDocument::container(Kind kind, char closing, int depth) {
    if (depth <= 0)
        return false;
    const std::uint32_t index = open(kind);
    ++m_at;
    space();
    if (at(closing)) {
        ++m_at;
        return close(index);
    }
    while (true) {
        space();
        if (kind == Kind::object) {
            if (!at('"') || !string())
                return false;
            space();
            if (!at(':'))
                return false;
            ++m_at;
            space();
        }
        if (!value(depth - 1))
            return false;
        ++m_nodes[index].children;
        space();
        if (at(closing)) {
            ++m_at;
            return close(index);
        }
        if (!at(','))
            return false;
        ++m_at;
    }
}

bool JsonDocument::word(std::string_view literal, Kind kind) {
    if (m_source.substr(m_at, literal.size()) != literal)
        return false;
    const std::uint32_t index = open(kind);
    m_at += literal.size();
    return close(index);
}

bool JsonDocument::numeral() {
    const std::uint32_t index = open(Kind::number);
    const auto digits = [&] {
        const std::size_t first = m_at;
        while (m_at < m_source.size() && isDigit(m_source[m_at]))
            ++m_at;
        return m_at > first;
    };
    if (at('-'))
        ++m_at;
    if (at('0'))
        ++m_at;
    else if (!digits())
        return false;
    if (at('.')) {
        ++m_at;
        if (!digits())
            return false;
    }
    if (at('e') || at('E')) {
        ++m_at;
        if (at('+') || at('-'))
            ++m_at;
        if (!digits())
            return false;
    }
    return close(index);
}

bool JsonDocument::string() {
    const std::uint32_t index = open(Kind::string);
    Node node = m_nodes[index];
    const std::size_t first = ++m_at;
    std::size_t plain = first; // what follows has not been copied to m_decoded yet
    while (m_at < m_source.size()) {
        const char c = m_source[m_at];
        if (static_cast<unsigned char>(c) < 0x20)
            return false;
        if (c == '"') {
            if (node.decoded) {
                m_decoded.append(m_source.substr(plain, m_at - plain));
                node.textEnd = static_cast<std::uint32_t>(m_decoded.size());
            } else {
                node.textBegin = static_cast<std::uint32_t>(first);
                node.textEnd = static_cast<std::uint32_t>(m_at);
            }
            ++m_at;
            m_nodes[index] = node;
            return close(index);
        }
        if (c != '\\') {
            ++m_at;
            continue;
        }
        if (!node.decoded) {
            node.decoded = true;
            node.textBegin = static_cast<std::uint32_t>(m_decoded.size());
        }
        m_decoded.append(m_source.substr(plain, m_at - plain));
        ++m_at;
        if (!escape(node))
            return false;
        plain = m_at;
    }
    return false;
}

std::optional<char32_t> JsonDocument::hex4() {
    if (m_at + 4 > m_source.size())
        return std::nullopt;
    unsigned value = 0;
    const char* const first = m_source.data() + m_at;
    const auto [end, error] = std::from_chars(first, first + 4, value, 16);
    if (error != std::errc{} || end != first + 4)
        return std::nullopt;
    m_at += 4;
    return static_cast<char32_t>(value);
}

bool JsonDocument::escape(Node& node) {
    if (m_at >= m_source.size())
        return false;
    const char c = m_source[m_at++];
    switch (c) {
    case '"':
    case '\\':
    case '/':
        m_decoded += c;
        return true;
    case 'b':
        m_decoded += '\b';
        return true;
    case 'f':
        m_decoded += '\f';
        return true;
    case 'n':
        m_decoded += '\n';
        return true;
    case 'r':
        m_decoded += '\r';
        return true;
    case 't':
        m_decoded += '\t';
        return true;
    case 'u':
        break;
    default:
        return false;
    }
    const auto unit = hex4();
    if (!unit)
        return false;
    if (!isHighSurrogate(*unit)) {
        node.halfPairs |= isLowSurrogate(*unit);
        appendWtf8(m_decoded, *unit);
        return true;
    }
    if (m_source.substr(m_at, 2) == "\\u") {
        const std::size_t second = m_at;
        m_at += 2;
        const auto low = hex4();
        if (!low)
            return false;
        if (isLowSurrogate(*low)) {
            appendWtf8(m_decoded, joinSurrogates(*unit, *low));
            return true;
        }
        m_at = second; // an escape of its own: the next turn reads it
    }
    node.halfPairs = true;
    appendWtf8(m_decoded, *unit);
    return true;
}

JsonView::operator bool() const noexcept {
    return m_document && m_document->m_nodes[m_node].kind != JsonDocument::Kind::null;
}

bool JsonView::isObject() const noexcept {
    return m_document && m_document->m_nodes[m_node].kind == JsonDocument::Kind::object;
}

bool JsonView::isArray() const noexcept {
    return m_document && m_document->m_nodes[m_node].kind == JsonDocument::Kind::array;
}

bool JsonView::isString() const noexcept {
    return m_document && m_document->m_nodes[m_node].kind == JsonDocument::Kind::string;
}

JsonView JsonView::operator[](std::string_view key) const noexcept {
    JsonView found;
    if (!isObject())
        return found;
    // Lengths first: most keys are told apart by them, and a message is asked for many.
    const auto* const nodes = m_document->m_nodes.data();
    for (std::uint32_t at = m_node + 1; at < nodes[m_node].next;) {
        const auto& name = nodes[at];
        if (name.textEnd - name.textBegin == key.size()) {
            const char* const pool = name.decoded ? m_document->m_decoded.data() : m_document->m_source.data();
            if (std::memcmp(pool + name.textBegin, key.data(), key.size()) == 0)
                found = {m_document, name.next};
        }
        at = nodes[name.next].next;
    }
    return found;
}

std::optional<std::string_view> JsonView::string() const noexcept {
    if (!isString())
        return std::nullopt;
    const auto& node = m_document->m_nodes[m_node];
    const std::string_view pool = node.decoded ? std::string_view(m_document->m_decoded) : m_document->m_source;
    return pool.substr(node.textBegin, node.textEnd - node.textBegin);
}

bool JsonView::halfPairs() const noexcept {
    return m_document && m_document->m_nodes[m_node].halfPairs;
}

std::optional<double> JsonView::number() const noexcept {
    if (!m_document || m_document->m_nodes[m_node].kind != JsonDocument::Kind::number)
        return std::nullopt;
    const std::string_view text = source();
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

std::optional<std::uint64_t> JsonView::count() const noexcept {
    const auto value = number();
    if (!value || *value < 0 || *value >= kTwoTo53 || *value != std::floor(*value))
        return std::nullopt;
    return static_cast<std::uint64_t>(*value);
}

bool JsonView::truthy() const noexcept {
    if (!*this)
        return false;
    switch (m_document->m_nodes[m_node].kind) {
    case JsonDocument::Kind::boolean:
        return source() == "true";
    case JsonDocument::Kind::number:
        return number().value_or(1) != 0;
    case JsonDocument::Kind::string:
        return !text().empty();
    default:
        return true;
    }
}

std::string_view JsonView::source() const noexcept {
    if (!m_document)
        return {};
    const auto& node = m_document->m_nodes[m_node];
    return m_document->m_source.substr(node.begin, node.end - node.begin);
}

std::size_t JsonView::size() const noexcept {
    return isArray() ? m_document->m_nodes[m_node].children : 0;
}

JsonView::Iterator& JsonView::Iterator::operator++() noexcept {
    m_node = m_document->m_nodes[m_node].next;
    return *this;
}

JsonView::Iterator JsonView::begin() const noexcept {
    return isArray() ? Iterator(m_document, m_node + 1) : Iterator(nullptr, 0);
}

JsonView::Iterator JsonView::end() const noexcept {
    return isArray() ? Iterator(m_document, m_document->m_nodes[m_node].next) : Iterator(nullptr, 0);
}

} // namespace decodescope
