#pragma once

#include "engine/base/error.h"
#include "engine/cpu/isa.h"
#include "engine/gguf/gguf_file.h"

#include <cstddef>
#include <cstdint>
#include <memory>

/// Weights as the kernels read them: rows in groups of 8 or 16, interleaved so that one vector lane is one row (no
/// horizontal sums, scales load as one vector, four activation bytes are broadcast at a time). No plane is more than
/// a few percent larger than the tensor it came from.
namespace decodescope::engine {

/// What a plane stores per weight; named after the GGUF types that it comes from.
enum class PlaneKind : std::uint8_t { q4_0, q4_1, q5_0, q5_1, q8_0, q4_k, q5_k, q6_k, f16, bf16, f32 };

/// One linear layer. Group g holds rows [g * rowsPerGroup, ...), the last one padded with zero rows; a group's bytes
/// are contiguous and 64-byte aligned, so a thread's share of groups is one stream.
struct Plane {
    PlaneKind kind = PlaneKind::f32;
    Isa isa = Isa::scalar;
    std::uint32_t rows = 0; ///< outputs
    std::uint32_t cols = 0; ///< inputs
    std::uint32_t groups = 0;
    std::size_t groupBytes = 0;
    const std::byte* data = nullptr; ///< in the arena that packPlane was given

    [[nodiscard]] std::size_t bytes() const noexcept { return groupBytes * groups; }
};

/// The shape that a tensor's plane will have (data null). ErrorCode::unsupported with the type's name.
[[nodiscard]] Result<Plane> describePlane(const TensorView& tensor, Isa isa);
/// Repacks groups [begin, end) of the tensor to their places below `base` (of plane.bytes() bytes, 64-byte aligned):
/// disjoint ranges may be packed by different threads at once, each then touches its own pages first.
void packPlane(const TensorView& tensor, const Plane& plane, std::byte* base, std::uint32_t begin, std::uint32_t end);

} // namespace decodescope::engine
