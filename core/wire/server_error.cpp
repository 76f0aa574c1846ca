#include "core/wire/server_error.h"

#include "core/base/utf8.h"
#include "core/wire/surrogates.h"

#include <array>
#include <charconv>
#include <utility>

namespace decodescope {
namespace {

constexpr std::size_t kMaxPlainText = 300;

std::string textOf(JsonView value) {
    return wtf8ToUtf8(value.text());
}

/// `detail` is a string, or FastAPI's list of `{"msg"}`.
std::string detailOf(JsonView detail) {
    if (detail.isString())
        return textOf(detail);
    for (const JsonView entry : detail) {
        if (!entry["msg"].text().empty())
            return textOf(entry["msg"]);
    }
    return textOf(detail["message"]);
}

void takeCode(ServerError& error, JsonView object) {
    for (const std::string_view key : {"code", "type", "error_type"}) {
        const JsonView value = object[key];
        if (value.number()) {
            error.code = value.source();
            error.codeIsNumber = true;
        } else if (!value.text().empty()) {
            error.code = textOf(value);
        }
        if (!error.code.empty())
            return;
    }
}

bool startsWithNoCase(std::string_view text, std::string_view lower) {
    if (text.size() < lower.size())
        return false;
    for (std::size_t i = 0; i < lower.size(); ++i) {
        const char c = text[i];
        if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c) != lower[i])
            return false;
    }
    return true;
}

std::size_t findNoCase(std::string_view text, std::string_view lower, std::size_t from) {
    for (std::size_t i = from; i + lower.size() <= text.size(); ++i) {
        if (text[i] == lower[0] || text[i] == lower[0] - ('a' - 'A')) {
            if (startsWithNoCase(text.substr(i), lower))
                return i;
        }
    }
    return std::string_view::npos;
}

/// Appends what the entity at the head of `text` stands for and gives its length; 0 if there is none.
std::size_t appendEntity(std::string& out, std::string_view text) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kNamed{{{"&amp;", "&"},
                                                                                   {"&lt;", "<"},
                                                                                   {"&gt;", ">"},
                                                                                   {"&quot;", "\""},
                                                                                   {"&apos;", "'"},
                                                                                   {"&nbsp;", " "},
                                                                                   {"&middot;", "\u00B7"}}};
    for (const auto& [name, meaning] : kNamed) {
        if (text.substr(0, name.size()) == name) {
            out += meaning;
            return name.size();
        }
    }
    if (text.substr(0, 2) != "&#")
        return 0;
    const bool hex = text.size() > 2 && (text[2] == 'x' || text[2] == 'X');
    const char* const first = text.data() + (hex ? 3 : 2);
    unsigned value = 0;
    if (text.size() < 4)
        return 0;
    const auto [end, error] = std::from_chars(first, text.data() + text.size(), value, hex ? 16 : 10);
    if (error != std::errc{} || end == text.data() + text.size() || *end != ';')
        return 0;
    appendUtf8(out, static_cast<char32_t>(value));
    return static_cast<std::size_t>(end - text.data()) + 1;
}

/// White space collapsed, both ends trimmed.
std::string tidy(std::string_view text) {
    std::string out;
    bool gap = false;
    for (const char c : text) {
        if (c == ' ' || (c >= '\t' && c <= '\r')) {
            gap = !out.empty();
            continue;
        }
        if (gap)
            out += ' ';
        gap = false;
        out += c;
    }
    return out;
}

/// The first `max` bytes, not cut inside a character.
std::string_view beginning(std::string_view utf8, std::size_t max) {
    if (utf8.size() <= max)
        return utf8;
    while (max > 0 && (static_cast<unsigned char>(utf8[max]) & 0xC0) == 0x80)
        --max;
    return utf8.substr(0, max);
}

} // namespace

std::optional<ServerError> errorIn(JsonView message) {
    const JsonView error = message["error"];
    const bool byItsOwnWord = message["object"].text() == "error" || message["type"].text() == "error";
    if (!error.truthy() && !byItsOwnWord)
        return std::nullopt;
    ServerError out = errorFrom(message);
    if (out.message.empty()) // nothing in words: what it did send is the best that can be shown
        out.message = beginning(error ? error.source() : message.source(), kMaxPlainText);
    return out;
}

ServerError errorFrom(JsonView object) {
    ServerError out;
    const JsonView inner = object["error"];
    if (inner.isObject()) {
        out = errorFrom(inner);
    } else if (inner.isString()) {
        out.message = textOf(inner);
    }
    if (out.message.empty())
        out.message = textOf(object["message"]);
    if (out.message.empty())
        out.message = detailOf(object["detail"]);
    if (out.code.empty())
        takeCode(out, object);
    return out;
}

ServerError errorFromBody(std::string_view body) {
    JsonDocument document;
    if (document.parse(body)) {
        JsonView root = document.root();
        if (root.isArray() && root.size() > 0)
            root = *root.begin();
        if (root.isString())
            return {textOf(root), {}, false};
        ServerError error = errorFrom(root);
        if (error.message.empty())
            error.message = textOf(root["title"]);
        return error;
    }
    const std::size_t first = body.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos)
        return {};
    if (body[first] == '<')
        return {htmlTitle(body), {}, false};
    return {tidy(beginning(body.substr(first), kMaxPlainText)), {}, false};
}

std::string htmlTitle(std::string_view page) {
    std::size_t begin = findNoCase(page, "<title", 0);
    if (begin == std::string_view::npos)
        return {};
    begin = page.find('>', begin);
    if (begin == std::string_view::npos)
        return {};
    const std::size_t end = findNoCase(page, "</title", begin);
    const std::string_view inner = page.substr(begin + 1, end == std::string_view::npos ? end : end - begin - 1);
    std::string text;
    for (std::size_t i = 0; i < inner.size();) {
        const std::size_t entity = inner[i] == '&' ? appendEntity(text, inner.substr(i)) : 0;
        if (entity == 0)
            text += inner[i];
        i += entity == 0 ? 1 : entity;
    }
    return tidy(beginning(text, kMaxPlainText));
}

} // namespace decodescope
