#pragma once

#include "core/base/secret.h"

#include <bitset>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace decodescope {

/// Finds a key that is whole only in what a reader joins: cut over several events' strings, over the chunks of a
/// chunked body, or written with JSON escapes or HTML references ("&#45;"). It reads a response as a loose mixture of
/// text and JSON, joins the string values of equal member names, and overwrites, in place and without changing a
/// length, every byte that carries an echo on past its first characters. Nothing is held back, so the first
/// kPassedCharacters of a key may stand when they came in an earlier read; JSON stays well-formed.
class JoinedMasker {
public:
    /// `pattern` in any number; each is looked for on its own.
    void add(Secret pattern);
    void mask(std::string& bytes);

    /// So much of a key, and never more than half of it, may be an accident and is left alone.
    static constexpr std::size_t kPassedCharacters = 8;

    /// For each length of a beginning of `text`, 0 to its size, the length of the longest proper border of that
    /// beginning: where the automaton of Knuth, Morris and Pratt goes on after a mismatch.
    [[nodiscard]] static std::vector<std::size_t> borders(std::string_view text);

private:
    struct Pattern {
        Secret text;
        std::vector<std::size_t> fallback; ///< longest proper border of each prefix
        std::size_t passes = 0;
    };
    /// One character as it is spelt in the present read.
    struct Unit {
        std::size_t begin = 0;
        std::size_t length = 1;
        std::size_t before = 0; ///< bytes of its escape that an earlier read had
        bool escape = false;
    };
    /// How far each pattern has come in one joined text.
    struct Progress {
        std::vector<std::size_t> matched;
        std::vector<std::vector<Unit>> units;       ///< of what matched, those in the present read
        bool idle = true;                           ///< nothing of any pattern has come
        std::size_t read = 0;                       ///< the read that `units` belong to
        std::string reference;                      ///< "&#4", as far as what may be an HTML reference has been read
        std::size_t referenceAt = 0;                ///< where it began in this read
        std::vector<std::size_t> matchedBefore;     ///< `matched` as it was before the reference
        std::vector<std::vector<Unit>> unitsBefore; ///< and `units`
        /// The joined text ended; another begins.
        void restart();
    };
    enum class State { outside, string, escape, unicode, framing };

    void step(std::string& bytes, std::size_t at);
    void stepFraming(std::string& bytes, std::size_t at);
    void beginString();
    void endString();
    void endEscape(std::string& bytes, std::size_t at, int character);
    void unit(std::string& bytes, Progress& progress, int character, const Unit& unit);
    void prepare(Progress& progress);
    void match(std::string& bytes, Progress& progress, int character, const Unit& unit);
    void hideOpen(std::string& bytes, Progress& progress);
    static void hide(std::string& bytes, std::vector<Unit>& units);
    static void overwrite(std::string& bytes, const Unit& unit);

    std::vector<Pattern> m_patterns;
    std::bitset<256> m_firsts;                             ///< the characters that a pattern begins with
    std::map<std::string, Progress, std::less<>> m_values; ///< by member name
    Progress m_plain;                                      ///< what stands outside strings
    Progress m_loose;                                      ///< a string that is no member's value
    Progress* m_string = nullptr;                          ///< of the string being read
    State m_state = State::outside;
    State m_framed = State::outside; ///< where the framing stands
    std::string m_name;              ///< the string being read, as far as it may be a name
    std::string m_member;            ///< the last string that a colon followed
    bool m_afterColon = false;       ///< the next string is a value
    std::string m_framing;           ///< line break and chunk size read so far
    std::size_t m_escape = 0;        ///< bytes of the escape read so far
    std::size_t m_escapeAt = 0;      ///< where it began in this read
    std::size_t m_escapeBefore = 0;
    int m_code = 0;
    std::size_t m_read = 0;
};

} // namespace decodescope
