#include "core/wire/body_sniffer.h"

#include <cstddef>

namespace decodescope {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kMostSpace = 4096;

bool startsWith(std::string_view text, std::string_view beginning) noexcept {
    return text.substr(0, beginning.size()) == beginning;
}

} // namespace

std::string_view withoutByteOrderMark(std::string_view text) noexcept {
    if (startsWith(text, kByteOrderMark))
        text.remove_prefix(kByteOrderMark.size());
    return text;
}

BodyKind sniffBody(std::string_view text) noexcept {
    if (startsWith(text, kByteOrderMark))
        text = withoutByteOrderMark(text);
    else if (startsWith(kByteOrderMark, text))
        return BodyKind::undecided;
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos)
        return text.size() > kMostSpace ? BodyKind::other : BodyKind::undecided;
    text.remove_prefix(first);
    switch (text.front()) {
    case '{':
        return BodyKind::object;
    case '[':
        return BodyKind::array;
    case '<':
        return BodyKind::html;
    case ':':
        return BodyKind::sse;
    default:
        if (static_cast<unsigned char>(text.front()) < 0x20)
            return BodyKind::binary;
        break;
    }
    for (const std::string_view field : {"data", "event", "error", "id", "retry"}) {
        if (text.size() <= field.size()) {
            if (startsWith(field, text))
                return BodyKind::undecided;
        } else if (startsWith(text, field)) {
            const char next = text[field.size()];
            if (next == ':' || next == '\r' || next == '\n')
                return BodyKind::sse;
        }
    }
    return BodyKind::other;
}

bool isMediaType(std::string_view contentType, std::string_view lowerCaseType) noexcept {
    std::string_view type = contentType.substr(0, contentType.find(';'));
    while (!type.empty() && (type.back() == ' ' || type.back() == '\t'))
        type.remove_suffix(1);
    if (type.size() != lowerCaseType.size())
        return false;
    for (std::size_t i = 0; i < type.size(); ++i) {
        const char c = type[i];
        if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c) != lowerCaseType[i])
            return false;
    }
    return true;
}

} // namespace decodescope
