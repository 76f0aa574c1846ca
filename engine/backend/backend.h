#pragma once

#include "engine/base/error.h"
#include "engine/model/model_plan.h"
#include "engine/tokenizer/tokenizer.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

/// What executes a plan: the processor (engine/cpu), the scalar oracle (engine/reference), later a GPU's library.
/// One thread calls it, the scheduler's.
namespace decodescope::engine {

/// Positions of one sequence are kept in blocks of this many; a sequence lists its blocks in order.
inline constexpr std::uint32_t kKvBlockTokens = 32;

enum class KvType : std::uint8_t { f16, q8 };

struct BackendOptions {
    int threads = 0;              ///< 0: tuned at load, one core left free
    std::uint32_t kvBlocks = 64;  ///< blocks of the cache, all sequences together
    std::uint32_t maxRows = 256;  ///< most rows (tokens) of a step
    std::uint32_t maxLogitsRows = 64; ///< most rows of a step that want logits
    KvType kvType = KvType::f16;
    std::uint32_t device = 0; ///< of several GPUs: which
};

/// One sequence's share of a step: consecutive tokens, the first at `firstPosition`. Rows see earlier positions of
/// the sequence through `blocks`, which covers 0 ... firstPosition + tokens.size() - 1.
struct SequenceSlice {
    std::span<const TokenId> tokens;
    std::uint32_t firstPosition = 0;
    std::span<const std::uint32_t> blocks;
    std::uint32_t logitsFrom = 0; ///< rows [logitsFrom, tokens.size()) want logits; tokens.size(): none
};

/// A part of a step as it was timed, CLOCK_MONOTONIC.
struct PhaseSpan {
    enum class Phase : std::uint8_t { embed, attention, feedForward, head };
    Phase phase = Phase::embed;
    std::uint16_t layer = 0;
    std::int64_t beginNs = 0;
    std::int64_t endNs = 0;
};

struct StepTimings {
    std::int64_t beginNs = 0, endNs = 0;
    std::int64_t attentionNs = 0;   ///< norm, qkv, attention and its output, all layers
    std::int64_t feedForwardNs = 0; ///< norm, gate, up, down, all layers
    std::int64_t headNs = 0;        ///< final norm and logits
    std::uint64_t weightBytes = 0;  ///< bytes of planes streamed, whatever the number of rows
    std::uint64_t kvBytes = 0;      ///< bytes of keys and values that the rows had to read
    std::vector<PhaseSpan> spans;   ///< in order; empty when spans are off
};

struct StepOutput {
    std::span<const float> logits; ///< (rows wanted, vocabulary), slices in order; valid until the next step
    StepTimings timings;
};

struct BackendFacts {
    std::string device; ///< "cpu: AVX-512 VNNI, 2 threads"
    int threads = 1;
    std::uint64_t weightBytes = 0;     ///< planes read by one decode step
    std::uint64_t kvBytesPerToken = 0; ///< as stored
    std::uint64_t memoryBytes = 0;     ///< planes, cache and scratch
    double readBandwidthGBps = 0;      ///< measured at load with the threads in use
};

class Backend {
public:
    virtual ~Backend() = default;
    /// Runs all slices through the model once. Token ids and positions were checked by the caller; they are checked
    /// again here before every table look-up (ErrorCode::internal). ErrorCode::cancelled when `cancel` said so.
    [[nodiscard]] virtual Result<StepOutput> step(std::span<const SequenceSlice> slices) = 0;
    /// Copies the first `tokens` positions of a block: a shared prefix that ends inside a block.
    virtual void copyBlock(std::uint32_t from, std::uint32_t to, std::uint32_t tokens) = 0;
    [[nodiscard]] virtual BackendFacts facts() const = 0;
    /// Whether steps record PhaseSpans (on by default).
    virtual void recordSpans(bool on) = 0;
};

/// Called while weights are repacked: done and total bytes. Return false to stop (ErrorCode::cancelled).
using LoadProgress = std::function<bool(std::uint64_t done, std::uint64_t total)>;

/// A pointer to an implementation's maker: makeReferenceBackend, makeCpuBackend.
using BackendMaker = Result<std::unique_ptr<Backend>> (*)(const ModelPlan& plan, const BackendOptions& options,
                                                          const LoadProgress& progress);

} // namespace decodescope::engine
