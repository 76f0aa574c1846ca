#pragma once

#include "core/record/run_record.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace decodescope {

/// Makes a RunRecord by hand, token by token.
class RecordBuilder {
public:
    RecordBuilder() {
        m_record->clock = ClockSource::kernel;
        m_record->started = m_now;
        m_record->connected = m_now;
        m_record->sent = m_now;
        m_record->outcome = Outcome::running;
    }

    /// One token event, `gapMs` after the one before; a gap of nothing shares the read before it.
    RecordBuilder& token(std::string_view text, double gapMs = 20, Channel channel = Channel::answer) {
        RunRecord& r = *m_record;
        m_now += fromSeconds(gapMs / 1000);
        if (gapMs > 0 || r.events.empty())
            ++r.reads;
        if (r.spans.empty() || r.spans.back().channel != channel)
            r.spans.push_back({static_cast<std::uint32_t>(r.transcript.size()), channel});
        TokenEvent event;
        event.at = m_now;
        event.read = r.reads;
        event.message = r.messages++;
        event.textBegin = static_cast<std::uint32_t>(r.transcript.size());
        r.transcript += text;
        event.textEnd = static_cast<std::uint32_t>(r.transcript.size());
        event.channels = static_cast<std::uint8_t>(1U << static_cast<unsigned>(channel));
        event.tokens.ids = 1;
        r.events.push_back(event);
        return *this;
    }

    /// A text cut into words with the space before each, as tokenizers do.
    RecordBuilder& words(std::string_view text, double gapMs = 20) {
        std::size_t begin = 0;
        for (std::size_t i = 1; i <= text.size(); ++i) {
            if (i == text.size() || text[i] == ' ' || text[i] == '\n') {
                token(text.substr(begin, i - begin), gapMs);
                begin = i;
            }
        }
        return *this;
    }

    /// An event of another choice: no text in the transcript.
    RecordBuilder& otherChoice(double gapMs = 20) {
        m_now += fromSeconds(gapMs / 1000);
        TokenEvent event;
        event.at = m_now;
        event.read = ++m_record->reads;
        event.message = m_record->messages++;
        event.channels = 1;
        m_record->events.push_back(event);
        return *this;
    }

    RecordBuilder& wait(double ms) {
        m_now += fromSeconds(ms / 1000);
        return *this;
    }

    [[nodiscard]] Instant now() const { return m_now; }
    [[nodiscard]] RunRecord& record() { return *m_record; }
    [[nodiscard]] std::shared_ptr<RunRecord> shared() { return m_record; }

private:
    std::shared_ptr<RunRecord> m_record = std::make_shared<RunRecord>();
    Instant m_now = instantFromNs(1'000'000'000);
};

} // namespace decodescope
