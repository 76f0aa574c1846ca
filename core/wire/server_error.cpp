#include "core/wire/server_error.h"

#include "core/base/utf8.h"
#include "core/wire/body_sniffer.h"
#include "core/wire/html_entity.h"
#include "core/wire/sse_decoder.h"
#include "core/wire/surrogates.h"

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
    return errorFrom(detail).message;
}

/// The first of a list, or the thing itself.
JsonView firstOf(JsonView value) {
    return value.isArray() && value.size() > 0 ? *value.begin() : value;
}

void takeCode(ServerError& error, JsonView object) {
    for (const std::string_view key : {"code", "error_code", "statusCode", "type", "error_type"}) {
        const JsonView value = object[key];
        if (value.number()) {
            error.code = value.source();
            error.codeIsNumber = true;
        } else if (!value.text().empty() && value.text() != "error") { // a type of that name only says what this is
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

/// Around the error proper, a `detail` is what the server adds in words; inside it, `message` is.
enum class Level { whole, inner };

ServerError read(JsonView object, Level level) {
    ServerError out;
    const JsonView inner = object["error"] ? firstOf(object["error"]) : firstOf(object["errors"]);
    if (inner.isObject())
        out = read(inner, Level::inner);
    else
        out.message = textOf(inner);
    if (out.message.empty() && level == Level::inner)
        out.message = textOf(object["message"]);
    if (out.message.empty() && object["detail"])
        out.message = detailOf(object["detail"]);
    if (out.message.empty() && object["message"].isObject())
        out.message = read(object["message"], level).message;
    if (out.message.empty())
        out.message = textOf(object["message"]);
    if (out.message.empty())
        out.message = textOf(object["msg"]);
    if (out.code.empty())
        takeCode(out, object);
    return out;
}

/// The first data that a body holds which is an event stream after all: servers answer so when a stream was asked for.
std::string eventDataIn(std::string_view body) {
    class FirstData final : public SseSink {
    public:
        void onSseEvent(std::string_view, std::string_view data) override { take(data); }
        void onSseComment(std::string_view) override {}
        void onSseErrorField(std::string_view data) override { take(data); }
        std::string found;

    private:
        void take(std::string_view data) {
            if (found.empty() && data.find('{') != std::string_view::npos)
                found = data;
        }
    };
    if (sniffBody(body) != BodyKind::sse)
        return {};
    FirstData sink;
    SseDecoder decoder(sink, body.size());
    decoder.feed(body);
    decoder.finish();
    return std::move(sink.found);
}

} // namespace

namespace {

/// A status of HTTP's errors with its words, and nothing generated: what some servers put into a stream that began
/// well.
bool isBareStatus(JsonView message) {
    constexpr std::uint64_t kFirst = 400;
    constexpr std::uint64_t kLast = 599;
    const std::uint64_t code = message["code"].count().value_or(0);
    return code >= kFirst && code <= kLast && !message["message"].text().empty() && !message["choices"];
}

} // namespace

std::optional<ServerError> errorIn(JsonView message) {
    const JsonView error = message["error"];
    const bool byItsOwnWord = message["object"].text() == "error" || message["type"].text() == "error";
    if (!error.truthy() && !byItsOwnWord && !isBareStatus(message))
        return std::nullopt;
    ServerError out = errorFrom(message);
    if (out.message.empty()) // nothing in words: what it did send is the best that can be shown
        out.message = beginning(error ? error.source() : message.source(), kMaxPlainText);
    return out;
}

ServerError errorFrom(JsonView object) {
    return read(object, Level::whole);
}

ServerError errorFromBody(std::string_view body) {
    body = withoutByteOrderMark(body);
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
    if (const std::string data = eventDataIn(body.substr(first)); !data.empty())
        return errorFromBody(data);
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
