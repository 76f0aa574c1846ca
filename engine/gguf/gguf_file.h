#pragma once

#include "engine/base/error.h"
#include "engine/gguf/tensor_type.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// A model file: metadata and tensors of a GGUF of version 2 or 3, all shards, memory-mapped, every length checked
/// against the bytes left before anything is allocated.
namespace decodescope::engine {

/// One tensor where it lies in the mapping. `shape[0]` is the contiguous size (n_in of a linear layer, {n_in, n_out}).
struct TensorView {
    std::string_view name; ///< lives as long as the file
    std::uint32_t typeId = 0; ///< as in the file; may be a type that we do not decode
    std::array<std::uint64_t, 4> shape{1, 1, 1, 1};
    int dimensions = 1;
    const std::byte* data = nullptr;
    std::uint64_t bytes = 0;

    [[nodiscard]] std::uint64_t rowElements() const noexcept { return shape[0]; }
    [[nodiscard]] std::uint64_t rows() const noexcept { return shape[1] * shape[2] * shape[3]; }
    [[nodiscard]] std::uint64_t elements() const noexcept { return shape[0] * rows(); }
    [[nodiscard]] std::uint64_t rowBytes() const noexcept { return rows() ? bytes / rows() : 0; }
    /// Only meaningful when the type is supported (GgufFile::checkTypes, or tensorTypeInfo(typeId)->supported).
    [[nodiscard]] TensorType type() const noexcept { return static_cast<TensorType>(typeId); }
};

class GgufFile {
public:
    /// Opens and checks the whole header; of a sharded model (name-00001-of-000NN.gguf) all shards. Tensor data is
    /// mapped, not read. ErrorCode::malformed names what and where (byte offset, key or tensor), ::disk when the file
    /// cannot be opened. Unknown tensor types are no error here (inspect shows them).
    [[nodiscard]] static Result<std::unique_ptr<GgufFile>> open(const std::string& path);
    ~GgufFile();
    GgufFile(const GgufFile&) = delete;
    GgufFile& operator=(const GgufFile&) = delete;

    [[nodiscard]] std::uint32_t version() const noexcept;
    [[nodiscard]] const std::string& path() const noexcept;
    [[nodiscard]] std::uint64_t fileBytes() const noexcept; ///< all shards

    // Metadata. Each getter is nullopt when the key is absent or of another type. Integers of every width are read
    // through one getter, f32 and f64 through one, arrays with the element type asked for and up to 768 Ki elements.
    [[nodiscard]] bool has(std::string_view key) const;
    [[nodiscard]] std::optional<std::uint64_t> unsignedInteger(std::string_view key) const; ///< also of i*, if >= 0
    [[nodiscard]] std::optional<double> real(std::string_view key) const; ///< f32, f64, and integers
    [[nodiscard]] std::optional<bool> flag(std::string_view key) const;
    [[nodiscard]] std::optional<std::string_view> text(std::string_view key) const;
    /// Array lengths; nullopt when no array.
    [[nodiscard]] std::optional<std::uint64_t> arraySize(std::string_view key) const;
    [[nodiscard]] std::optional<std::vector<std::string_view>> texts(std::string_view key) const;
    [[nodiscard]] std::optional<std::vector<float>> reals(std::string_view key) const;        ///< f32 or f64 elements
    [[nodiscard]] std::optional<std::vector<std::int64_t>> integers(std::string_view key) const; ///< any width; bool too
    [[nodiscard]] std::vector<std::string_view> keys() const; ///< in file order

    [[nodiscard]] std::span<const TensorView> tensors() const noexcept; ///< in file order, shards one after another
    [[nodiscard]] const TensorView* tensor(std::string_view name) const;

    /// Tells the kernel that all tensor data will be wanted soon (MADV_WILLNEED), or is not wanted any more.
    void willNeed() const noexcept;
    void doneWith() const noexcept;

private:
    GgufFile();
    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

} // namespace decodescope::engine
