#pragma once

#include "tests/app/wire_rules.h"

#include <string>
#include <vector>

namespace decodescope::test {

/// How one API says the same things as all the others: what the rules that hold for every API are checked with.
struct WireForm {
    std::string protocol;
    std::string opening; ///< events before the first text; may be empty
    /// Of an event with text the part before and after the text, which is the inside of a JSON string.
    std::string beforeText, afterText;
    std::string closing;   ///< events after the last text, with the finish reason if the API has one
    nlohmann::json finish; ///< what explain calls it
    int openingEvents = 0; ///< events in `opening`
    int closingEvents = 0; ///< events in `closing`
    bool closingIsEnd =
        false; ///< the closing has an end of its own beside a finish reason: what follows comes after it
    bool tellsItsEnd = true;
    std::string whole;      ///< the answer "whole one" in one piece
    std::string errorEvent; ///< an event that tells the error "engine lost"

    [[nodiscard]] std::string text(const std::string& jsonText) const { return beforeText + jsonText + afterText; }
};

/// One for each API that streams by server-sent events.
[[nodiscard]] std::vector<WireForm> wireForms();

/// An event whose name is the `type` of its data.
[[nodiscard]] std::string typedEvent(const std::string& type, const std::string& more = "");

} // namespace decodescope::test
