#include "core/wire/html_entity.h"

#include "core/base/utf8.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <utility>

namespace decodescope {
namespace {

constexpr char32_t kReplacement = 0xFFFD;
constexpr std::size_t kLongestName = 8; // none below is longer

constexpr char32_t kLatin1Begin = 0xA0;
/// The names of U+00A0 to U+00FF in their order.
constexpr std::array<std::string_view, 96> kLatin1{
    "nbsp",   "iexcl",  "cent",   "pound",  "curren", "yen",    "brvbar", "sect",   "uml",    "copy",   "ordf",
    "laquo",  "not",    "shy",    "reg",    "macr",   "deg",    "plusmn", "sup2",   "sup3",   "acute",  "micro",
    "para",   "middot", "cedil",  "sup1",   "ordm",   "raquo",  "frac14", "frac12", "frac34", "iquest", "Agrave",
    "Aacute", "Acirc",  "Atilde", "Auml",   "Aring",  "AElig",  "Ccedil", "Egrave", "Eacute", "Ecirc",  "Euml",
    "Igrave", "Iacute", "Icirc",  "Iuml",   "ETH",    "Ntilde", "Ograve", "Oacute", "Ocirc",  "Otilde", "Ouml",
    "times",  "Oslash", "Ugrave", "Uacute", "Ucirc",  "Uuml",   "Yacute", "THORN",  "szlig",  "agrave", "aacute",
    "acirc",  "atilde", "auml",   "aring",  "aelig",  "ccedil", "egrave", "eacute", "ecirc",  "euml",   "igrave",
    "iacute", "icirc",  "iuml",   "eth",    "ntilde", "ograve", "oacute", "ocirc",  "otilde", "ouml",   "divide",
    "oslash", "ugrave", "uacute", "ucirc",  "uuml",   "yacute", "thorn",  "yuml",
};

constexpr std::pair<std::string_view, char32_t> kOthers[] = {
    {"quot", 0x22},    {"amp", 0x26},      {"lt", 0x3C},       {"gt", 0x3E},      {"OElig", 0x152},
    {"oelig", 0x153},  {"Scaron", 0x160},  {"scaron", 0x161},  {"Yuml", 0x178},   {"ndash", 0x2013},
    {"mdash", 0x2014}, {"lsquo", 0x2018},  {"rsquo", 0x2019},  {"sbquo", 0x201A}, {"ldquo", 0x201C},
    {"rdquo", 0x201D}, {"bdquo", 0x201E},  {"dagger", 0x2020}, {"bull", 0x2022},  {"hellip", 0x2026},
    {"prime", 0x2032}, {"lsaquo", 0x2039}, {"rsaquo", 0x203A}, {"euro", 0x20AC},  {"trade", 0x2122},
    {"larr", 0x2190},  {"uarr", 0x2191},   {"rarr", 0x2192},   {"darr", 0x2193},  {"minus", 0x2212},
    {"ensp", 0x2002},  {"emsp", 0x2003},   {"thinsp", 0x2009}, {"zwnj", 0x200C},  {"zwj", 0x200D},
    {"lrm", 0x200E},   {"rlm", 0x200F},    {"apos", 0x27}};

char32_t named(std::string_view name) {
    for (const auto& [known, meaning] : kOthers) {
        if (known == name)
            return meaning;
    }
    const auto latin = std::find(kLatin1.begin(), kLatin1.end(), name);
    return latin == kLatin1.end() ? 0 : kLatin1Begin + static_cast<char32_t>(latin - kLatin1.begin());
}

} // namespace

std::size_t appendEntity(std::string& out, std::string_view text) {
    if (text.substr(0, 1) != "&")
        return 0;
    if (text.substr(1, 1) != "#") {
        const std::size_t end = text.substr(0, kLongestName + 2).find(';');
        const char32_t meaning = end == std::string_view::npos ? 0 : named(text.substr(1, end - 1));
        if (meaning == 0)
            return 0;
        appendUtf8(out, meaning == kLatin1Begin ? U' ' : meaning); // a space that does not break is one to a reader
        return end + 1;
    }
    const bool hex = text.size() > 2 && (text[2] == 'x' || text[2] == 'X');
    if (text.size() < 4)
        return 0;
    const char* const first = text.data() + (hex ? 3 : 2);
    const char* const last = text.data() + text.size();
    unsigned value = 0;
    const auto [end, error] = std::from_chars(first, last, value, hex ? 16 : 10);
    if (error != std::errc{} || end == last || *end != ';')
        return 0;
    appendUtf8(out, value == 0 ? kReplacement : static_cast<char32_t>(value));
    return static_cast<std::size_t>(end - text.data()) + 1;
}

} // namespace decodescope
