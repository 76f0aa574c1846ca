#pragma once

#include "engine/gguf/gguf_metadata.h"
#include "engine/gguf/tensor_type.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace decodescope::engine::test {

/// A number or text of the header: where it lies in the bytes, for tests that damage it.
struct WrittenField {
    std::string what; ///< "version", "general.alignment: type", "blk.0.attn_q.weight: size 0"
    std::size_t offset = 0;
    std::size_t size = 0;
};

/// Writes GGUF files by the format's description, independently of the reader.
class GgufWriter {
public:
    explicit GgufWriter(std::uint32_t version = 3)
        : m_version(version) {}

    void text(const std::string& key, std::string_view value);
    void flag(const std::string& key, bool value);
    void u32(const std::string& key, std::uint32_t value);
    void u64(const std::string& key, std::uint64_t value);
    void i32(const std::string& key, std::int32_t value);
    void f32(const std::string& key, float value);
    void f64(const std::string& key, double value);
    void texts(const std::string& key, const std::vector<std::string>& values);
    void f32s(const std::string& key, const std::vector<float>& values);
    void i32s(const std::string& key, const std::vector<std::int32_t>& values);
    /// A value of any type, its bytes as they shall lie in the file.
    void value(const std::string& key, ValueType type, std::string bytes);
    /// An array of any element type; `bytes` holds all elements.
    void array(const std::string& key, ValueType element, std::uint64_t count, std::string bytes);

    /// `shape[0]` is the contiguous size. `data` may have any length: the header says what type and shape say.
    void tensor(const std::string& name, std::uint32_t typeId, std::vector<std::uint64_t> shape, std::string data);
    void tensor(const std::string& name, TensorType type, std::vector<std::uint64_t> shape, std::string data);
    /// f32.
    void tensor(const std::string& name, std::vector<std::uint64_t> shape, const std::vector<float>& values);

    /// Takes a key or a tensor out again, to write another in its place or none.
    void remove(const std::string& name);

    void setAlignment(std::uint32_t bytes); ///< also writes general.alignment
    void drop(const std::string& key);      ///< a key that was written, so that it can be written otherwise
    void dropTensor(const std::string& name);

    [[nodiscard]] std::string bytes() const;
    [[nodiscard]] std::vector<WrittenField> fields() const; ///< of the header that bytes() gives
    /// False when the file cannot be written.
    [[nodiscard]] bool write(const std::string& path) const;

private:
    struct Value {
        std::string key;
        ValueType type;
        ValueType element;
        std::uint64_t count;
        std::string bytes;
    };
    struct Tensor {
        std::string name;
        std::uint32_t typeId;
        std::vector<std::uint64_t> shape;
        std::string data;
    };
    std::string build(std::vector<WrittenField>& fields) const;

    std::uint32_t m_version;
    std::uint32_t m_alignment = 32;
    std::vector<Value> m_values;
    std::vector<Tensor> m_tensors;
};

/// The bytes of plain values as they lie in a file.
template <class T> [[nodiscard]] std::string rawBytes(T value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

/// Length and bytes of a string value.
[[nodiscard]] std::string rawText(std::string_view text);

} // namespace decodescope::engine::test
