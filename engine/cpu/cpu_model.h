#pragma once

#include "engine/backend/backend.h"
#include "engine/cpu/arena.h"
#include "engine/cpu/plane.h"
#include "engine/cpu/rope_table.h"
#include "engine/cpu/thread_pool.h"
#include "engine/model/model_plan.h"

#include <cstdint>
#include <vector>

/// A plan with its weights repacked: what the steps of the processor's backend read.
namespace decodescope::engine {

struct CpuLinear {
    Plane plane;
    std::vector<float> bias; ///< empty: none
};

struct CpuNorm {
    std::vector<float> weight; ///< empty: no norm
    float epsilon = 1e-5F;
    [[nodiscard]] bool present() const noexcept { return !weight.empty(); }
};

struct CpuLayer {
    CpuNorm attentionNorm, queryNorm, keyNorm, attentionPostNorm;
    CpuLinear q, k, v, output;
    std::uint32_t rope = 0; ///< index into CpuModel::ropes
    float attentionScale = 1.0F;
    std::uint32_t slidingWindow = 0;
    CpuNorm feedForwardNorm, feedForwardPostNorm;
    CpuLinear gate, up, down;
    Activation activation = Activation::silu;
};

struct CpuModel {
    const TensorView* embeddingTable = nullptr; ///< read from the file, row by row
    float embeddingScale = 1.0F;
    std::uint32_t embedding = 0, heads = 0, kvHeads = 0, headSize = 0, feedForward = 0, vocabulary = 0;
    std::vector<CpuLayer> layers;
    std::vector<RopeTable> ropes; ///< the different rotations of the layers
    CpuNorm finalNorm;
    CpuLinear head;
    Arena planes;
    std::uint64_t planeBytes = 0;         ///< of all planes together: what one step streams
    std::uint64_t planeBytesOfLogits = 0; ///< those that a step without logits leaves alone
};

/// Repacks every weight of the plan with the pool's threads, each its own share in the order in which the threads of
/// steps have theirs, so that pages are first touched about where they will be read. ErrorCode::internal for a plan
/// that is not a stack of such layers, ::memory,
/// ::unsupported, ::cancelled.
[[nodiscard]] Result<CpuModel> loadCpuModel(const ModelPlan& plan, Isa isa, ThreadPool& pool,
                                            const LoadProgress& progress);

} // namespace decodescope::engine
