#pragma once

#include "engine/cpu/cpu_model.h"
#include "engine/cpu/kv_cache.h"
#include "engine/cpu/row_kernels.h"
#include "engine/cpu/step_rows.h"
#include "engine/cpu/work_queue.h"

#include <cstdint>
#include <vector>

namespace decodescope::engine {

/// Attention of a layer, shared out over threads: tiles of (row, head) pairs that read the same kv head. A row's
/// positions are taken in chunks of fixed bounds whose results are merged in order, so that neither the number of
/// threads nor the rows beside it change a row's result. Where there are fewer tiles than threads would like, the
/// chunks themselves are shared out.
class Attention {
public:
    Attention(const CpuModel& model, KvCache& cache, Isa isa);

    /// Before a step, on one thread: what there is to do for the rows of all layers, and of the last.
    void plan(const StepRows& rows, int threads);
    /// Bytes of working memory for so many threads; `reserve` allocates them.
    [[nodiscard]] std::uint64_t scratchBytes(int threads) const noexcept;
    void reserve(int threads);

    struct Layer {
        const CpuLayer* layer = nullptr;
        std::uint32_t index = 0;
        bool wantedRowsOnly = false;
        const float* queries = nullptr; ///< (rows, heads * headSize), rotated
        std::size_t queryStride = 0;
        float* out = nullptr; ///< (active rows, heads * headSize)
        std::size_t outStride = 0;
    };
    /// On every thread of a region. Between `run` and `finish` the threads must meet if needsFinish says so.
    void run(const Layer& layer, WorkQueue& queue, int thread);
    [[nodiscard]] bool needsFinish(bool wantedRowsOnly) const noexcept { return work(wantedRowsOnly).split; }
    void finish(const Layer& layer, int thread, int threads);

    /// Positions of a chunk.
    static constexpr std::uint32_t kChunk = 256;

private:
    /// (row, head of the group) pairs [begin, begin + count) of a run, row by row.
    struct Tile {
        RowRun run;
        std::uint32_t begin = 0, count = 0;
        std::uint32_t chunks = 1; ///< up to the tile's last position
    };
    struct Work {
        std::vector<Tile> tiles;
        bool split = false;
        std::uint32_t chunks = 1; ///< the most of any tile
    };
    /// Results of one tile and chunk.
    struct Part {
        float* greatest;
        float* weight;
        float* values;
    };
    /// What one thread needs for a tile: inputs, and two results.
    struct Scratch {
        std::vector<float> queries;
        std::vector<float> parts;
    };

    [[nodiscard]] const Work& work(bool wantedRowsOnly) const noexcept { return wantedRowsOnly ? m_wanted : m_all; }
    void planFor(const ActiveRows& active, int threads, Work& work) const;
    [[nodiscard]] std::size_t partFloats() const noexcept;
    [[nodiscard]] Part part(float* base, std::size_t index) const noexcept;
    void gatherQueries(const Layer& layer, const Tile& tile, std::uint32_t kvHead, float* out) const;
    void attend(const Layer& layer, const Tile& tile, std::uint32_t kvHead, std::uint32_t chunk, const float* queries,
                Part into) const;
    void mergeInto(Part sum, Part other, std::uint32_t rows) const;
    void write(const Layer& layer, const Tile& tile, std::uint32_t kvHead, Part from) const;

    const CpuModel& m_model;
    KvCache& m_cache;
    const RowKernels& m_kernels;
    std::uint32_t m_group;      // heads per kv head
    std::uint32_t m_paddedHead; // as the cache pads it
    Work m_all, m_wanted;
    std::vector<Scratch> m_scratch; // per thread
    std::vector<float> m_parts;     // of split work
};

} // namespace decodescope::engine
