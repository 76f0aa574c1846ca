#include "core/wire/body_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace decodescope {
namespace {

/// Whether a body of this form is what the content type says.
bool fits(BodyForm form, std::string_view contentType) {
    switch (form) {
    case BodyForm::events:
        return isMediaType(contentType, "text/event-stream");
    case BodyForm::lines: // a single line of it is JSON
        return isLinesType(contentType) || isMediaType(contentType, "application/json");
    case BodyForm::array:
    case BodyForm::whole:
        return isMediaType(contentType, "application/json");
    case BodyForm::refused:
        break;
    }
    return true;
}

std::string_view ownType(MessageFraming framing) {
    switch (framing) {
    case MessageFraming::serverSentEvents:
        return "text/event-stream";
    case MessageFraming::lines:
        return "application/x-ndjson";
    case MessageFraming::jsonArray:
        break;
    }
    return "application/json";
}

BodyForm ownForm(MessageFraming framing) {
    switch (framing) {
    case MessageFraming::serverSentEvents:
        return BodyForm::events;
    case MessageFraming::lines:
        return BodyForm::lines;
    case MessageFraming::jsonArray:
        break;
    }
    return BodyForm::array;
}

BodyForm formOf(BodyKind kind, const BodyExpectation& expected, std::string_view contentType) {
    switch (kind) {
    case BodyKind::sse:
        return BodyForm::events;
    case BodyKind::object:
        return expected.framing == MessageFraming::lines ? BodyForm::lines : BodyForm::whole;
    case BodyKind::array:
        return expected.mayBeArray ? BodyForm::array : BodyForm::whole;
    case BodyKind::undecided:
        return ownForm(expected.framing);
    case BodyKind::other: {
        // Fields that nobody knows, or a damaged line: such streams go on to say something.
        if (isMediaType(contentType, "text/event-stream"))
            return BodyForm::events;
        const bool lines = expected.framing == MessageFraming::lines && fits(BodyForm::lines, contentType);
        return lines ? BodyForm::lines : BodyForm::refused;
    }
    case BodyKind::html:
    case BodyKind::binary:
        break;
    }
    return BodyForm::refused;
}

std::uint32_t bigEndian(std::string_view four) {
    std::uint32_t value = 0;
    for (const char c : four)
        value = value << 8U | static_cast<unsigned char>(c);
    return value;
}

/// The frame of AWS event streams: length of the message, length of its headers, a checksum, then the first header,
/// whose name begins with a colon.
bool isAmazonEventStream(std::string_view bytes) {
    constexpr std::size_t kFrame = 16; // prelude and the closing checksum
    constexpr std::size_t kMost = 24U << 20;
    if (bytes.size() < 14)
        return false;
    const std::size_t total = bigEndian(bytes.substr(0, 4));
    const std::size_t headers = bigEndian(bytes.substr(4, 4));
    return total >= kFrame && total <= kMost && headers > 0 && headers <= total - kFrame && bytes[13] == ':';
}

} // namespace

bool isLinesType(std::string_view contentType) {
    constexpr std::array<std::string_view, 8> kNames{
        "application/x-ndjson",  "application/ndjson",        "application/jsonl",    "application/x-jsonlines",
        "application/jsonlines", "application/x-json-stream", "application/json-seq", "application/stream+json"};
    return std::any_of(kNames.begin(), kNames.end(),
                       [&](std::string_view name) { return isMediaType(contentType, name); });
}

BodyChoice chooseBody(BodyKind kind, const BodyExpectation& expected) {
    const std::string_view type = expected.headless ? ownType(expected.framing) : expected.contentType;
    BodyChoice choice;
    choice.form = formOf(kind, expected, type);
    choice.mismatch = kind != BodyKind::undecided && !fits(choice.form, type);
    return choice;
}

std::string refusalOf(std::string_view beginning, std::string_view contentType) {
    const BodyKind kind = sniffBody(beginning);
    if (kind == BodyKind::html)
        return "The server sent a web page instead of a stream.";
    if (isMediaType(contentType, "application/vnd.amazon.eventstream") || isAmazonEventStream(beginning))
        return "The server sent a binary Bedrock event stream, which Decodescope does not read: ask through a proxy "
               "that speaks the OpenAI API.";
    if (beginning.substr(0, 2) == "\x1F\x8B")
        return "The server sent gzip without saying so in Content-Encoding, which Decodescope does not read.";
    if (kind == BodyKind::binary)
        return contentType.empty()
                   ? "The server sent binary data, which Decodescope does not read."
                   : fmt::format("The server sent binary data as {}, which Decodescope does not read.", contentType);
    return fmt::format("The server sent {} that is no event stream.", contentType.empty() ? "something" : contentType);
}

} // namespace decodescope
