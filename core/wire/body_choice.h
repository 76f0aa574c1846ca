#pragma once

#include "core/wire/body_sniffer.h"
#include "core/wire/dialect.h"

#include <string>
#include <string_view>

/// What is made of the body of a 2xx answer. The protocol says what should come, the Content-Type what is said to come,
/// and the first bytes what does come: where they are unambiguous they have the last word.
namespace decodescope {

/// What is known of a body before it is read.
struct BodyExpectation {
    MessageFraming framing = MessageFraming::serverSentEvents; ///< the protocol's own
    bool mayBeArray = false;                                   ///< the API also streams as a JSON array
    bool headless = false; ///< no head came along: the content type is the protocol's own
    std::string_view contentType;
};

enum class BodyForm {
    events, ///< server-sent events
    lines,  ///< NDJSON
    array,  ///< elements of a JSON array
    whole,  ///< one JSON text
    refused ///< none of these
};

struct BodyChoice {
    BodyForm form = BodyForm::events;
    bool mismatch = false; ///< the content type says something else than the bytes
};

/// `kind` is what sniffBody made of the beginning; undecided when the body ended too soon to tell.
[[nodiscard]] BodyChoice chooseBody(BodyKind kind, const BodyExpectation& expected);

/// Whether a content type is one of the names of NDJSON.
[[nodiscard]] bool isLinesType(std::string_view contentType);

/// Why a body is refused, in a sentence that names what it is where that can be told.
[[nodiscard]] std::string refusalOf(std::string_view beginning, std::string_view contentType);

} // namespace decodescope
