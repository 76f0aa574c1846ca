#include "core/source/synthetic_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numbers>
#include <string_view>
#include <utility>

namespace decodescope {
namespace {

constexpr std::array<std::string_view, 48> kWords{
    "the",   "river", "of",    "light", "runs",    "over",   "stone", "and",   "under", "quiet", "bridges", "where",
    "small", "boats", "carry", "news",  "from",    "one",    "shore", "to",    "the",   "next",  "each",    "wave",
    "keeps", "its",   "own",   "time",  "while",   "clocks", "on",    "every", "tower", "agree", "that",    "morning",
    "comes", "early", "in",    "café",  "gardens", "with",   "bread", "warm",  "tea",   "naïve", "plans",   "again"};

/// A small generator of our own: the library's distributions differ from one library to the next.
class Random {
public:
    explicit Random(std::uint64_t seed)
        : m_state(seed) {}

    std::uint64_t bits() { // splitmix64
        std::uint64_t z = m_state += 0x9E3779B97F4A7C15U;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
        return z ^ (z >> 31);
    }
    double uniform() { return static_cast<double>((bits() >> 11) + 1) * 0x1p-53; } // (0, 1]
    double normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform()); }

private:
    std::uint64_t m_state;
};

/// Text that needs no escape inside a JSON string.
std::string plain(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '"' || c == '\\' || (c >= 0 && c < ' '); }, '_');
    return text;
}

struct Event {
    Duration at{};
    std::uint32_t tokensSoFar = 0;
    std::string json;
};

} // namespace

struct SyntheticStream::State {
    explicit State(SyntheticSpec s)
        : spec(std::move(s))
        , random(spec.seed) {
        spec.model = plain(std::move(spec.model));
        spec.finish = plain(std::move(spec.finish));
        spec.tokensPerEvent = std::max(1U, spec.tokensPerEvent);
        spec.eventsPerRead = std::max(1U, spec.eventsPerRead);
        tokenTime = spec.tokensPerS > 0 ? 1 / spec.tokensPerS : 0;
        clockS = spec.ttftMs / 1e3;
        upcoming = makeEvent();
    }

    SyntheticSpec spec;
    Random random;
    double tokenTime = 0;        // mean, in seconds
    double clockS = 0;           // when the next token is made
    std::uint32_t made = 0;      // tokens
    std::uint32_t delivered = 0; // tokens, in reads already handed out
    bool headSent = false;
    bool tailSent = false;
    std::optional<Event> upcoming; // the event after the last read
    Duration heldUntil{};          // a delivery stall is on until then
    Duration last{};               // of the last read

    std::string word() {
        std::string text;
        if (made > 0)
            text = made % 17 == 0 ? ". " : " ";
        text += kWords[random.bits() % kWords.size()];
        return text;
    }

    std::optional<Event> makeEvent() {
        if (made >= spec.outputTokens)
            return std::nullopt;
        const bool reasoning = made < spec.reasoningTokens;
        const std::uint32_t upTo =
            std::min(made + spec.tokensPerEvent,
                     reasoning ? std::min(spec.reasoningTokens, spec.outputTokens) : spec.outputTokens);
        Event event;
        std::string text;
        while (made < upTo) {
            text += word();
            ++made;
            event.at = fromSeconds(clockS);
            clockS += tokenTime * std::max(0.05, 1 + spec.jitter * random.normal());
            for (const SyntheticStall& stall : spec.stalls) {
                if (stall.kind == SyntheticStall::Kind::generation && stall.afterToken == made)
                    clockS += stall.lengthMs / 1e3;
            }
        }
        event.tokensSoFar = made;
        const std::string delta = fmt::format(R"({{"{}":"{}"}})", reasoning ? "reasoning_content" : "content", text);
        event.json = message(delta, "null", spec.continuousUsage ? usage(made) : "");
        return event;
    }

    std::string message(std::string_view delta, std::string_view finish, const std::string& usageMember) const {
        return fmt::format(R"(data: {{"id":"chatcmpl-{:08x}","object":"chat.completion.chunk","created":1700000000,)"
                           R"("model":"{}","choices":[{{"index":0,"delta":{},"finish_reason":{}}}]{}}})"
                           "\n\n",
                           static_cast<std::uint32_t>(spec.seed), spec.model, delta, finish, usageMember);
    }

    std::string usage(std::uint32_t completion) const {
        return fmt::format(R"(,"usage":{{"prompt_tokens":{},"completion_tokens":{},"total_tokens":{}}})",
                           spec.promptTokens, completion, std::uint64_t{spec.promptTokens} + completion);
    }

    static std::string httpChunk(std::string_view data) { return fmt::format("{:x}\r\n{}\r\n", data.size(), data); }

    SyntheticRead head() {
        headSent = true;
        last = fromSeconds(std::min(spec.ttfbMs, spec.ttftMs) / 1e3);
        return {last, "HTTP/1.1 200 OK\r\nServer: synthetic\r\nContent-Type: text/event-stream\r\n"
                      "Transfer-Encoding: chunked\r\n\r\n" +
                          httpChunk(message(R"({"role":"assistant","content":""})", "null", ""))};
    }

    SyntheticRead tail() {
        tailSent = true;
        const bool stopped = spec.finish == "stop";
        if (stopped) // the end token takes its time like any other
            last = std::max(last, fromSeconds(clockS));
        std::string text = message("{}", fmt::format("\"{}\"", spec.finish), "");
        if (spec.usage)
            text += fmt::format(R"(data: {{"id":"chatcmpl-{:08x}","object":"chat.completion.chunk",)"
                                R"("created":1700000000,"model":"{}","choices":[]{}}})"
                                "\n\n",
                                static_cast<std::uint32_t>(spec.seed), spec.model, usage(made + (stopped ? 1 : 0)));
        text += "data: [DONE]\n\n";
        return {last, httpChunk(text) + "0\r\n\r\n"};
    }

    SyntheticRead body() {
        const Duration held = heldUntil;
        const bool isHeld = upcoming->at < held;
        const std::uint32_t before = delivered;
        SyntheticRead read;
        read.at = isHeld ? held : upcoming->at;
        const auto belongs = [&](std::uint32_t count) {
            return upcoming && (isHeld ? upcoming->at < held : count < spec.eventsPerRead);
        };
        for (std::uint32_t count = 0; belongs(count); ++count) {
            delivered = upcoming->tokensSoFar;
            read.at = std::max(read.at, upcoming->at);
            read.bytes += httpChunk(upcoming->json);
            upcoming = makeEvent();
        }
        for (const SyntheticStall& stall : spec.stalls) {
            if (stall.kind == SyntheticStall::Kind::delivery && stall.afterToken > before &&
                stall.afterToken <= delivered)
                heldUntil = read.at + fromSeconds(stall.lengthMs / 1e3);
        }
        last = std::max(last, read.at);
        read.at = last;
        return read;
    }
};

SyntheticStream::SyntheticStream(SyntheticSpec spec)
    : m_state(std::make_unique<State>(std::move(spec))) {}
SyntheticStream::~SyntheticStream() = default;
SyntheticStream::SyntheticStream(SyntheticStream&&) noexcept = default;
SyntheticStream& SyntheticStream::operator=(SyntheticStream&&) noexcept = default;

std::optional<SyntheticRead> SyntheticStream::next() {
    if (!m_state->headSent)
        return m_state->head();
    if (m_state->upcoming)
        return m_state->body();
    if (!m_state->tailSent)
        return m_state->tail();
    return std::nullopt;
}

} // namespace decodescope
