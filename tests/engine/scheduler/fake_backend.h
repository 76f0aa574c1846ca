#pragma once

#include "engine/backend/backend.h"
#include "engine/scheduler/generation.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace decodescope::engine {

/// A model whose next token is a fixed function of the last tokens, or of all of them.
struct FakeModel {
    int vocabulary = 26;
    int memory = 2; ///< how many tokens count; 0: all
    std::uint64_t seed = 1;
    float endBonus = 0; ///< added to the end token's logit

    [[nodiscard]] static std::uint64_t grow(std::uint64_t prefix, TokenId token);
    /// `prefix`: grow() over all tokens.
    [[nodiscard]] std::vector<float> logits(std::uint64_t prefix, std::span<const TokenId> lastTokens) const;
    [[nodiscard]] std::vector<float> logits(std::span<const TokenId> tokens) const;
    /// What a request is to get, one token after another, without any scheduler.
    [[nodiscard]] std::vector<TokenId> answer(const GenerationRequest& request, std::uint32_t maxTokens) const;
};

/// What the test and the backend share.
struct FakeWatch {
    std::function<void(std::uint64_t step, std::span<const SequenceSlice> slices)> onStep; ///< before it computes
    std::function<bool(std::uint64_t step)> failStep;                                      ///< true: it fails
    std::function<bool(std::uint32_t position)> spoilRow; ///< true: logits of no number
    std::uint64_t steps = 0;                              // these are the scheduler thread's until it is gone
    std::uint64_t copies = 0;
    std::uint32_t mostRows = 0;
    bool recording = true;

    void fault(const std::string& what);
    [[nodiscard]] std::string faults() const; ///< what was wrong with the steps, empty when nothing

private:
    mutable std::mutex m_mutex;
    std::string m_faults;
};

/// Keeps tokens where a real backend keeps keys and values, so that a wrong block table gives wrong tokens, and checks
/// every slice: blocks cover the positions, hold what came before, and are written by one sequence alone.
class FakeBackend final : public Backend {
public:
    FakeBackend(const FakeModel& model, const BackendOptions& options, std::shared_ptr<FakeWatch> watch);

    [[nodiscard]] Result<StepOutput> step(std::span<const SequenceSlice> slices) override;
    void copyBlock(std::uint32_t from, std::uint32_t to, std::uint32_t tokens) override;
    [[nodiscard]] BackendFacts facts() const override;
    void recordSpans(bool on) override { m_watch->recording = on; }

private:
    struct Place {
        TokenId token = -1;
        std::uint32_t position = UINT32_MAX;
        std::uint64_t prefix = 0; // grow() up to and with the token
    };
    [[nodiscard]] Place& at(const SequenceSlice& slice, std::uint32_t position);
    void checkShape(std::span<const SequenceSlice> slices);
    void run(const SequenceSlice& slice);

    FakeModel m_model;
    BackendOptions m_options;
    std::shared_ptr<FakeWatch> m_watch;
    std::vector<Place> m_places;
    std::vector<float> m_logits;
};

} // namespace decodescope::engine
