#include "engine/cpu/attention.h"

#include <algorithm>
#include <cstring>

namespace decodescope::engine {

namespace {

std::uint32_t firstSeen(std::uint32_t position, std::uint32_t window) {
    return window && position + 1 > window ? position + 1 - window : 0;
}

} // namespace

Attention::Attention(const CpuModel& model, KvCache& cache, Isa isa)
    : m_model(model)
    , m_cache(cache)
    , m_kernels(rowKernels(isa))
    , m_group(model.heads / model.kvHeads)
    , m_paddedHead(cache.head(0, 0).paddedHead) {}

std::size_t Attention::partFloats() const noexcept {
    return std::size_t{m_kernels.attentionRows} * (m_paddedHead + 2);
}

Attention::Part Attention::part(float* base, std::size_t index) const noexcept {
    float* const own = base + index * partFloats();
    return {own, own + m_kernels.attentionRows, own + 2 * m_kernels.attentionRows};
}

std::uint64_t Attention::scratchBytes(int threads) const noexcept {
    const std::uint64_t chunks = m_cache.blocks() * kKvBlockTokens / kChunk + 1;
    const std::uint64_t mostTiles = 2 * static_cast<std::uint64_t>(threads); // more are not split
    const std::uint64_t parts = threads > 1 ? mostTiles * chunks : 0;
    const std::uint64_t perThread = 2 * partFloats() + std::size_t{m_kernels.attentionRows} * m_paddedHead;
    return sizeof(float) * (parts * partFloats() + static_cast<std::uint64_t>(threads) * perThread);
}

void Attention::reserve(int threads) {
    m_scratch.resize(static_cast<std::size_t>(threads));
    for (Scratch& own : m_scratch) {
        own.queries.resize(std::size_t{m_kernels.attentionRows} * m_paddedHead);
        own.parts.resize(2 * partFloats());
    }
    const std::size_t chunks = std::size_t{m_cache.blocks()} * kKvBlockTokens / kChunk + 1;
    if (threads > 1)
        m_parts.resize(2 * static_cast<std::size_t>(threads) * chunks * partFloats());
}

void Attention::plan(const StepRows& rows, int threads) {
    planFor(rows.all, threads, m_all);
    planFor(rows.wanted, threads, m_wanted);
}

void Attention::planFor(const ActiveRows& active, int threads, Work& work) const {
    work.tiles.clear();
    work.chunks = 1;
    for (const RowRun& run : active.runs) {
        const std::uint32_t pairs = run.count * m_group;
        for (std::uint32_t begin = 0; begin < pairs; begin += m_kernels.attentionRows) {
            const std::uint32_t count = std::min(m_kernels.attentionRows, pairs - begin);
            const std::uint32_t last = run.firstPosition + (begin + count - 1) / m_group;
            const std::uint32_t chunks = last / kChunk + 1;
            work.tiles.push_back({run, begin, count, chunks});
            work.chunks = std::max(work.chunks, chunks);
        }
    }
    const std::size_t items = work.tiles.size() * m_model.kvHeads;
    work.split = threads > 1 && work.chunks > 1 && items < 2 * static_cast<std::size_t>(threads);
}

void Attention::gatherQueries(const Layer& layer, const Tile& tile, std::uint32_t kvHead, float* out) const {
    for (std::uint32_t i = 0; i < tile.count; ++i) {
        const std::uint32_t row = tile.run.first + (tile.begin + i) / m_group;
        const std::uint32_t head = kvHead * m_group + (tile.begin + i) % m_group;
        const float* const from = layer.queries + row * layer.queryStride + std::size_t{head} * m_model.headSize;
        float* const to = out + std::size_t{i} * m_paddedHead;
        for (std::uint32_t k = 0; k < m_model.headSize; ++k)
            to[k] = from[k] * layer.layer->attentionScale;
        std::fill(to + m_model.headSize, to + m_paddedHead, 0.0F);
    }
}

void Attention::attend(const Layer& layer, const Tile& tile, std::uint32_t kvHead, std::uint32_t chunk,
                       const float* queries, Part into) const {
    std::uint32_t first[kMaxTileRows];
    std::uint32_t last[kMaxTileRows];
    for (std::uint32_t i = 0; i < tile.count; ++i) {
        last[i] = tile.run.firstPosition + (tile.begin + i) / m_group;
        first[i] = firstSeen(last[i], layer.layer->slidingWindow);
    }
    const AttentionTile rows{tile.count, queries, first, last, into.greatest, into.weight, into.values};
    const auto attendChunk = m_cache.type() == KvType::f16 ? m_kernels.attendHalf : m_kernels.attendBytes;
    attendChunk(rows, m_cache.head(layer.index, kvHead), tile.run.blocks, chunk * kChunk, (chunk + 1) * kChunk);
}

void Attention::mergeInto(Part sum, Part other, std::uint32_t rows) const {
    for (std::uint32_t i = 0; i < rows; ++i)
        m_kernels.merge(sum.greatest + i, sum.weight + i, sum.values + std::size_t{i} * m_paddedHead, other.greatest[i],
                        other.weight[i], other.values + std::size_t{i} * m_paddedHead, m_paddedHead);
}

void Attention::write(const Layer& layer, const Tile& tile, std::uint32_t kvHead, Part from) const {
    for (std::uint32_t i = 0; i < tile.count; ++i) {
        const std::uint32_t row = tile.run.firstActive + (tile.begin + i) / m_group;
        const std::uint32_t head = kvHead * m_group + (tile.begin + i) % m_group;
        float* const to = layer.out + row * layer.outStride + std::size_t{head} * m_model.headSize;
        std::memcpy(to, from.values + std::size_t{i} * m_paddedHead, m_model.headSize * sizeof(float));
        m_kernels.scale(to, 1.0F / from.weight[i], m_model.headSize);
    }
}

void Attention::run(const Layer& layer, WorkQueue& queue, int thread) {
    const Work& todo = work(layer.wantedRowsOnly);
    Scratch& own = m_scratch[static_cast<std::size_t>(thread)];
    const auto tiles = static_cast<std::uint32_t>(todo.tiles.size());
    const std::uint32_t chunks = todo.split ? todo.chunks : 1;
    const std::uint32_t items = tiles * m_model.kvHeads * chunks;
    // The last tiles of a run see the most positions: they go first, so that the end is even.
    for (std::uint32_t taken = queue.take(); taken < items; taken = queue.take()) {
        const std::uint32_t item = items - 1 - taken;
        const std::uint32_t chunk = item % chunks;
        const std::uint32_t kvHead = item / chunks % m_model.kvHeads;
        const Tile& tile = todo.tiles[item / chunks / m_model.kvHeads];
        if (chunk >= tile.chunks)
            continue;
        gatherQueries(layer, tile, kvHead, own.queries.data());
        if (todo.split) {
            attend(layer, tile, kvHead, chunk, own.queries.data(), part(m_parts.data(), item));
            continue;
        }
        const Part sum = part(own.parts.data(), 0);
        const Part next = part(own.parts.data(), 1);
        const std::uint32_t from =
            firstSeen(tile.run.firstPosition + tile.begin / m_group, layer.layer->slidingWindow) / kChunk;
        attend(layer, tile, kvHead, from, own.queries.data(), sum);
        for (std::uint32_t at = from + 1; at < tile.chunks; ++at) {
            attend(layer, tile, kvHead, at, own.queries.data(), next);
            mergeInto(sum, next, tile.count);
        }
        write(layer, tile, kvHead, sum);
    }
}

void Attention::finish(const Layer& layer, int thread, int threads) {
    const Work& todo = work(layer.wantedRowsOnly);
    const auto tiles = static_cast<std::uint32_t>(todo.tiles.size());
    const Share share = shareOf(tiles * m_model.kvHeads, thread, threads);
    for (std::uint32_t item = share.begin; item < share.end; ++item) {
        const Tile& tile = todo.tiles[item / m_model.kvHeads];
        const Part sum = part(m_parts.data(), std::size_t{item} * todo.chunks);
        for (std::uint32_t chunk = 1; chunk < tile.chunks; ++chunk)
            mergeInto(sum, part(m_parts.data(), std::size_t{item} * todo.chunks + chunk), tile.count);
        write(layer, tile, item % m_model.kvHeads, sum);
    }
}

} // namespace decodescope::engine
