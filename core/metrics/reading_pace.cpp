#include "core/base/utf8.h"
#include "core/metrics/metrics.h"
#include "core/metrics/text_rates.h"

#include <algorithm>
#include <cmath>

namespace decodescope {
namespace {

constexpr double kSlowest = 80;
constexpr double kFastest = 1000;

std::size_t lengthOfCodePoint(std::string_view text, std::size_t at) {
    std::size_t n = 1;
    while (at + n < text.size() && (static_cast<unsigned char>(text[at + n]) & 0xC0) == 0x80)
        ++n;
    return n;
}

} // namespace

/// The answer's words with the instants at which each began to arrive, and the reader's timetable for them.
struct ReadingPace::State {
    struct Word {
        std::uint32_t begin = 0, end = 0; ///< bytes in the transcript
        Instant arrived{};
        double startS = 0;   ///< when the reader begins it, seconds after the first answer token
        double starvedS = 0; ///< waited for words up to this one
    };
    double wpm = 238;
    std::size_t seenEvents = 0;
    std::size_t answerEvents = 0;
    bool inWord = false;
    std::optional<Instant> origin; ///< the first answer token
    std::vector<Word> words;

    [[nodiscard]] double perWordS() const { return 60.0 / wpm; }

    void schedule(std::size_t from) {
        for (std::size_t i = from; i < words.size(); ++i) {
            Word& word = words[i];
            const double arrivedS = toSeconds(word.arrived - *origin);
            const double freeS = i == 0 ? 0.0 : words[i - 1].startS + perWordS();
            word.startS = std::max(arrivedS, freeS);
            word.starvedS = i == 0 ? 0.0 : words[i - 1].starvedS + (word.startS - freeS);
        }
    }

    void add(const RunRecord& record, const TokenEvent& event) {
        if (!event.answers())
            return;
        ++answerEvents;
        if (!origin)
            origin = event.at;
        const std::string_view text = record.textOf(event);
        const bool mixed = event.has(Channel::reasoning);
        for (std::size_t i = 0; i < text.size();) {
            const std::size_t n = lengthOfCodePoint(text, i);
            const auto at = event.textBegin + static_cast<std::uint32_t>(i);
            const bool skipped = mixed && record.channelAt(at) == Channel::reasoning;
            if (skipped || countWords(text.substr(i, n)) == 0) {
                inWord = false;
            } else {
                if (!inWord)
                    words.push_back({at, at, event.at, 0, 0});
                words.back().end = at + static_cast<std::uint32_t>(n);
                inWord = true;
            }
            i += n;
        }
    }

    /// Tokens of the answer that a word of it holds on average.
    [[nodiscard]] std::optional<double> tokensPerWord(const RunRecord& record, const TokenCount& tokens) const {
        if (words.empty() || !tokens.visible)
            return std::nullopt;
        double answer = *tokens.visible;
        if (answerEvents < record.events.size()) {
            answer = 0;
            for (std::size_t i = 0; i < std::min(tokens.perEvent.size(), record.events.size()); ++i)
                answer += record.events[i].answers() ? tokens.perEvent[i] : 0.0;
        }
        if (answer <= 0)
            return std::nullopt;
        return answer / static_cast<double>(words.size());
    }
};

ReadingPace::ReadingPace(double wordsPerMinute)
    : m_state(std::make_unique<State>()) {
    setWordsPerMinute(wordsPerMinute);
}
ReadingPace::~ReadingPace() = default;
ReadingPace::ReadingPace(ReadingPace&&) noexcept = default;
ReadingPace& ReadingPace::operator=(ReadingPace&&) noexcept = default;

void ReadingPace::setWordsPerMinute(double wpm) {
    m_state->wpm = std::isfinite(wpm) ? std::clamp(wpm, kSlowest, kFastest) : 238;
    m_state->schedule(0);
}

double ReadingPace::wordsPerMinute() const {
    return m_state->wpm;
}

void ReadingPace::update(const RunRecord& record) {
    State& s = *m_state;
    const std::size_t before = s.words.size();
    for (; s.seenEvents < record.events.size(); ++s.seenEvents)
        s.add(record, record.events[s.seenEvents]);
    s.schedule(before);
}

ReadingState ReadingPace::at(const RunRecord& record, const RunSummary& summary, Instant now) const {
    const State& s = *m_state;
    ReadingState state;
    if (const auto perWord = s.tokensPerWord(record, summary.tokens); perWord && summary.decodeTps)
        state.perceivedTps = std::min(*summary.decodeTps, s.wpm / 60 * *perWord);
    if (!s.origin || now < *s.origin)
        return state;
    const double nowS = toSeconds(now - *s.origin);
    const auto arrived = std::upper_bound(s.words.begin(), s.words.end(), now,
                                          [](Instant t, const State::Word& w) { return t < w.arrived; });
    state.wordsArrived = static_cast<double>(arrived - s.words.begin());
    const auto started = std::upper_bound(s.words.begin(), s.words.end(), nowS,
                                          [](double t, const State::Word& w) { return t < w.startS; });
    const double untilS = record.finished ? std::min(nowS, toSeconds(*record.finished - *s.origin)) : nowS;
    if (started == s.words.begin()) {
        state.starvedS = std::max(0.0, untilS);
        return state;
    }
    const State::Word& word = *std::prev(started);
    const double share = std::min(1.0, (nowS - word.startS) / s.perWordS());
    state.wordsRead = static_cast<double>(started - s.words.begin()) - 1 + share;
    state.leadWords = std::max(0.0, state.wordsArrived - state.wordsRead);
    state.starvedS = word.starvedS;
    state.wordBegin = word.begin;
    state.wordEnd = word.end;
    state.readOffset = share >= 1 ? word.end : word.begin;
    if (share >= 1) // caught up: everything that came is read
        state.starvedS += std::max(0.0, untilS - (word.startS + s.perWordS()));
    return state;
}

} // namespace decodescope
