#pragma once

#include "engine/backend/backend.h"
#include "engine/cpu/activation_rows.h"
#include "engine/cpu/attention.h"
#include "engine/cpu/cpu_model.h"
#include "engine/cpu/kv_cache.h"
#include "engine/cpu/row_kernels.h"
#include "engine/cpu/step_rows.h"
#include "engine/cpu/thread_pool.h"
#include "engine/cpu/work_queue.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace decodescope::engine {

/// One step of a model: a single parallel region whose phases meet at barriers. What happens to a row does not depend
/// on the rows beside it or on the number of threads, so batches, chunks and prefixes give the same logits bit by bit.
///
/// With one or two rows each thread keeps the residual for itself and repeats the cheap parts (adding, norm,
/// quantising) in place of waiting for others; with more, the rows are shared out.
class StepRunner {
public:
    StepRunner(const CpuModel& model, KvCache& cache, Isa isa, const BackendOptions& options);

    /// Bytes that the runner will allocate for steps on so many threads.
    [[nodiscard]] std::uint64_t scratchBytes(int threads) const noexcept;
    /// Allocates for steps on this pool; may be called again with another.
    void usePool(ThreadPool& pool);
    /// Slices were checked; `logits` of the result are valid until the next step. weightBytes and kvBytes are left to
    /// the caller.
    [[nodiscard]] StepOutput run(std::span<const SequenceSlice> slices, bool recordSpans);

private:
    /// What was computed for a residual but not yet added to it: (active rows, embedding), and its own norm.
    struct Pending {
        const float* rows = nullptr; ///< null: nothing
        const CpuNorm* norm = nullptr;
    };
    /// A linear layer and where its outputs go, (rows, stride).
    struct Product {
        const CpuLinear* linear = nullptr;
        float* out = nullptr;
        std::size_t stride = 0;
    };
    /// What a thread has for itself.
    struct alignas(64) Own {
        std::uint32_t phase = 0;
        std::vector<float> residual;        ///< (kPrivateRows, embedding)
        std::vector<float> addend;          ///< (embedding)
        ActivationRows model, attended;     ///< (kPrivateRows, ...)
        std::vector<ActivationRows> hidden; ///< one of each width
    };
    static constexpr std::uint32_t kPrivateRows = 2;
    /// Up to so many rows a step is bound by the stream of weights: fixed shares keep each thread at the pages that
    /// it touched first. More rows are arithmetic: small pieces to whoever is free.
    static constexpr std::uint32_t kStreamRows = 16;

    void thread(int index);
    void embed(int index);
    void layer(int index, std::uint32_t number, Pending& pending);
    void head(int index, const Pending& pending);

    const ActivationRows& normed(int index, const CpuNorm& norm, const ActiveRows& active, const Pending& pending,
                                 bool quantized);
    void addPending(Own& own, const Pending& pending, std::uint32_t activeRow, float* residual) const;
    const ActivationRows& prepared(int index, ActivationRows& shared, ActivationRows& own, bool quantized);
    void products(int index, std::span<const Product> products, const ActivationRows& x);
    void productGroups(const Product& product, const ActivationRows& x, std::uint32_t begin, std::uint32_t end) const;
    void gateUp(int index, const CpuLayer& layer, const ActivationRows& x, ActivationRows& hidden);
    void gateUpGroups(const CpuLayer& layer, const ActivationRows& x, ActivationRows& hidden, std::uint32_t begin,
                      std::uint32_t end);
    template <class Each> void eachPiece(int index, std::uint32_t groups, std::uint32_t rows, Each each);
    void rotateAndStore(int index, std::uint32_t number);
    void stamp(int index, PhaseSpan::Phase phase, std::uint32_t number);
    [[nodiscard]] Own& own(int index) noexcept { return m_own[static_cast<std::size_t>(index)]; }
    [[nodiscard]] std::size_t hiddenIndex(const CpuLayer& layer) const noexcept;

    const CpuModel& m_model;
    KvCache& m_cache;
    const Isa m_isa;
    const RowKernels& m_kernels;
    const BackendOptions m_options;
    ThreadPool* m_pool = nullptr;
    Attention m_attention;
    std::unique_ptr<WorkQueues> m_queues;
    std::vector<Own> m_own;
    StepRows m_rows;
    bool m_private = false; ///< this step's residuals are the threads' own
    bool m_recordSpans = false;
    StepTimings m_timings; ///< written by thread 0
    std::int64_t m_lastStamp = 0;

    std::vector<std::uint32_t> m_hiddenWidths;
    std::size_t m_queryStride, m_keyStride, m_modelStride;
    std::vector<float> m_residual;                       ///< (maxRows, embedding)
    std::vector<float> m_queries, m_keys, m_values;      ///< (maxRows, ...)
    std::vector<float> m_attentionOut, m_feedForwardOut; ///< (maxRows, embedding)
    std::vector<float> m_gate, m_up;                     ///< (maxRows, feedForward)
    ActivationRows m_modelRows, m_attended, m_headRows;
    std::vector<ActivationRows> m_hidden;     ///< one of each width
    std::vector<std::vector<float>> m_angles; ///< per rope: (maxRows, cosines then sines)
    std::unique_ptr<float[]> m_logits;        ///< (maxLogitsRows, vocabulary), touched as it is needed
};

} // namespace decodescope::engine
