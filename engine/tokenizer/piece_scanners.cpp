#include "engine/tokenizer/piece_scanners.h"

#include <algorithm>
#include <cstring>

namespace decodescope::engine {

namespace {

/// [^\s\p{L}\p{N}]
constexpr CharClass kNeither = kOther | kMark | kPunctuation | kSymbol;
/// [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}] and [\p{Ll}\p{Lm}\p{Lo}\p{M}]: letters without case and marks are in both.
constexpr CharClass kWordHead = kUpper | kCaseless | kMark;
constexpr CharClass kWordTail = kLower | kCaseless | kMark;

enum class ContractionCase : std::uint8_t { lower, any };

/// The end of 's 't 'm 'd 're 've 'll at `at`, or `at`.
std::size_t contractionEnd(const ScannedText& text, std::size_t at, ContractionCase which) {
    if (!text.isByte(at, '\'') || at + 1 >= text.end) {
        return at;
    }
    const auto letter = [&](std::size_t where) {
        const char byte = where < text.end ? text.bytes[where] : '\0';
        return which == ContractionCase::any && byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte | 0x20) : byte;
    };
    const char first = letter(at + 1);
    if (first == 's' || first == 't' || first == 'm' || first == 'd') {
        return at + 2;
    }
    const char second = letter(at + 2);
    const bool two = ((first == 'r' || first == 'v') && second == 'e') || (first == 'l' && second == 'l');
    return two ? at + 3 : at;
}

/// \s+(?!\S)|\s+ : a run of blanks leaves its last character to the word after it, unless it has only one.
std::size_t blanksEnd(const ScannedText& text, std::size_t at) {
    const std::size_t run = text.runEnd(at, kBlank);
    if (run == text.end) {
        return run;
    }
    const std::size_t last = text.characterBefore(run);
    return last > at ? last : run;
}

/// \s*[\r\n]+ first: blanks up to the last line end of the run.
std::size_t blanksOrLinesEnd(const ScannedText& text, std::size_t at) {
    const std::size_t run = text.runEnd(at, kBlank);
    for (std::size_t where = run; where > at; --where) {
        if (text.classes[where - 1] == kNewline) {
            return where;
        }
    }
    return blanksEnd(text, at);
}

/// ` ?[^\s\p{L}\p{N}]+` and then the bytes of `trailing`; `at` when there is none.
std::size_t symbolsEnd(const ScannedText& text, std::size_t at, const char* trailing) {
    const std::size_t start = text.isByte(at, ' ') ? at + 1 : at;
    std::size_t stop = text.runEnd(start, kNeither);
    if (stop == start) {
        return at;
    }
    while (stop < text.end && text.bytes[stop] != '\0' && std::strchr(trailing, text.bytes[stop]) != nullptr) {
        ++stop;
    }
    return stop;
}

/// \p{N}{1,limit}
std::size_t numbersEnd(const ScannedText& text, std::size_t at, int limit) {
    for (int count = 0; count < limit && text.has(at, kNumber); ++count) {
        at = text.characterEnd(at);
    }
    return at;
}

std::size_t scanLlamaRule(const ScannedText& text, std::size_t at, int numbersTogether) {
    if (const std::size_t stop = contractionEnd(text, at, ContractionCase::any); stop != at) {
        return stop;
    }
    if (text.has(at, kLetter)) {
        return text.runEnd(at, kLetter);
    }
    if (text.has(at, kNumber)) {
        return numbersEnd(text, at, numbersTogether);
    }
    if (!text.has(at, kNewline)) { // one other character may lead a word
        const std::size_t next = text.characterEnd(at);
        if (text.has(next, kLetter)) {
            return text.runEnd(next, kLetter);
        }
    }
    if (const std::size_t stop = symbolsEnd(text, at, "\r\n"); stop != at) {
        return stop;
    }
    return blanksOrLinesEnd(text, at);
}

/// head*tail+ : as long a head as leaves one character for the tail. `at` when there is no tail at all.
std::size_t headsThenTails(const ScannedText& text, std::size_t at) {
    const std::size_t heads = text.runEnd(at, kWordHead);
    if (text.has(heads, kWordTail)) {
        return text.runEnd(heads, kWordTail);
    }
    for (std::size_t stop = heads; stop > at;) { // the tail is the last caseless letter or mark of the run
        const std::size_t start = text.characterBefore(stop);
        if (text.has(start, kWordTail)) {
            return stop;
        }
        stop = start;
    }
    return at;
}

/// A word by case with one optional character before it; `at` when none starts here.
std::size_t casedWordEnd(const ScannedText& text, std::size_t at) {
    const bool mayLead = !text.has(at, kNewline | kLetter | kNumber);
    const std::size_t led = mayLead ? text.characterEnd(at) : at;
    if (const std::size_t stop = headsThenTails(text, led); stop != led) {
        return stop;
    }
    if (const std::size_t stop = headsThenTails(text, at); stop != at) {
        return stop;
    }
    // head+tail*: there is no tail here, else one of the above would have matched.
    if (const std::size_t stop = text.runEnd(led, kWordHead); stop != led) {
        return stop;
    }
    return text.runEnd(at, kWordHead);
}

std::size_t scanCasedRule(const ScannedText& text, std::size_t at, int numbersTogether) {
    if (text.has(at, kNumber)) {
        return numbersEnd(text, at, numbersTogether);
    }
    if (const std::size_t stop = symbolsEnd(text, at, "\r\n/"); stop != at) {
        return stop;
    }
    return blanksOrLinesEnd(text, at);
}

bool isAsciiDigit(const ScannedText& text, std::size_t at) {
    return at < text.end && text.bytes[at] >= '0' && text.bytes[at] <= '9';
}

bool isTriple(const ScannedText& text, std::size_t at) {
    return isAsciiDigit(text, at) && isAsciiDigit(text, at + 1) && isAsciiDigit(text, at + 2);
}

/// [\p{P}\$\+<=>\^~\|]
bool isCutPunctuation(const ScannedText& text, std::size_t at) {
    return text.has(at, kPunctuation) ||
           (at < text.end && text.bytes[at] != '\0' && std::strchr("$+<=>^~|", text.bytes[at]) != nullptr);
}

} // namespace

std::size_t scanGpt2(const ScannedText& text, std::size_t at) {
    if (const std::size_t stop = contractionEnd(text, at, ContractionCase::lower); stop != at) {
        return stop;
    }
    const std::size_t start = text.isByte(at, ' ') ? at + 1 : at;
    for (const CharClass kind : {kLetter, kNumber, kNeither}) {
        if (text.has(start, kind)) {
            return text.runEnd(start, kind);
        }
    }
    return blanksEnd(text, at);
}

std::size_t scanLlama3(const ScannedText& text, std::size_t at) {
    return scanLlamaRule(text, at, 3);
}

std::size_t scanQwen2(const ScannedText& text, std::size_t at) {
    return scanLlamaRule(text, at, 1);
}

std::size_t scanTekken(const ScannedText& text, std::size_t at) {
    if (const std::size_t stop = casedWordEnd(text, at); stop != at) {
        return stop;
    }
    return scanCasedRule(text, at, 1);
}

std::size_t scanGpt4o(const ScannedText& text, std::size_t at) {
    if (const std::size_t stop = casedWordEnd(text, at); stop != at) {
        return contractionEnd(text, stop, ContractionCase::any);
    }
    return scanCasedRule(text, at, 3);
}

std::size_t scanSingleNumbers(const ScannedText& text, std::size_t at) {
    return text.has(at, kNumber) ? text.characterEnd(at) : text.runEnd(at, static_cast<CharClass>(~kNumber));
}

std::size_t scanNumberRuns(const ScannedText& text, std::size_t at) {
    return text.runEnd(at, text.has(at, kNumber) ? kNumber : static_cast<CharClass>(~kNumber));
}

std::size_t scanDigitTriples(const ScannedText& text, std::size_t at) {
    if (isTriple(text, at)) {
        return at + 3;
    }
    do {
        ++at;
    } while (at < text.end && !isTriple(text, at));
    return at;
}

std::size_t scanPunctuationRuns(const ScannedText& text, std::size_t at) {
    const bool cut = isCutPunctuation(text, at);
    do {
        at = text.characterEnd(at);
    } while (at < text.end && isCutPunctuation(text, at) == cut);
    return at;
}

} // namespace decodescope::engine
