#pragma once

#include "tests/engine/scheduler/fake_backend.h"
#include "tests/engine/scheduler/fake_tokenizer.h"
#include "tests/engine/scheduler/listener.h"

#include <memory>
#include <thread>
#include <vector>

namespace decodescope::engine {

/// A scheduler over the fake model.
struct Rig {
    explicit Rig(const SchedulerOptions& wanted = plainOptions(), const FakeModel& wantedModel = {})
        : options(wanted)
        , model(wantedModel) {}

    [[nodiscard]] static SchedulerOptions plainOptions() {
        SchedulerOptions options;
        options.kvBlocks = 64;
        options.contextLength = 400;
        return options;
    }

    /// After hooks were set in `watch`, which the scheduler's thread reads.
    void start() {
        BackendOptions backend;
        backend.kvBlocks = options.kvBlocks;
        backend.maxRows = options.maxRows;
        backend.maxLogitsRows = options.maxLogitsRows;
        scheduler =
            std::make_unique<Scheduler>(std::make_unique<FakeBackend>(model, backend, watch), tokenizer, options);
    }

    /// Submits and waits for the end.
    Listener run(const GenerationRequest& request) {
        Listener listener;
        if (scheduler->submit(request, listener.sink()))
            listener.wait();
        return listener;
    }

    /// For hooks: a failed check is found by watch->faults(), since only the test's own thread may use QVERIFY.
    void check(bool holds) const {
        if (!holds)
            watch->fault("a check of the test failed in a hook");
    }

    /// Statistics once the thread has closed its books: all requests ended.
    [[nodiscard]] SchedulerStats settled() const {
        SchedulerStats stats = scheduler->stats();
        while (stats.running + stats.waiting > 0) {
            std::this_thread::yield();
            stats = scheduler->stats();
        }
        return stats;
    }

    SchedulerOptions options;
    FakeModel model;
    FakeTokenizer tokenizer;
    std::shared_ptr<FakeWatch> watch = std::make_shared<FakeWatch>();
    std::unique_ptr<Scheduler> scheduler;
};

/// Greedy, to its full length whatever it says.
[[nodiscard]] inline GenerationRequest greedyRequest(std::vector<TokenId> prompt, std::uint32_t maxTokens) {
    GenerationRequest request;
    request.prompt = std::move(prompt);
    request.maxTokens = maxTokens;
    request.sampling.temperature = 0;
    request.ignoreEos = true;
    return request;
}

/// `size` tokens that repeat themselves only after a while; different for each `salt`.
[[nodiscard]] inline std::vector<TokenId> promptOf(std::size_t size, int salt = 0) {
    std::vector<TokenId> prompt(size);
    for (std::size_t i = 0; i < size; ++i)
        prompt[i] = 2 + static_cast<TokenId>((i * i + 3 * i + static_cast<std::size_t>(salt) * 5) % 22);
    return prompt;
}

} // namespace decodescope::engine
