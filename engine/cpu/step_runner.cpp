#include "engine/cpu/step_runner.h"

#include "engine/base/steady_time.h"
#include "engine/cpu/multiply.h"
#include "engine/gguf/dequantize.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace decodescope::engine {

namespace {

/// A row of outputs begins a cache line, and groups padded with rows end within it.
std::size_t strideOf(std::uint32_t outputs) {
    return (std::size_t{outputs} + 31) / 32 * 32;
}

bool quantized(const CpuLinear& linear) {
    return readsQuants(linear.plane.kind);
}

} // namespace

StepRunner::StepRunner(const CpuModel& model, KvCache& cache, Isa isa, const BackendOptions& options)
    : m_model(model)
    , m_cache(cache)
    , m_isa(isa)
    , m_kernels(rowKernels(isa))
    , m_options(options)
    , m_attention(model, cache, isa)
    , m_queryStride(strideOf(model.heads * model.headSize))
    , m_keyStride(strideOf(model.kvHeads * model.headSize))
    , m_modelStride(strideOf(model.embedding)) {
    for (const CpuLayer& layer : model.layers)
        if (std::find(m_hiddenWidths.begin(), m_hiddenWidths.end(), layer.down.plane.cols) == m_hiddenWidths.end())
            m_hiddenWidths.push_back(layer.down.plane.cols);
}

std::size_t StepRunner::hiddenIndex(const CpuLayer& layer) const noexcept {
    return static_cast<std::size_t>(std::find(m_hiddenWidths.begin(), m_hiddenWidths.end(), layer.down.plane.cols) -
                                    m_hiddenWidths.begin());
}

std::uint64_t StepRunner::scratchBytes(int threads) const noexcept {
    std::uint64_t hidden = 0;
    for (const std::uint32_t width : m_hiddenWidths)
        hidden += width;
    // A column of ActivationRows takes 4 bytes as f32 and 2 as a share of its block.
    const std::uint64_t activations = 6 * (m_model.embedding + m_queryStride + hidden);
    const std::uint64_t floats =
        3 * m_modelStride + m_queryStride + 2 * m_keyStride + 2 * strideOf(m_model.feedForward);
    const std::uint64_t angles = m_model.ropes.size() * m_model.headSize;
    const std::uint64_t perRow = activations + sizeof(float) * (floats + angles);
    const std::uint64_t perThread = kPrivateRows * (activations + sizeof(float) * m_modelStride);
    const std::uint64_t perLogitsRow = 6 * std::uint64_t{m_model.embedding} + sizeof(float) * m_model.vocabulary;
    return m_options.maxRows * perRow + static_cast<std::uint64_t>(threads) * perThread +
           m_options.maxLogitsRows * perLogitsRow + m_attention.scratchBytes(threads);
}

void StepRunner::usePool(ThreadPool& pool) {
    m_pool = &pool;
    const std::uint32_t rows = m_options.maxRows;
    const auto shape = [this](ActivationRows& model, ActivationRows& attended, std::vector<ActivationRows>& hidden,
                              std::uint32_t count) {
        model.shape(count, m_model.embedding);
        attended.shape(count, m_model.heads * m_model.headSize);
        hidden.resize(m_hiddenWidths.size());
        for (std::size_t i = 0; i < hidden.size(); ++i)
            hidden[i].shape(count, m_hiddenWidths[i]);
    };
    shape(m_modelRows, m_attended, m_hidden, rows);
    m_headRows.shape(m_options.maxLogitsRows, m_model.embedding);
    for (std::vector<float>* const wide : {&m_residual, &m_attentionOut, &m_feedForwardOut})
        wide->resize(rows * m_modelStride);
    m_queries.resize(rows * m_queryStride);
    m_keys.resize(rows * m_keyStride);
    m_values.resize(rows * m_keyStride);
    m_gate.resize(rows * strideOf(m_model.feedForward));
    m_up.resize(rows * strideOf(m_model.feedForward));
    m_angles.resize(m_model.ropes.size());
    for (std::size_t i = 0; i < m_angles.size(); ++i)
        m_angles[i].resize(std::size_t{rows} * 2 * m_model.ropes[i].pairs());
    if (!m_logits)
        m_logits = std::make_unique_for_overwrite<float[]>(std::size_t{m_options.maxLogitsRows} * m_model.vocabulary);
    m_own.clear();
    m_own.resize(static_cast<std::size_t>(pool.threads()));
    for (Own& own : m_own) {
        shape(own.model, own.attended, own.hidden, kPrivateRows);
        own.residual.resize(kPrivateRows * m_modelStride);
        own.addend.resize(m_modelStride);
    }
    m_queues = std::make_unique<WorkQueues>();
    m_attention.reserve(pool.threads());
}

StepOutput StepRunner::run(std::span<const SequenceSlice> slices, bool recordSpans) {
    m_recordSpans = recordSpans;
    m_timings = {};
    m_timings.beginNs = m_lastStamp = steadyNs();
    if (recordSpans)
        m_timings.spans.reserve(2 + 2 * m_model.layers.size());
    m_rows.set(slices);
    m_private = m_pool->threads() > 1 && m_rows.size() <= kPrivateRows;
    m_modelRows.rows = m_rows.size();
    m_headRows.rows = m_rows.wantedSize();
    m_attention.plan(m_rows, m_pool->threads());
    m_pool->run([this](int index) { thread(index); });
    m_timings.endNs = steadyNs();
    StepOutput output;
    output.logits = {m_logits.get(), std::size_t{m_rows.wantedSize()} * m_model.vocabulary};
    output.timings = std::move(m_timings);
    return output;
}

void StepRunner::stamp(int index, PhaseSpan::Phase phase, std::uint32_t number) {
    if (index != 0)
        return;
    const std::int64_t now = steadyNs();
    const std::int64_t took = now - m_lastStamp;
    switch (phase) {
    case PhaseSpan::Phase::embed:
        break;
    case PhaseSpan::Phase::attention:
        m_timings.attentionNs += took;
        break;
    case PhaseSpan::Phase::feedForward:
        m_timings.feedForwardNs += took;
        break;
    case PhaseSpan::Phase::head:
        m_timings.headNs += took;
        break;
    }
    if (m_recordSpans)
        m_timings.spans.push_back({phase, static_cast<std::uint16_t>(number), m_lastStamp, now});
    m_lastStamp = now;
}

void StepRunner::thread(int index) {
    embed(index);
    stamp(index, PhaseSpan::Phase::embed, 0);
    Pending pending;
    const auto layers = static_cast<std::uint32_t>(m_model.layers.size());
    for (std::uint32_t number = 0; number < layers; ++number)
        layer(index, number, pending);
    if (m_rows.wantedSize() > 0) {
        head(index, pending);
        m_pool->barrier();
        stamp(index, PhaseSpan::Phase::head, layers);
    }
}

void StepRunner::embed(int index) {
    const Share all{0, m_rows.size()};
    const Share mine = shareOf(m_rows.size(), index, m_pool->threads());
    const Share rows = m_private ? all : mine;
    float* const residual = m_private ? own(index).residual.data() : m_residual.data();
    const TensorView& table = *m_model.embeddingTable;
    for (std::uint32_t row = rows.begin; row < rows.end; ++row) {
        const std::span<float> out(residual + row * m_modelStride, m_model.embedding);
        dequantize(table.type(), table.data + static_cast<std::uint64_t>(m_rows.tokens[row]) * table.rowBytes(), out);
        if (m_model.embeddingScale != 1.0F)
            m_kernels.scale(out.data(), m_model.embeddingScale, m_model.embedding);
    }
    for (std::size_t rope = 0; rope < m_angles.size(); ++rope) {
        const std::uint32_t pairs = m_model.ropes[rope].pairs();
        for (std::uint32_t row = mine.begin; row < mine.end; ++row) {
            float* const cosines = m_angles[rope].data() + std::size_t{row} * 2 * pairs;
            m_model.ropes[rope].fill(m_rows.positions[row], cosines, cosines + pairs);
        }
    }
}

void StepRunner::layer(int index, std::uint32_t number, Pending& pending) {
    const CpuLayer& layer = m_model.layers[number];
    const bool last = number + 1 == m_model.layers.size();
    const ActiveRows& active = last ? m_rows.wanted : m_rows.all;
    const auto activeCount = static_cast<std::uint32_t>(active.rows.size());
    ActivationRows& hidden = m_hidden[hiddenIndex(layer)];
    if (index == 0) { // nobody reads these two before the next barrier
        m_attended.rows = activeCount;
        hidden.rows = activeCount;
    }

    const bool qkvQuantized = quantized(layer.q) || quantized(layer.k) || quantized(layer.v);
    const ActivationRows& x = normed(index, layer.attentionNorm, m_rows.all, pending, qkvQuantized);
    products(index,
             std::array{Product{&layer.q, m_queries.data(), m_queryStride},
                        Product{&layer.k, m_keys.data(), m_keyStride}, Product{&layer.v, m_values.data(), m_keyStride}},
             x);
    m_pool->barrier();
    if (index == 0)
        m_modelRows.rows = activeCount; // nor this one
    rotateAndStore(index, number);
    if (activeCount == 0) { // the last layer of rows that only fill the cache
        stamp(index, PhaseSpan::Phase::attention, number);
        return;
    }
    m_pool->barrier();
    const Attention::Layer attention{
        &layer, number, last, m_queries.data(), m_queryStride, m_attended.values.data(), m_attended.stride};
    m_attention.run(attention, m_queues->of(own(index).phase++, index), index);
    m_pool->barrier();
    if (m_attention.needsFinish(last)) {
        m_attention.finish(attention, index, m_pool->threads());
        m_pool->barrier();
    }
    const ActivationRows& attended = prepared(index, m_attended, own(index).attended, quantized(layer.output));
    products(index, std::array{Product{&layer.output, m_attentionOut.data(), m_modelStride}}, attended);
    m_pool->barrier();
    stamp(index, PhaseSpan::Phase::attention, number);

    pending = {m_attentionOut.data(), &layer.attentionPostNorm};
    const ActivationRows& y =
        normed(index, layer.feedForwardNorm, active, pending, quantized(layer.gate) || quantized(layer.up));
    gateUp(index, layer, y, hidden);
    m_pool->barrier();
    const ActivationRows& h = prepared(index, hidden, own(index).hidden[hiddenIndex(layer)], quantized(layer.down));
    products(index, std::array{Product{&layer.down, m_feedForwardOut.data(), m_modelStride}}, h);
    m_pool->barrier();
    stamp(index, PhaseSpan::Phase::feedForward, number);
    pending = {m_feedForwardOut.data(), &layer.feedForwardPostNorm};
}

void StepRunner::head(int index, const Pending& pending) {
    // Every wanted row is one thread's, also where all threads have its residual.
    float* const residual = m_private ? own(index).residual.data() : m_residual.data();
    const Share mine = shareOf(m_rows.wantedSize(), index, m_pool->threads());
    for (std::uint32_t i = mine.begin; i < mine.end; ++i) {
        float* const row = residual + m_rows.wanted.rows[i] * m_modelStride;
        addPending(own(index), pending, i, row);
        m_kernels.rmsNorm(row, m_model.finalNorm.weight.data(), m_model.finalNorm.epsilon, m_model.embedding,
                          m_headRows.row(i).data());
    }
    if (quantized(m_model.head))
        quantizeRows(m_isa, m_headRows, mine.begin, mine.end);
    m_pool->barrier();
    products(index, std::array{Product{&m_model.head, m_logits.get(), m_model.vocabulary}}, m_headRows);
}

void StepRunner::addPending(Own& own, const Pending& pending, std::uint32_t activeRow, float* residual) const {
    if (!pending.rows)
        return;
    const float* addend = pending.rows + activeRow * m_modelStride;
    if (pending.norm->present()) {
        m_kernels.rmsNorm(addend, pending.norm->weight.data(), pending.norm->epsilon, m_model.embedding,
                          own.addend.data());
        addend = own.addend.data();
    }
    m_kernels.add(residual, addend, m_model.embedding);
}

const ActivationRows& StepRunner::normed(int index, const CpuNorm& norm, const ActiveRows& active,
                                         const Pending& pending, bool quantized) {
    const auto count = static_cast<std::uint32_t>(active.rows.size());
    ActivationRows& out = m_private ? own(index).model : m_modelRows;
    float* const residual = m_private ? own(index).residual.data() : m_residual.data();
    if (m_private)
        out.rows = count;
    const Share mine = m_private ? Share{0, count} : shareOf(count, index, m_pool->threads());
    for (std::uint32_t i = mine.begin; i < mine.end; ++i) {
        float* const row = residual + active.rows[i] * m_modelStride;
        addPending(own(index), pending, i, row);
        if (norm.present())
            m_kernels.rmsNorm(row, norm.weight.data(), norm.epsilon, m_model.embedding, out.row(i).data());
        else
            std::memcpy(out.row(i).data(), row, m_model.embedding * sizeof(float));
    }
    if (quantized)
        quantizeRows(m_isa, out, mine.begin, mine.end);
    if (!m_private)
        m_pool->barrier();
    return out;
}

const ActivationRows& StepRunner::prepared(int index, ActivationRows& shared, ActivationRows& own, bool quantized) {
    if (!quantized)
        return shared;
    if (m_private) {
        own.rows = shared.rows;
        std::memcpy(own.values.data(), shared.values.data(), shared.rows * shared.stride * sizeof(float));
        quantizeRows(m_isa, own, 0, own.rows);
        return own;
    }
    const Share mine = shareOf(shared.rows, index, m_pool->threads());
    quantizeRows(m_isa, shared, mine.begin, mine.end);
    m_pool->barrier();
    return shared;
}

template <class Each> void StepRunner::eachPiece(int index, std::uint32_t groups, std::uint32_t rows, Each each) {
    const int threads = m_pool->threads();
    if (threads == 1 || rows <= kStreamRows) {
        const Share mine = shareOf(groups, index, threads);
        each(mine.begin, mine.end);
        return;
    }
    constexpr std::uint32_t kPiecesPerThread = 8;
    const std::uint32_t pieces = std::min(groups, kPiecesPerThread * static_cast<std::uint32_t>(threads));
    WorkQueue& queue = m_queues->of(own(index).phase++, index);
    for (std::uint32_t piece = queue.take(); piece < pieces; piece = queue.take()) {
        const Share part = shareOf(groups, static_cast<int>(piece), static_cast<int>(pieces));
        each(part.begin, part.end);
    }
}

void StepRunner::products(int index, std::span<const Product> products, const ActivationRows& x) {
    std::uint32_t groups = 0;
    for (const Product& product : products)
        groups += product.linear->plane.groups;
    eachPiece(index, groups, x.rows, [&](std::uint32_t begin, std::uint32_t end) {
        std::uint32_t first = 0; // group of all with which the product begins
        for (const Product& product : products) {
            const std::uint32_t own = product.linear->plane.groups;
            const std::uint32_t from = std::clamp(begin, first, first + own) - first;
            const std::uint32_t to = std::clamp(end, first, first + own) - first;
            if (from < to)
                productGroups(product, x, from, to);
            first += own;
        }
    });
}

void StepRunner::productGroups(const Product& product, const ActivationRows& x, std::uint32_t begin,
                               std::uint32_t end) const {
    const Plane& plane = product.linear->plane;
    multiply(plane, x, begin, end, product.out, product.stride);
    if (product.linear->bias.empty())
        return;
    const std::uint32_t lanes = rowsPerGroup(plane.isa);
    const std::uint32_t from = begin * lanes;
    const std::uint32_t to = std::min(end * lanes, plane.rows);
    for (std::uint32_t row = 0; row < x.rows; ++row)
        m_kernels.add(product.out + row * product.stride + from, product.linear->bias.data() + from, to - from);
}

void StepRunner::gateUp(int index, const CpuLayer& layer, const ActivationRows& x, ActivationRows& hidden) {
    eachPiece(index, layer.gate.plane.groups, x.rows, [&](std::uint32_t begin, std::uint32_t end) {
        if (begin < end)
            gateUpGroups(layer, x, hidden, begin, end);
    });
}

void StepRunner::gateUpGroups(const CpuLayer& layer, const ActivationRows& x, ActivationRows& hidden,
                              std::uint32_t begin, std::uint32_t end) {
    const std::size_t stride = strideOf(m_model.feedForward);
    productGroups({&layer.gate, m_gate.data(), stride}, x, begin, end);
    productGroups({&layer.up, m_up.data(), stride}, x, begin, end);
    const std::uint32_t lanes = rowsPerGroup(m_isa);
    const std::uint32_t from = begin * lanes;
    const std::uint32_t count = std::min(end * lanes, layer.gate.plane.rows) - from;
    const auto activate = layer.activation == Activation::silu ? m_kernels.silu : m_kernels.geluTanh;
    for (std::uint32_t row = 0; row < x.rows; ++row)
        activate(m_gate.data() + row * stride + from, m_up.data() + row * stride + from, count,
                 hidden.values.data() + row * hidden.stride + from);
}

void StepRunner::rotateAndStore(int index, std::uint32_t number) {
    const CpuLayer& layer = m_model.layers[number];
    const RopeTable& rope = m_model.ropes[layer.rope];
    const std::uint32_t size = m_model.headSize;
    const std::uint32_t heads = m_model.heads + m_model.kvHeads;
    const auto store = m_cache.type() == KvType::f16 ? m_kernels.storeHalf : m_kernels.storeBytes;
    const auto rotate = rope.style == RopeStyle::adjacent ? m_kernels.rotateAdjacent : m_kernels.rotateHalves;
    const Share mine = shareOf(m_rows.size() * heads, index, m_pool->threads());
    for (std::uint32_t item = mine.begin; item < mine.end; ++item) {
        const std::uint32_t row = item / heads;
        const bool isQuery = item % heads < m_model.heads;
        const std::uint32_t head = isQuery ? item % heads : item % heads - m_model.heads;
        float* const x = isQuery ? m_queries.data() + row * m_queryStride + std::size_t{head} * size
                                 : m_keys.data() + row * m_keyStride + std::size_t{head} * size;
        if (const CpuNorm& norm = isQuery ? layer.queryNorm : layer.keyNorm; norm.present())
            m_kernels.rmsNorm(x, norm.weight.data(), norm.epsilon, size, x);
        const float* const cosines = m_angles[layer.rope].data() + std::size_t{row} * 2 * rope.pairs();
        rotate(x, cosines, cosines + rope.pairs(), rope.pairs());
        if (!isQuery) {
            const KvHead place = m_cache.head(number, head);
            store(x, m_values.data() + row * m_keyStride + std::size_t{head} * size, size, place,
                  m_cache.block(place, m_rows.blocks[row]), m_rows.positions[row] % kKvBlockTokens);
        }
    }
}

} // namespace decodescope::engine
