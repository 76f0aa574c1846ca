#include "tests/engine/scheduler/listener.h"

namespace decodescope::engine {

void Listener::State::hear(GenerationEvent event, const PromptFacts* prompt) {
    const std::lock_guard lock(mutex);
    if ((prompt != nullptr) != events.empty())
        faults += "prompt facts come with the first event and no other\n";
    if (prompt)
        facts = *prompt;
    if (done)
        faults += "an event after the last\n";
    if (event.tokens.empty() && !event.finish)
        faults += "an event of nothing\n";
    if (!event.tokens.empty()) {
        std::uint32_t position = facts.tokens;
        for (const GenerationEvent& earlier : events)
            position += static_cast<std::uint32_t>(earlier.tokens.size());
        if (event.position != position)
            faults += "a position that is not the next\n";
        if (event.kvLength != position + event.tokens.size() - 1)
            faults += "a cache length that is not one less than the tokens\n";
        if (event.sampledAtNs < event.step.beginNs || event.step.endNs > event.sampledAtNs || event.step.id == 0)
            faults += "stamps out of order\n";
        if (event.accepted > event.drafted || event.tokens.size() > event.drafted + 1)
            faults += "more tokens than rows\n";
        if (event.step.rows < event.drafted + 1 || event.step.batch == 0)
            faults += "a step with fewer rows than its event\n";
    }
    done = event.finish.has_value();
    events.push_back(std::move(event));
    if (done)
        ended.notify_all();
}

GenerationSink Listener::sink() {
    GenerationSink sink;
    sink.onEvent = [state = m_state](GenerationEvent event, const PromptFacts* prompt) {
        state->hear(std::move(event), prompt);
    };
    sink.onProgress = [state = m_state](std::uint32_t done, std::uint32_t total) {
        const std::lock_guard lock(state->mutex);
        if (!state->progress.empty() && state->progress.back().first >= done)
            state->faults += "progress that does not progress\n";
        state->progress.emplace_back(done, total);
    };
    return sink;
}

void Listener::wait() {
    std::unique_lock lock(m_state->mutex);
    m_state->ended.wait(lock, [&] { return m_state->done; });
}

std::vector<GenerationEvent> Listener::events() const {
    const std::lock_guard lock(m_state->mutex);
    return m_state->events;
}

PromptFacts Listener::facts() const {
    const std::lock_guard lock(m_state->mutex);
    return m_state->facts;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> Listener::progress() const {
    const std::lock_guard lock(m_state->mutex);
    return m_state->progress;
}

std::vector<TokenId> Listener::ids() const {
    std::vector<TokenId> ids;
    for (const GenerationEvent& event : events())
        for (const SampledToken& token : event.tokens)
            ids.push_back(token.id);
    return ids;
}

std::string Listener::text() const {
    std::string text;
    for (const GenerationEvent& event : events())
        text += event.text;
    return text;
}

std::optional<FinishReason> Listener::finish() const {
    const auto all = events();
    return all.empty() ? std::nullopt : all.back().finish;
}

std::string Listener::message() const {
    const auto all = events();
    return all.empty() ? std::string() : all.back().message;
}

std::string Listener::faults() const {
    const std::lock_guard lock(m_state->mutex);
    return m_state->faults;
}

} // namespace decodescope::engine
