#pragma once

#include "engine/base/error.h"
#include "engine/gguf/gguf_file.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// A model as a flat list of fused operations over a residual stream: what every backend executes, in order. Built
/// once from a file by the architecture's own file (engine/model/architectures).
namespace decodescope::engine {

/// y = W x + b; W is {n_in, n_out} where it lies in the file. `weight` null: absent.
struct Linear {
    const TensorView* weight = nullptr;
    const TensorView* bias = nullptr; ///< f32, n_out; null: none
    [[nodiscard]] bool present() const noexcept { return weight != nullptr; }
    [[nodiscard]] std::uint32_t inputs() const noexcept { return static_cast<std::uint32_t>(weight->shape[0]); }
    [[nodiscard]] std::uint32_t outputs() const noexcept { return static_cast<std::uint32_t>(weight->shape[1]); }
};

/// x / sqrt(mean(x^2) + epsilon) * weight; weight null: no norm.
struct RmsNorm {
    const TensorView* weight = nullptr; ///< f32
    float epsilon = 1e-5F;
    [[nodiscard]] bool present() const noexcept { return weight != nullptr; }
};

enum class RopeStyle : std::uint8_t {
    none,
    adjacent, ///< pairs (2i, 2i + 1): ggml's NORM
    halves    ///< pairs (i, i + n/2): ggml's NEOX
};

/// angle(position, i) = position * base^(-2i / dimensions) / factors[i] * frequencyScale.
struct Rope {
    RopeStyle style = RopeStyle::none;
    std::uint32_t dimensions = 0; ///< rotated elements at the head's beginning; the rest pass through
    float base = 10000.0F;
    float frequencyScale = 1.0F;
    const TensorView* factors = nullptr; ///< f32, dimensions / 2; null: all 1
};

enum class Activation : std::uint8_t { silu, geluTanh };

/// x = table[token] * scale
struct EmbedOp {
    const TensorView* table = nullptr;
    float scale = 1.0F;
};
/// q, k, v = Linear(norm(x)); per-head norm of q and k; rope of q and k; k and v go to the cache at the row's position.
struct QkvOp {
    std::uint32_t layer = 0;
    RmsNorm norm;
    Linear q, k, v;
    RmsNorm queryNorm, keyNorm; ///< over the head's elements
    Rope rope;
};
/// a = softmax(scale * q k^T) v over positions <= own and, with a window w > 0, > own - w.
struct AttentionOp {
    std::uint32_t layer = 0;
    float scale = 1.0F;
    std::uint32_t slidingWindow = 0; ///< 0: none
};
/// x += postNorm(Linear(a))
struct AttentionOutputOp {
    std::uint32_t layer = 0;
    Linear output;
    RmsNorm postNorm;
};
/// h = activation(gate(norm(x))) * up(norm(x))
struct GateUpOp {
    std::uint32_t layer = 0;
    RmsNorm norm;
    Linear gate, up;
    Activation activation = Activation::silu;
};
/// x += postNorm(Linear(h))
struct DownOp {
    std::uint32_t layer = 0;
    Linear down;
    RmsNorm postNorm;
};
/// logits = Linear(norm(x)) for the rows that asked for them.
struct HeadOp {
    RmsNorm norm;
    Linear head;
};

using PlanOp = std::variant<EmbedOp, QkvOp, AttentionOp, AttentionOutputOp, GateUpOp, DownOp, HeadOp>;

struct ModelPlan {
    std::string architecture; ///< general.architecture
    std::string name;         ///< general.name, else the file's
    std::string quantization; ///< the type that holds most weight bytes: "Q4_1"
    std::uint32_t layers = 0;
    std::uint32_t embedding = 0; ///< residual width
    std::uint32_t heads = 0;
    std::uint32_t kvHeads = 0;
    std::uint32_t headSize = 0;    ///< of keys and values alike
    std::uint32_t feedForward = 0; ///< the widest layer
    std::uint32_t vocabulary = 0;
    std::uint32_t contextLength = 0; ///< as trained
    std::uint64_t parametersTotal = 0;
    std::uint64_t parametersActive = 0;
    std::vector<PlanOp> ops; ///< Embed, then per layer Qkv, Attention, AttentionOutput, GateUp, Down, then Head

    /// f16 keys and values of one position over all layers.
    [[nodiscard]] std::uint64_t kvBytesPerToken() const noexcept {
        return std::uint64_t{2} * layers * kvHeads * headSize * 2;
    }
};

/// Reads the file's numbers and binds its tensors. Every number is checked against every tensor's shape, every type
/// against those that we decode: ErrorCode::unsupported with its name (architecture, type, feature), ::malformed for
/// files that contradict themselves (missing tensor, wrong shape). Points into `file`, which must outlive the plan.
[[nodiscard]] Result<ModelPlan> buildPlan(const GgufFile& file);

/// The architectures that buildPlan knows, for messages.
[[nodiscard]] std::vector<std::string_view> knownArchitectures();

} // namespace decodescope::engine
