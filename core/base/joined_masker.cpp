#include "core/base/joined_masker.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <utility>

namespace decodescope {

namespace {

constexpr std::size_t kMostNames = 256;
constexpr std::size_t kLongestName = 64;
constexpr std::size_t kLongestFraming = 256;
constexpr int kNoCharacter = -1;

int hexValue(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

constexpr std::size_t kLongestReference = 12;

/// What an HTML reference without its semicolon ("&#45", "&amp") stands for. kNoCharacter: it is none, or stands for
/// what no key holds.
int referred(std::string_view reference) {
    static constexpr std::array<std::pair<std::string_view, char>, 5> kNamed{
        {{"&amp", '&'}, {"&lt", '<'}, {"&gt", '>'}, {"&quot", '"'}, {"&apos", '\''}}};
    const auto* const named =
        std::find_if(kNamed.begin(), kNamed.end(), [&](const auto& pair) { return pair.first == reference; });
    if (named != kNamed.end())
        return named->second;
    if (!reference.starts_with("&#"))
        return kNoCharacter;
    reference.remove_prefix(2);
    const int base = reference.starts_with('x') || reference.starts_with('X') ? 16 : 10;
    if (base == 16)
        reference.remove_prefix(1);
    unsigned code = 0;
    const auto [end, error] = std::from_chars(reference.data(), reference.data() + reference.size(), code, base);
    const bool whole = error == std::errc() && end == reference.data() + reference.size();
    return whole && code <= 0x7f ? static_cast<int>(code) : kNoCharacter;
}

bool isSpace(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

} // namespace

std::vector<std::size_t> JoinedMasker::borders(std::string_view text) {
    std::vector<std::size_t> borders(text.size() + 1, 0);
    for (std::size_t i = 1, border = 0; i < text.size(); ++i) {
        while (border > 0 && text[i] != text[border])
            border = borders[border];
        if (text[i] == text[border])
            ++border;
        borders[i + 1] = border;
    }
    return borders;
}

void JoinedMasker::add(Secret pattern) {
    Pattern made;
    const std::string_view text = pattern.revealForTransport();
    made.fallback = borders(text);
    if (!text.empty())
        m_firsts.set(static_cast<unsigned char>(text.front()));
    made.passes = std::min(kPassedCharacters, text.size() / 2);
    made.text = std::move(pattern);
    m_patterns.push_back(std::move(made));
}

void JoinedMasker::mask(std::string& bytes) {
    if (m_patterns.empty())
        return;
    ++m_read;
    m_escapeAt = 0;
    m_escapeBefore = m_escape;
    for (std::size_t at = 0; at < bytes.size(); ++at)
        step(bytes, at);
    hideOpen(bytes, m_plain);
    hideOpen(bytes, m_loose);
    for (auto& [name, progress] : m_values)
        hideOpen(bytes, progress);
}

void JoinedMasker::step(std::string& bytes, std::size_t at) {
    const char c = bytes[at];
    if (c == '\r' && m_state != State::framing) {
        m_framed = std::exchange(m_state, State::framing);
        m_framing.clear();
        return;
    }
    switch (m_state) {
    case State::outside:
        unit(bytes, m_plain, static_cast<unsigned char>(c), {at, 1, 0, false});
        if (c == '"') {
            beginString();
        } else if (c == ':') {
            m_member = m_name;
            m_afterColon = true;
        } else if (!isSpace(c)) {
            m_afterColon = false;
        }
        return;
    case State::string:
        if (c == '"') {
            endString();
        } else if (c == '\\') {
            m_state = State::escape;
            m_escape = 1;
            m_escapeAt = at;
            m_escapeBefore = 0;
        } else if (c == '\n') {
            endString(); // no string of JSON holds a line break: it was none
        } else {
            if (m_name.size() < kLongestName)
                m_name += c;
            unit(bytes, *m_string, static_cast<unsigned char>(c), {at, 1, 0, false});
        }
        return;
    case State::escape:
        ++m_escape;
        if (c == 'u') {
            m_state = State::unicode;
            m_code = 0;
        } else {
            endEscape(bytes, at, c == '"' || c == '\\' || c == '/' ? c : kNoCharacter);
        }
        return;
    case State::unicode: {
        ++m_escape;
        const int digit = hexValue(c);
        if (digit < 0) {
            endEscape(bytes, at, kNoCharacter);
            return;
        }
        m_code = m_code * 16 + digit;
        if (m_escape == 6)
            endEscape(bytes, at, m_code);
        return;
    }
    case State::framing:
        stepFraming(bytes, at);
        return;
    }
}

/// A line break, a chunk's size and a line break, in the middle of what a reader sees as one text.
void JoinedMasker::stepFraming(std::string& bytes, std::size_t at) {
    const char c = bytes[at];
    const bool first = m_framing.empty();
    const bool ending = !first && m_framing.back() == '\r';
    const bool sized = m_framing.size() > 1;
    const bool extended = m_framing.find(';') != std::string::npos;
    const bool fits = first    ? c == '\n'
                      : ending ? c == '\n'
                               : hexValue(c) >= 0 || (sized && (c == '\r' || c == ';' || c == ' ' || extended));
    if (!fits || m_framing.size() >= kLongestFraming) {
        if (m_framed != State::outside)
            endString();
        m_escape = 0;
        m_state = State::outside;
        m_plain.restart();
        step(bytes, at);
        return;
    }
    if (!ending) {
        m_framing += c;
        return;
    }
    m_state = m_framed;
    m_escapeAt = at + 1; // an escape that it cut goes on here, as after a read
    m_escapeBefore = m_escape;
}

void JoinedMasker::beginString() {
    m_state = State::string;
    m_name.clear();
    if (!m_afterColon) {
        m_string = &m_loose;
        m_loose.restart();
        return;
    }
    auto known = m_values.find(m_member);
    if (known == m_values.end()) {
        if (m_values.size() >= kMostNames)
            m_values.clear();
        known = m_values.emplace(m_member, Progress{}).first;
    }
    m_string = &known->second;
}

void JoinedMasker::endString() {
    m_state = State::outside;
    m_afterColon = false;
    m_string = nullptr;
}

void JoinedMasker::endEscape(std::string& bytes, std::size_t at, int character) {
    m_state = State::string;
    unit(bytes, *m_string, character, {m_escapeAt, at + 1 - m_escapeAt, m_escapeBefore, true});
    m_escape = 0;
    m_escapeBefore = 0;
}

/// A character as it is spelt; one that completes an HTML reference counts as what the reference stands for.
void JoinedMasker::unit(std::string& bytes, Progress& progress, int character, const Unit& unit) {
    prepare(progress);
    std::string& reference = progress.reference;
    if (character == '&' && unit.before == 0) {
        reference = "&";
        progress.referenceAt = unit.begin;
        progress.matchedBefore = progress.matched;
        progress.unitsBefore = progress.units;
    } else if (character == ';' && !reference.empty()) {
        const int meant = referred(std::exchange(reference, {}));
        if (meant != kNoCharacter) {
            progress.matched = progress.matchedBefore;
            progress.idle = false;
            progress.units = progress.unitsBefore;
            const std::size_t end = unit.begin + unit.length;
            match(bytes, progress, meant, {progress.referenceAt, end - progress.referenceAt, 0, false});
            return;
        }
    } else if (!reference.empty()) {
        const bool fits = character == '#' || (character >= '0' && character <= '9') ||
                          (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
        if (fits && reference.size() < kLongestReference)
            reference += static_cast<char>(character);
        else
            reference.clear();
    }
    match(bytes, progress, character, unit);
}

void JoinedMasker::Progress::restart() {
    std::fill(matched.begin(), matched.end(), 0);
    idle = true;
    reference.clear();
}

void JoinedMasker::prepare(Progress& progress) {
    if (progress.matched.empty()) {
        progress.matched.assign(m_patterns.size(), 0);
        progress.units.resize(m_patterns.size());
    }
    if (progress.read == m_read)
        return;
    progress.read = m_read;
    progress.referenceAt = 0;
    for (std::vector<Unit>& units : progress.units)
        units.clear();
    for (std::vector<Unit>& units : progress.unitsBefore)
        units.clear();
}

void JoinedMasker::match(std::string& bytes, Progress& progress, int character, const Unit& unit) {
    if (progress.idle && (character < 0 || character > 0xff || !m_firsts[static_cast<std::size_t>(character)]))
        return; // nearly always
    progress.idle = true;
    for (std::size_t p = 0; p < m_patterns.size(); ++p) {
        const Pattern& pattern = m_patterns[p];
        const std::string_view wanted = pattern.text.revealForTransport();
        const auto fits = [&](std::size_t k) { return character == static_cast<unsigned char>(wanted[k]); };
        std::size_t& matched = progress.matched[p];
        std::vector<Unit>& units = progress.units[p];
        if (matched > pattern.passes && !fits(matched))
            hide(bytes, units); // a key without its end; by accident nobody writes that much of one
        while (matched > 0 && !fits(matched))
            matched = pattern.fallback[matched];
        if (fits(matched))
            ++matched;
        if (matched > 0)
            units.push_back(unit);
        if (units.size() > matched)
            units.erase(units.begin(), units.end() - static_cast<std::ptrdiff_t>(matched));
        if (matched == wanted.size()) {
            hide(bytes, units);
            matched = 0;
        }
        progress.idle = progress.idle && matched == 0;
    }
}

/// A read ended: what has come so far of an echo may go on in the next one, and cannot be called back then.
void JoinedMasker::hideOpen(std::string& bytes, Progress& progress) {
    if (progress.read != m_read)
        return;
    const bool referring = !progress.reference.empty(); // what stands before a cut reference may go on behind it
    for (std::size_t p = 0; p < m_patterns.size(); ++p) {
        if (progress.matched[p] > m_patterns[p].passes)
            hide(bytes, progress.units[p]);
        if (referring && progress.matchedBefore[p] > m_patterns[p].passes)
            hide(bytes, progress.unitsBefore[p]);
    }
}

void JoinedMasker::hide(std::string& bytes, std::vector<Unit>& units) {
    for (const Unit& part : units)
        overwrite(bytes, part);
    units.clear();
}

void JoinedMasker::overwrite(std::string& bytes, const Unit& unit) {
    if (unit.before == 0) {
        bytes.replace(unit.begin, unit.length, unit.length, '*');
        return;
    }
    // Its backslash is gone already: what is left must still make an escape, and of another character.
    if (unit.before + unit.length == 2) {
        bytes[unit.begin] = 't';
        return;
    }
    if (unit.length == 1) {
        bytes[unit.begin] = bytes[unit.begin] == '0' ? '1' : '0';
        return;
    }
    static constexpr std::string_view kStar = "\\u002a";
    bytes.replace(unit.begin, unit.length, kStar.substr(kStar.size() - unit.length));
}

} // namespace decodescope
