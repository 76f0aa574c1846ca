#pragma once

#include "engine/scheduler/scheduler.h"

#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <vector>

namespace decodescope::engine {

enum class SpanKind : std::uint8_t {
    queue,
    prefillChunk,
    decodeStep,
    embed,
    attention,
    feedForward,
    head,
    sampling,
    detokenise
};

/// A TraceSpan without its strings: what the scheduler writes while it works.
struct CompactSpan {
    SpanKind kind = SpanKind::decodeStep;
    std::int32_t layer = -1;
    std::uint32_t tokens = 0;
    GenerationId request = 0;
    std::int64_t beginNs = 0, endNs = 0;
};

/// The spans of the last steps. Written once a step, into memory that older steps leave behind.
class TraceRing {
public:
    explicit TraceRing(std::uint32_t steps);

    void addStep(std::uint64_t step, std::span<const CompactSpan> own, std::span<const PhaseSpan> phases);
    /// One measured elsewhere; as many are kept as steps times kMostSequences.
    void add(TraceSpan span);
    /// In order of begin; those measured elsewhere as long as their step is kept.
    [[nodiscard]] std::vector<TraceSpan> spans() const;

    static constexpr std::uint32_t kMostSequences = 16;

private:
    struct Step {
        std::uint64_t id = 0;
        std::vector<CompactSpan> spans;
    };

    mutable std::mutex m_mutex;
    std::uint32_t m_capacity;
    std::vector<Step> m_steps;
    std::size_t m_next = 0;
    std::deque<TraceSpan> m_outside;
};

} // namespace decodescope::engine
