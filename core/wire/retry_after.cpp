#include "core/wire/retry_after.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <vector>

namespace decodescope {
namespace {

constexpr double kLongestMs = 1e15; // thirty thousand years
constexpr std::array<std::string_view, 12> kMonths{"jan", "feb", "mar", "apr", "may", "jun",
                                                   "jul", "aug", "sep", "oct", "nov", "dec"};

std::string_view trimmed(std::string_view s) noexcept {
    const std::size_t first = s.find_first_not_of(" \t");
    if (first == std::string_view::npos)
        return {};
    return s.substr(first, s.find_last_not_of(" \t") - first + 1);
}

std::optional<double> positiveNumber(std::string_view text) {
    text = trimmed(text);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value) || value < 0)
        return std::nullopt;
    return value;
}

std::optional<int> wholeNumber(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size() || value < 0)
        return std::nullopt;
    return value;
}

std::optional<unsigned> month(std::string_view name) {
    for (std::size_t i = 0; i < kMonths.size(); ++i) {
        const bool same =
            name.size() == 3 && std::equal(name.begin(), name.end(), kMonths[i].begin(), [](char a, char b) {
                return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + ('a' - 'A')) : a) == b;
            });
        if (same)
            return static_cast<unsigned>(i + 1);
    }
    return std::nullopt;
}

/// Pieces between white space, commas and dashes.
std::vector<std::string_view> pieces(std::string_view text) {
    std::vector<std::string_view> out;
    constexpr std::string_view kBetween = " \t,-";
    for (std::size_t at = text.find_first_not_of(kBetween); at != std::string_view::npos;) {
        const std::size_t end = text.find_first_of(kBetween, at);
        out.push_back(text.substr(at, end == std::string_view::npos ? end : end - at));
        at = end == std::string_view::npos ? end : text.find_first_not_of(kBetween, end);
    }
    return out;
}

/// "08:49:37" as seconds of the day.
std::optional<int> timeOfDay(std::string_view text) {
    if (text.size() != 8 || text[2] != ':' || text[5] != ':')
        return std::nullopt;
    const auto h = wholeNumber(text.substr(0, 2));
    const auto m = wholeNumber(text.substr(3, 2));
    const auto s = wholeNumber(text.substr(6, 2));
    if (!h || !m || !s || *h > 23 || *m > 59 || *s > 60)
        return std::nullopt;
    return (*h * 60 + *m) * 60 + *s;
}

} // namespace

std::optional<std::int64_t> parseHttpDate(std::string_view text) {
    const std::vector<std::string_view> p = pieces(text);
    std::string_view dayText, monthText, yearText, timeText;
    if (p.size() == 6 && p[5] == "GMT") { // Sun, 06 Nov 1994 08:49:37 GMT; Sunday, 06-Nov-94 08:49:37 GMT
        dayText = p[1], monthText = p[2], yearText = p[3], timeText = p[4];
    } else if (p.size() == 5) { // Sun Nov  6 08:49:37 1994
        monthText = p[1], dayText = p[2], timeText = p[3], yearText = p[4];
    } else {
        return std::nullopt;
    }
    const auto day = wholeNumber(dayText);
    const auto monthNumber = month(monthText);
    auto year = wholeNumber(yearText);
    const auto seconds = timeOfDay(timeText);
    if (!day || !monthNumber || !year || !seconds || *year > 9999)
        return std::nullopt;
    if (yearText.size() == 2)
        *year += *year < 70 ? 2000 : 1900;
    const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(*monthNumber),
                                           std::chrono::day(static_cast<unsigned>(*day))};
    if (!date.ok())
        return std::nullopt;
    const auto days = std::chrono::sys_days(date).time_since_epoch();
    return std::chrono::duration_cast<std::chrono::seconds>(days).count() + *seconds;
}

std::optional<std::int64_t> retryAfterMs(const Headers& headers) {
    const auto rounded = [](double ms) { return static_cast<std::int64_t>(std::llround(std::min(ms, kLongestMs))); };
    if (const auto ms = positiveNumber(headerValue(headers, "retry-after-ms")))
        return rounded(*ms);
    const std::string_view after = headerValue(headers, "retry-after");
    if (const auto seconds = positiveNumber(after))
        return rounded(*seconds * 1000);
    const auto until = parseHttpDate(after);
    const auto now = parseHttpDate(headerValue(headers, "date"));
    if (!until || !now)
        return std::nullopt;
    return std::max<std::int64_t>(0, *until - *now) * 1000;
}

std::string_view headerValue(const Headers& headers, std::string_view name) {
    for (const auto& [key, value] : headers) {
        if (key == name)
            return value;
    }
    return {};
}

} // namespace decodescope
