#pragma once

#include "core/record/run_record.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

/// Builds RunRecords for tests, as RunRecorder would have left them. Times are seconds after t0.
///   RunBuilder().ttft(0.2).tokens(500).until(2.3).build()
/// is a complete run of 500 evenly spaced events whose usage says 500 tokens.
namespace decodescope::test {

class RunBuilder {
public:
    RunBuilder() {
        m_record.spec.laneName = "A";
        m_record.spec.endpoint.url = "http://127.0.0.1:1/v1/chat/completions";
        m_record.spec.endpoint.model = "test";
        m_record.route = m_record.spec.endpoint.url;
        m_record.startedUtc = "2026-01-02T03:04:05.000Z";
        m_record.started = kStart;
        m_record.connected = kStart;
        m_record.sent = kStart;
        m_record.head = ResponseHead{200, "1.1", {{"content-type", "text/event-stream"}}};
        m_record.outcome = Outcome::complete;
        m_record.finish = "length";
    }

    // Who and what.
    RunBuilder& lane(std::string name, int index = 0) {
        m_record.spec.laneName = std::move(name);
        m_record.lane = index;
        return *this;
    }
    RunBuilder& protocol(std::string name) { return set(m_record.spec.endpoint.protocol, std::move(name)); }
    RunBuilder& maxTokens(int n) { return set(m_record.spec.sampling.maxTokens, std::optional(n)); }
    RunBuilder& repeat(int number) { return set(m_record.repeat, number); }
    RunBuilder& warmup() { return set(m_record.warmup, true); }
    RunBuilder& clock(ClockSource source) { return set(m_record.clock, source); }

    // Milestones.
    RunBuilder& connectedAt(double s) { return set(m_record.connected, std::optional(at(s))); }
    RunBuilder& sentAt(double s) { return set(m_record.sent, std::optional(at(s))); }
    RunBuilder& firstByteAt(double s) { return set(m_record.firstByte, std::optional(at(s))); }

    // Evenly spaced tokens: the first at ttft, the last at until.
    RunBuilder& ttft(double s) { return set(m_ttft, s); }
    RunBuilder& tokens(int n) { return set(m_tokens, n); }
    RunBuilder& until(double s) { return set(m_until, std::optional(s)); }

    /// One token event in a read of its own. `k`: its tokens, told as token ids; 0: not told.
    RunBuilder& event(double s, std::uint32_t k = 0, const std::string& text = "word ",
                      Channel channel = Channel::answer) {
        ++m_record.reads;
        return sameRead(s, k, text, channel);
    }
    /// One more event completed by the last read.
    RunBuilder& sameRead(double s, std::uint32_t k = 0, const std::string& text = "word ",
                         Channel channel = Channel::answer) {
        TokenEvent e;
        e.at = at(s);
        e.read = m_record.reads == 0 ? 0 : m_record.reads - 1;
        e.message = m_record.messages++;
        e.textBegin = static_cast<std::uint32_t>(m_record.transcript.size());
        m_record.transcript += text;
        e.textEnd = static_cast<std::uint32_t>(m_record.transcript.size());
        e.channels = static_cast<std::uint8_t>(1U << static_cast<unsigned>(channel));
        e.tokens.ids = k;
        if (m_record.spans.empty() || m_record.spans.back().channel != channel)
            m_record.spans.push_back({e.textBegin, channel});
        m_record.events.push_back(e);
        return *this;
    }
    /// The last event again, to say more of it.
    TokenEvent& last() { return m_record.events.back(); }

    /// A hiccup of ours.
    RunBuilder& hiccup(double due, double woke) {
        m_record.hiccups.push_back({at(due), at(woke)});
        return *this;
    }

    // What the server said at the end.
    RunBuilder& usage(std::optional<std::uint64_t> completion, std::optional<std::uint64_t> prompt = {},
                      std::optional<std::uint64_t> reasoning = {}, std::optional<std::uint64_t> cached = {}) {
        m_record.usage = UsageReport{prompt, completion, reasoning, cached};
        return *this;
    }
    RunBuilder& noUsage() { return set(m_noUsage, true); }
    RunBuilder& finish(std::optional<std::string> reason) { return set(m_record.finish, std::move(reason)); }
    RunBuilder& outcome(Outcome how) { return set(m_record.outcome, how); }
    RunBuilder& failed(ErrorKind kind, std::string message, std::optional<int> status = {}) {
        StreamEnd end;
        end.verdict = StreamEnd::Verdict::error;
        end.kind = kind;
        end.message = std::move(message);
        end.httpStatus = status;
        m_record.end = std::move(end);
        m_record.outcome = Outcome::error;
        m_record.finish.reset();
        return *this;
    }
    RunBuilder& finishedAt(double s) { return set(m_finished, std::optional(s)); }
    RunBuilder& warning(std::string name) {
        m_record.warnings.push_back(std::move(name));
        return *this;
    }
    /// Anything that has no word of its own here.
    RunRecord& record() { return m_record; }

    [[nodiscard]] RunRecord build() {
        for (int i = 0; i < m_tokens; ++i) {
            const double share = m_tokens > 1 ? static_cast<double>(i) / (m_tokens - 1) : 0;
            event(m_ttft + share * (m_until.value_or(m_ttft) - m_ttft));
        }
        if (m_tokens > 0 && !m_record.usage && !m_noUsage)
            usage(static_cast<std::uint64_t>(m_tokens));
        m_tokens = 0;
        if (!m_record.choices.contains(0))
            m_record.choices[0] = {m_record.text(Channel::answer), m_record.finish};
        if (!m_record.firstByte && !m_record.events.empty())
            m_record.firstByte = m_record.events.front().at;
        if (m_record.outcome != Outcome::running && m_record.outcome != Outcome::interrupted) {
            const Instant lastEvent = m_record.events.empty() ? kStart : m_record.events.back().at;
            m_record.finished = m_finished ? at(*m_finished) : m_until ? std::max(at(*m_until), lastEvent) : lastEvent;
            if (!m_record.end)
                m_record.end = StreamEnd{};
        }
        return m_record;
    }
    [[nodiscard]] std::shared_ptr<RunRecord> shared() { return std::make_shared<RunRecord>(build()); }

    static Instant at(double s) { return kStart + fromSeconds(s); }

private:
    template <class T, class V> RunBuilder& set(T& member, V&& value) {
        member = std::forward<V>(value);
        return *this;
    }
    static constexpr Instant kStart{Duration(5'000'000'000)};

    RunRecord m_record;
    double m_ttft = 0.2;
    int m_tokens = 0;
    bool m_noUsage = false;
    std::optional<double> m_until, m_finished;
};

} // namespace decodescope::test
