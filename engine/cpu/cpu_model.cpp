#include "engine/cpu/cpu_model.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

namespace decodescope::engine {

namespace {

constexpr std::size_t kAlignment = 64;

/// Planes that the steps treat as one stretch of groups, shared out over the threads as a whole.
struct Stretch {
    std::vector<std::pair<const TensorView*, Plane*>> planes;
};

class Loader {
public:
    Loader(const ModelPlan& plan, Isa isa)
        : m_plan(plan)
        , m_isa(isa) {}

    Result<void> describe(CpuModel& model);
    Result<void> pack(CpuModel& model, ThreadPool& pool, const LoadProgress& progress);

private:
    using Faults = Result<void>;
    CpuNorm norm(const RmsNorm& from) const;
    std::vector<float> floats(const TensorView* tensor) const;
    Result<void> linear(const Linear& from, CpuLinear& to);
    Result<void> stretch(std::initializer_list<std::pair<const Linear*, CpuLinear*>> parts);
    std::uint32_t rope(const Rope& rope, CpuModel& model) const;
    void packShare(std::byte* base, int thread, int threads, const LoadProgress* progress,
                   std::atomic<bool>& stopped) const;

    const ModelPlan& m_plan;
    Isa m_isa;
    std::vector<Stretch> m_stretches;
    std::vector<std::size_t> m_offsets; // of each stretch's planes in turn
    std::size_t m_bytes = 0;
};

std::vector<float> Loader::floats(const TensorView* tensor) const {
    std::vector<float> out(tensor ? tensor->elements() : 0);
    if (tensor)
        std::memcpy(out.data(), tensor->data, out.size() * sizeof(float)); // the mapping need not be aligned
    return out;
}

CpuNorm Loader::norm(const RmsNorm& from) const {
    return {floats(from.weight), from.epsilon};
}

Result<void> Loader::linear(const Linear& from, CpuLinear& to) {
    auto plane = describePlane(*from.weight, m_isa);
    if (!plane)
        return tl::unexpected(plane.error());
    to.plane = *plane;
    to.bias = floats(from.bias);
    m_offsets.push_back(m_bytes);
    m_bytes += (to.plane.bytes() + kAlignment - 1) / kAlignment * kAlignment;
    return {};
}

Result<void> Loader::stretch(std::initializer_list<std::pair<const Linear*, CpuLinear*>> parts) {
    Stretch together;
    for (const auto& [from, to] : parts) {
        if (!from->present())
            return fail(ErrorCode::internal, "The model's plan lacks a weight.");
        if (auto done = linear(*from, *to); !done)
            return done;
        together.planes.emplace_back(from->weight, &to->plane);
    }
    m_stretches.push_back(std::move(together));
    return {};
}

std::uint32_t Loader::rope(const Rope& from, CpuModel& model) const {
    const RopeTable table(from);
    const auto known = std::find(model.ropes.begin(), model.ropes.end(), table);
    const auto index = static_cast<std::uint32_t>(known - model.ropes.begin());
    if (known == model.ropes.end())
        model.ropes.push_back(table);
    return index;
}

Result<void> Loader::describe(CpuModel& model) {
    model.embedding = m_plan.embedding;
    model.heads = m_plan.heads;
    model.kvHeads = m_plan.kvHeads;
    model.headSize = m_plan.headSize;
    model.feedForward = m_plan.feedForward;
    model.vocabulary = m_plan.vocabulary;
    const tl::unexpected<Error> strange =
        fail(ErrorCode::internal, "The model's plan is not a stack of attention and feed-forward layers.");
    constexpr std::size_t kPerLayer = 5;
    if (m_plan.ops.size() != kPerLayer * m_plan.layers + 2)
        return strange;
    const auto* const embed = std::get_if<EmbedOp>(&m_plan.ops.front());
    const auto* const head = std::get_if<HeadOp>(&m_plan.ops.back());
    if (!embed || !embed->table || !head)
        return strange;
    model.embeddingTable = embed->table;
    model.embeddingScale = embed->scale;
    model.layers.resize(m_plan.layers);
    for (std::size_t i = 0; i < model.layers.size(); ++i) {
        const PlanOp* const ops = &m_plan.ops[1 + kPerLayer * i];
        const auto* const qkv = std::get_if<QkvOp>(ops);
        const auto* const attention = std::get_if<AttentionOp>(ops + 1);
        const auto* const output = std::get_if<AttentionOutputOp>(ops + 2);
        const auto* const gateUp = std::get_if<GateUpOp>(ops + 3);
        const auto* const down = std::get_if<DownOp>(ops + 4);
        if (!qkv || !attention || !output || !gateUp || !down)
            return strange;
        CpuLayer& layer = model.layers[i];
        layer.attentionNorm = norm(qkv->norm);
        layer.queryNorm = norm(qkv->queryNorm);
        layer.keyNorm = norm(qkv->keyNorm);
        layer.rope = rope(qkv->rope, model);
        layer.attentionScale = attention->scale;
        layer.slidingWindow = attention->slidingWindow;
        layer.attentionPostNorm = norm(output->postNorm);
        layer.feedForwardNorm = norm(gateUp->norm);
        layer.activation = gateUp->activation;
        layer.feedForwardPostNorm = norm(down->postNorm);
        for (auto done : {stretch({{&qkv->q, &layer.q}, {&qkv->k, &layer.k}, {&qkv->v, &layer.v}}),
                          stretch({{&output->output, &layer.output}}), stretch({{&gateUp->gate, &layer.gate}}),
                          stretch({{&gateUp->up, &layer.up}}), stretch({{&down->down, &layer.down}})})
            if (!done)
                return done;
    }
    model.finalNorm = norm(head->norm);
    return stretch({{&head->head, &model.head}});
}

void Loader::packShare(std::byte* base, int thread, int threads, const LoadProgress* progress,
                       std::atomic<bool>& stopped) const {
    const std::size_t* offset = m_offsets.data();
    std::uint64_t done = 0;
    for (const Stretch& together : m_stretches) {
        std::uint32_t groups = 0;
        for (const auto& [tensor, plane] : together.planes)
            groups += plane->groups;
        const Share share = shareOf(groups, thread, threads);
        std::uint32_t first = 0; // group of the stretch with which the plane begins
        for (const auto& [tensor, plane] : together.planes) {
            const std::uint32_t begin = std::clamp(share.begin, first, first + plane->groups) - first;
            const std::uint32_t end = std::clamp(share.end, first, first + plane->groups) - first;
            if (begin < end)
                packPlane(*tensor, *plane, base + *offset, begin, end);
            first += plane->groups;
            done += plane->bytes();
            ++offset;
        }
        if (progress && *progress && !(*progress)(std::min<std::uint64_t>(done, m_bytes), m_bytes))
            stopped.store(true, std::memory_order_relaxed);
        if (stopped.load(std::memory_order_relaxed))
            return;
    }
}

Result<void> Loader::pack(CpuModel& model, ThreadPool& pool, const LoadProgress& progress) {
    auto arena = Arena::reserve(m_bytes, "The model", "use a smaller model or a smaller quantisation of it");
    if (!arena)
        return tl::unexpected(arena.error());
    model.planes = std::move(*arena);
    std::byte* const base = model.planes.data();
    std::atomic<bool> stopped{false};
    pool.run([&](int thread) { packShare(base, thread, pool.threads(), thread == 0 ? &progress : nullptr, stopped); });
    if (stopped.load(std::memory_order_relaxed))
        return fail(ErrorCode::cancelled, "Loading the model was cancelled.");
    const std::size_t* offset = m_offsets.data();
    for (const Stretch& together : m_stretches) {
        for (const auto& [tensor, plane] : together.planes) {
            plane->data = base + *offset++;
            model.planeBytes += plane->bytes();
        }
    }
    model.planeBytesOfLogits = model.head.plane.bytes();
    if (!model.layers.empty()) { // behind its keys and values, the last layer is for logits alone
        const CpuLayer& last = model.layers.back();
        for (const CpuLinear* const linear : {&last.output, &last.gate, &last.up, &last.down})
            model.planeBytesOfLogits += linear->plane.bytes();
    }
    return {};
}

} // namespace

Result<CpuModel> loadCpuModel(const ModelPlan& plan, Isa isa, ThreadPool& pool, const LoadProgress& progress) {
    CpuModel model;
    Loader loader(plan, isa);
    if (auto described = loader.describe(model); !described)
        return tl::unexpected(described.error());
    if (auto packed = loader.pack(model, pool, progress); !packed)
        return tl::unexpected(packed.error());
    return model;
}

} // namespace decodescope::engine
