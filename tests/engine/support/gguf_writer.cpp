#include "tests/engine/support/gguf_writer.h"

#include <fstream>

namespace decodescope::engine::test {

namespace {

template <class T> std::string rawValues(const std::vector<T>& values) {
    return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

} // namespace

std::string rawText(std::string_view text) {
    return rawBytes<std::uint64_t>(text.size()) + std::string(text);
}

void GgufWriter::value(const std::string& key, ValueType type, std::string bytes) {
    m_values.push_back({key, type, type, 1, std::move(bytes)});
}

void GgufWriter::array(const std::string& key, ValueType element, std::uint64_t count, std::string bytes) {
    m_values.push_back({key, ValueType::array, element, count, std::move(bytes)});
}

void GgufWriter::text(const std::string& key, std::string_view text) {
    value(key, ValueType::string, rawText(text));
}

void GgufWriter::flag(const std::string& key, bool on) {
    value(key, ValueType::boolean, rawBytes<std::uint8_t>(on ? 1 : 0));
}

void GgufWriter::u32(const std::string& key, std::uint32_t number) {
    value(key, ValueType::u32, rawBytes(number));
}

void GgufWriter::u64(const std::string& key, std::uint64_t number) {
    value(key, ValueType::u64, rawBytes(number));
}

void GgufWriter::i32(const std::string& key, std::int32_t number) {
    value(key, ValueType::i32, rawBytes(number));
}

void GgufWriter::f32(const std::string& key, float number) {
    value(key, ValueType::f32, rawBytes(number));
}

void GgufWriter::f64(const std::string& key, double number) {
    value(key, ValueType::f64, rawBytes(number));
}

void GgufWriter::texts(const std::string& key, const std::vector<std::string>& values) {
    std::string bytes;
    for (const std::string& one : values)
        bytes += rawText(one);
    array(key, ValueType::string, values.size(), std::move(bytes));
}

void GgufWriter::f32s(const std::string& key, const std::vector<float>& values) {
    array(key, ValueType::f32, values.size(), rawValues(values));
}

void GgufWriter::i32s(const std::string& key, const std::vector<std::int32_t>& values) {
    array(key, ValueType::i32, values.size(), rawValues(values));
}

void GgufWriter::tensor(const std::string& name, std::uint32_t typeId, std::vector<std::uint64_t> shape,
                        std::string data) {
    m_tensors.push_back({name, typeId, std::move(shape), std::move(data)});
}

void GgufWriter::tensor(const std::string& name, TensorType type, std::vector<std::uint64_t> shape, std::string data) {
    tensor(name, static_cast<std::uint32_t>(type), std::move(shape), std::move(data));
}

void GgufWriter::tensor(const std::string& name, std::vector<std::uint64_t> shape, const std::vector<float>& values) {
    tensor(name, TensorType::f32, std::move(shape), rawValues(values));
}

void GgufWriter::remove(const std::string& name) {
    std::erase_if(m_values, [&](const Value& value) { return value.key == name; });
    std::erase_if(m_tensors, [&](const Tensor& tensor) { return tensor.name == name; });
}

void GgufWriter::setAlignment(std::uint32_t bytes) {
    m_alignment = bytes;
    u32("general.alignment", bytes);
}

void GgufWriter::drop(const std::string& key) {
    std::erase_if(m_values, [&key](const Value& one) { return one.key == key; });
}

void GgufWriter::dropTensor(const std::string& name) {
    std::erase_if(m_tensors, [&name](const Tensor& one) { return one.name == name; });
}

std::string GgufWriter::build(std::vector<WrittenField>& fields) const {
    std::string out;
    const auto put = [&](const std::string& what, const std::string& bytes) {
        fields.push_back({what, out.size(), bytes.size()});
        out += bytes;
    };
    const auto padded = [this](std::size_t size) { return (size + m_alignment - 1) / m_alignment * m_alignment; };
    put("magic", "GGUF");
    put("version", rawBytes(m_version));
    put("tensor count", rawBytes<std::uint64_t>(m_tensors.size()));
    put("key count", rawBytes<std::uint64_t>(m_values.size()));
    for (const Value& value : m_values) {
        put(value.key + ": key length", rawBytes<std::uint64_t>(value.key.size()));
        put(value.key + ": key", value.key);
        put(value.key + ": type", rawBytes(static_cast<std::uint32_t>(value.type)));
        if (value.type == ValueType::array) {
            put(value.key + ": element type", rawBytes(static_cast<std::uint32_t>(value.element)));
            put(value.key + ": count", rawBytes(value.count));
        }
        if (value.type == ValueType::string) {
            put(value.key + ": length", value.bytes.substr(0, 8));
            put(value.key + ": text", value.bytes.substr(8));
        } else {
            put(value.key + ": value", value.bytes);
        }
    }
    std::size_t offset = 0;
    for (const Tensor& tensor : m_tensors) {
        put(tensor.name + ": name length", rawBytes<std::uint64_t>(tensor.name.size()));
        put(tensor.name + ": name", tensor.name);
        put(tensor.name + ": dimensions", rawBytes(static_cast<std::uint32_t>(tensor.shape.size())));
        for (std::size_t i = 0; i < tensor.shape.size(); ++i)
            put(tensor.name + ": size " + std::to_string(i), rawBytes(tensor.shape[i]));
        put(tensor.name + ": tensor type", rawBytes(tensor.typeId));
        put(tensor.name + ": offset", rawBytes<std::uint64_t>(offset));
        offset = padded(offset + tensor.data.size());
    }
    out.resize(padded(out.size()), '\0');
    for (const Tensor& tensor : m_tensors) {
        out += tensor.data;
        out.resize(padded(out.size()), '\0');
    }
    return out;
}

std::string GgufWriter::bytes() const {
    std::vector<WrittenField> fields;
    return build(fields);
}

std::vector<WrittenField> GgufWriter::fields() const {
    std::vector<WrittenField> fields;
    (void)build(fields);
    return fields;
}

bool GgufWriter::write(const std::string& path) const {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    const std::string all = bytes();
    file.write(all.data(), static_cast<std::streamsize>(all.size()));
    file.close();
    return file.good();
}

} // namespace decodescope::engine::test
