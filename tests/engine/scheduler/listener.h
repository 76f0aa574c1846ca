#pragma once

#include "engine/scheduler/scheduler.h"

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace decodescope::engine {

/// Listens to one request and checks what must hold of any row of events.
class Listener {
public:
    /// May outlive the listener's owner: it shares the state.
    [[nodiscard]] GenerationSink sink();
    /// Until the last event has come.
    void wait();

    [[nodiscard]] std::vector<GenerationEvent> events() const;
    [[nodiscard]] PromptFacts facts() const;
    [[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>> progress() const;
    [[nodiscard]] std::vector<TokenId> ids() const;
    [[nodiscard]] std::string text() const;
    [[nodiscard]] std::optional<FinishReason> finish() const;
    [[nodiscard]] std::string message() const;
    /// What was wrong with the order or the numbers of events; empty when nothing.
    [[nodiscard]] std::string faults() const;

private:
    struct State {
        std::mutex mutex;
        std::condition_variable ended;
        std::vector<GenerationEvent> events;
        std::vector<std::pair<std::uint32_t, std::uint32_t>> progress;
        PromptFacts facts;
        std::string faults;
        bool done = false;
        void hear(GenerationEvent event, const PromptFacts* prompt);
    };
    std::shared_ptr<State> m_state = std::make_shared<State>();
};

} // namespace decodescope::engine
