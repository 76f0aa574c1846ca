#include "engine/reference/reference_backend.h"

#include "engine/backend/check_slices.h"
#include "engine/base/steady_time.h"
#include "engine/gguf/dequantize.h"
#include "engine/reference/reference_cache.h"
#include "engine/reference/reference_math.h"

#include <algorithm>
#include <new>
#include <utility>

namespace decodescope::engine {

namespace {

/// A token on its way through the layers.
struct Row {
    const SequenceSlice* slice = nullptr;
    TokenId token = 0;
    std::uint32_t position = 0;
    bool wantsLogits = false;
};

class ReferenceBackend final : public Backend {
public:
    ReferenceBackend(const ModelPlan& plan, const BackendOptions& options, ReferenceCache cache)
        : m_plan(plan)
        , m_options(options)
        , m_cache(std::move(cache)) {
        for (const PlanOp& op : m_plan.ops)
            std::visit([this](const auto& any) { m_weightBytes += weightBytes(any); }, op);
    }

    Result<StepOutput> step(std::span<const SequenceSlice> slices) override;
    void copyBlock(std::uint32_t from, std::uint32_t to, std::uint32_t tokens) override {
        m_cache.copyBlock(from, to, tokens);
    }
    [[nodiscard]] BackendFacts facts() const override;
    void recordSpans(bool on) override { m_recordSpans = on; }

private:
    static std::uint64_t bytesOf(const Linear& linear) { return linear.present() ? linear.weight->bytes : 0; }
    static std::uint64_t weightBytes(const EmbedOp&) { return 0; } // one row a token
    static std::uint64_t weightBytes(const QkvOp& op) { return bytesOf(op.q) + bytesOf(op.k) + bytesOf(op.v); }
    static std::uint64_t weightBytes(const AttentionOp&) { return 0; }
    static std::uint64_t weightBytes(const AttentionOutputOp& op) { return bytesOf(op.output); }
    static std::uint64_t weightBytes(const GateUpOp& op) { return bytesOf(op.gate) + bytesOf(op.up); }
    static std::uint64_t weightBytes(const DownOp& op) { return bytesOf(op.down); }
    static std::uint64_t weightBytes(const HeadOp& op) { return bytesOf(op.head); }

    // Each op reads and writes the step's arrays; their shapes are (rows, ...).
    PhaseSpan run(const EmbedOp& op);
    PhaseSpan run(const QkvOp& op);
    PhaseSpan run(const AttentionOp& op);
    PhaseSpan run(const AttentionOutputOp& op);
    PhaseSpan run(const GateUpOp& op);
    PhaseSpan run(const DownOp& op);
    PhaseSpan run(const HeadOp& op);
    void attend(const AttentionOp& op, const Row& row, std::uint32_t head, std::span<const float> query,
                std::span<float> out);
    void addToResidual(const RmsNorm& postNorm, std::vector<float>& addend);
    void note(const PhaseSpan& span, StepTimings& timings) const;

    ModelPlan m_plan;
    BackendOptions m_options;
    ReferenceCache m_cache;
    std::uint64_t m_weightBytes = 0;
    bool m_recordSpans = true;

    std::vector<Row> m_rows;
    std::vector<float> m_x;        // (rows, embedding): the residual
    std::vector<float> m_normed;   // (rows, embedding)
    std::vector<float> m_queries;  // (rows, heads * headSize)
    std::vector<float> m_attended; // (rows, heads * headSize)
    std::vector<float> m_hidden;   // (rows, feedForward of the layer)
    std::vector<float> m_logits;   // (rows that want them, vocabulary)
    std::vector<float> m_scores;   // (positions): of one query
};

PhaseSpan ReferenceBackend::run(const EmbedOp& op) {
    m_x.resize(m_rows.size() * m_plan.embedding);
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const auto x = std::span(m_x).subspan(i * m_plan.embedding, m_plan.embedding);
        const auto token = static_cast<std::uint64_t>(m_rows[i].token);
        dequantize(op.table->type(), op.table->data + token * op.table->rowBytes(), x);
        for (float& value : x)
            value *= op.scale;
    }
    return {.phase = PhaseSpan::Phase::embed};
}

PhaseSpan ReferenceBackend::run(const QkvOp& op) {
    m_normed.resize(m_x.size());
    applyNorm(op.norm, m_x, m_normed);
    const std::size_t kvWidth = op.k.outputs();
    std::vector<float> keys(m_rows.size() * kvWidth);
    std::vector<float> values(m_rows.size() * kvWidth);
    m_queries.resize(m_rows.size() * op.q.outputs());
    applyLinear(op.q, m_normed, m_queries);
    applyLinear(op.k, m_normed, keys);
    applyLinear(op.v, m_normed, values);
    applyNorm(op.queryNorm, m_queries, m_queries);
    applyNorm(op.keyNorm, keys, keys);
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const Row& row = m_rows[i];
        const auto rotate = [&](std::vector<float>& all, std::size_t width) {
            const auto own = std::span(all).subspan(i * width, width);
            for (std::size_t head = 0; head < width; head += m_plan.headSize)
                applyRope(op.rope, row.position, own.subspan(head, m_plan.headSize));
            return own;
        };
        rotate(m_queries, op.q.outputs());
        std::ranges::copy(rotate(keys, kvWidth), m_cache.keys(op.layer, row.slice->blocks, row.position).begin());
        std::ranges::copy(std::span(values).subspan(i * kvWidth, kvWidth),
                          m_cache.values(op.layer, row.slice->blocks, row.position).begin());
    }
    return {.phase = PhaseSpan::Phase::attention, .layer = static_cast<std::uint16_t>(op.layer)};
}

void ReferenceBackend::attend(const AttentionOp& op, const Row& row, std::uint32_t head, std::span<const float> query,
                              std::span<float> out) {
    const std::size_t kvAt = std::size_t{head / (m_plan.heads / m_plan.kvHeads)} * m_plan.headSize;
    const std::uint32_t end = row.position + 1;
    const std::uint32_t begin = op.slidingWindow > 0 && end > op.slidingWindow ? end - op.slidingWindow : 0;
    m_scores.resize(end - begin);
    for (std::uint32_t position = begin; position < end; ++position) {
        const auto key = m_cache.keys(op.layer, row.slice->blocks, position).subspan(kvAt, m_plan.headSize);
        m_scores[position - begin] = op.scale * dot(query, key);
    }
    softmax(m_scores);
    std::ranges::fill(out, 0.0F);
    for (std::uint32_t position = begin; position < end; ++position) {
        const auto value = m_cache.values(op.layer, row.slice->blocks, position).subspan(kvAt, m_plan.headSize);
        const float weight = m_scores[position - begin];
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] += weight * value[i];
    }
}

PhaseSpan ReferenceBackend::run(const AttentionOp& op) {
    m_attended.resize(m_queries.size());
    for (std::size_t i = 0; i < m_rows.size(); ++i)
        for (std::uint32_t head = 0; head < m_plan.heads; ++head) {
            const std::size_t at = (i * m_plan.heads + head) * m_plan.headSize;
            attend(op, m_rows[i], head, std::span(m_queries).subspan(at, m_plan.headSize),
                   std::span(m_attended).subspan(at, m_plan.headSize));
        }
    return {.phase = PhaseSpan::Phase::attention, .layer = static_cast<std::uint16_t>(op.layer)};
}

void ReferenceBackend::addToResidual(const RmsNorm& postNorm, std::vector<float>& addend) {
    applyNorm(postNorm, addend, addend);
    for (std::size_t i = 0; i < m_x.size(); ++i)
        m_x[i] += addend[i];
}

PhaseSpan ReferenceBackend::run(const AttentionOutputOp& op) {
    applyLinear(op.output, m_attended, m_normed);
    addToResidual(op.postNorm, m_normed);
    return {.phase = PhaseSpan::Phase::attention, .layer = static_cast<std::uint16_t>(op.layer)};
}

PhaseSpan ReferenceBackend::run(const GateUpOp& op) {
    applyNorm(op.norm, m_x, m_normed);
    m_hidden.resize(m_rows.size() * op.gate.outputs());
    std::vector<float> up(m_hidden.size());
    applyLinear(op.gate, m_normed, m_hidden);
    applyLinear(op.up, m_normed, up);
    for (std::size_t i = 0; i < m_hidden.size(); ++i)
        m_hidden[i] = activate(op.activation, m_hidden[i]) * up[i];
    return {.phase = PhaseSpan::Phase::feedForward, .layer = static_cast<std::uint16_t>(op.layer)};
}

PhaseSpan ReferenceBackend::run(const DownOp& op) {
    applyLinear(op.down, m_hidden, m_normed);
    addToResidual(op.postNorm, m_normed);
    return {.phase = PhaseSpan::Phase::feedForward, .layer = static_cast<std::uint16_t>(op.layer)};
}

PhaseSpan ReferenceBackend::run(const HeadOp& op) {
    std::vector<float> wanted; // (rows that want logits, embedding)
    for (std::size_t i = 0; i < m_rows.size(); ++i)
        if (m_rows[i].wantsLogits) {
            const auto x = std::span(m_x).subspan(i * m_plan.embedding, m_plan.embedding);
            wanted.insert(wanted.end(), x.begin(), x.end());
        }
    applyNorm(op.norm, wanted, wanted);
    m_logits.resize(wanted.size() / m_plan.embedding * m_plan.vocabulary);
    applyLinear(op.head, wanted, m_logits);
    return {.phase = PhaseSpan::Phase::head, .layer = static_cast<std::uint16_t>(m_plan.layers)};
}

void ReferenceBackend::note(const PhaseSpan& span, StepTimings& timings) const {
    const std::int64_t took = span.endNs - span.beginNs;
    switch (span.phase) {
    case PhaseSpan::Phase::embed:
        break;
    case PhaseSpan::Phase::attention:
        timings.attentionNs += took;
        break;
    case PhaseSpan::Phase::feedForward:
        timings.feedForwardNs += took;
        break;
    case PhaseSpan::Phase::head:
        timings.headNs += took;
        break;
    }
    if (m_recordSpans)
        timings.spans.push_back(span);
}

Result<StepOutput> ReferenceBackend::step(std::span<const SequenceSlice> slices) {
    const auto size = checkSlices(slices, m_plan.vocabulary, m_options);
    if (!size)
        return tl::unexpected(size.error());
    StepOutput output;
    output.timings.beginNs = steadyNs();
    try {
        m_rows.clear();
        for (const SequenceSlice& slice : slices)
            for (std::uint32_t i = 0; i < slice.tokens.size(); ++i)
                m_rows.push_back({&slice, slice.tokens[i], slice.firstPosition + i, i >= slice.logitsFrom});
        for (const PlanOp& op : m_plan.ops) {
            const std::int64_t begin = steadyNs();
            PhaseSpan span = std::visit([this](const auto& any) { return run(any); }, op);
            span.beginNs = begin;
            span.endNs = steadyNs();
            note(span, output.timings);
        }
    } catch (const std::bad_alloc&) {
        return fail(ErrorCode::memory, "There is no memory for the step. Try fewer tokens at once.");
    }
    output.logits = m_logits;
    output.timings.endNs = steadyNs();
    output.timings.weightBytes = m_weightBytes;
    output.timings.kvBytes = layerPositionsRead(m_plan, slices) * facts().kvBytesPerToken / m_plan.layers;
    return output;
}

BackendFacts ReferenceBackend::facts() const {
    BackendFacts facts;
    facts.device = "cpu: scalar reference";
    facts.weightBytes = m_weightBytes;
    facts.kvBytesPerToken = m_plan.kvBytesPerToken() * 2; // f32
    facts.memoryBytes = m_cache.bytes();
    return facts;
}

} // namespace

Result<std::unique_ptr<Backend>> makeReferenceBackend(const ModelPlan& plan, const BackendOptions& options,
                                                      const LoadProgress& progress) {
    auto cache = ReferenceCache::make(plan, options.kvBlocks);
    if (!cache)
        return tl::unexpected(std::move(cache.error()));
    if (progress && !progress(1, 1)) // nothing is repacked
        return fail(ErrorCode::cancelled, "Loading the model was cancelled.");
    return std::make_unique<ReferenceBackend>(plan, options, std::move(*cache));
}

} // namespace decodescope::engine
