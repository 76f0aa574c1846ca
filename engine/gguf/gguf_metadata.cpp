#include "engine/gguf/gguf_metadata.h"

#include "engine/gguf/gguf_limits.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

namespace decodescope::engine {

namespace {

template <class T> T load(const std::byte* at) noexcept {
    T value{};
    std::memcpy(&value, at, sizeof value);
    return value;
}

bool isInteger(ValueType type) noexcept {
    switch (type) {
    case ValueType::u8:
    case ValueType::i8:
    case ValueType::u16:
    case ValueType::i16:
    case ValueType::u32:
    case ValueType::i32:
    case ValueType::u64:
    case ValueType::i64:
        return true;
    default:
        return false;
    }
}

/// An integer of any width, or a bool as 0 or 1; nullopt for a u64 beyond the range.
std::optional<std::int64_t> integerAt(ValueType type, const std::byte* at) noexcept {
    switch (type) {
    case ValueType::u8:
    case ValueType::boolean:
        return load<std::uint8_t>(at);
    case ValueType::i8:
        return load<std::int8_t>(at);
    case ValueType::u16:
        return load<std::uint16_t>(at);
    case ValueType::i16:
        return load<std::int16_t>(at);
    case ValueType::u32:
        return load<std::uint32_t>(at);
    case ValueType::i32:
        return load<std::int32_t>(at);
    case ValueType::i64:
        return load<std::int64_t>(at);
    case ValueType::u64: {
        const auto value = load<std::uint64_t>(at);
        if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
            return std::nullopt;
        return static_cast<std::int64_t>(value);
    }
    default:
        return std::nullopt;
    }
}

} // namespace

std::uint32_t valueBytes(ValueType type) noexcept {
    switch (type) {
    case ValueType::u8:
    case ValueType::i8:
    case ValueType::boolean:
        return 1;
    case ValueType::u16:
    case ValueType::i16:
        return 2;
    case ValueType::u32:
    case ValueType::i32:
    case ValueType::f32:
        return 4;
    case ValueType::u64:
    case ValueType::i64:
    case ValueType::f64:
        return 8;
    case ValueType::string:
    case ValueType::array:
        return 0;
    }
    return 0;
}

Metadata::Metadata(std::vector<MetadataEntry> entries)
    : m_entries(std::move(entries))
    , m_byKey(m_entries.size()) {
    std::iota(m_byKey.begin(), m_byKey.end(), 0U);
    std::sort(m_byKey.begin(), m_byKey.end(),
              [this](std::uint32_t a, std::uint32_t b) { return m_entries[a].key < m_entries[b].key; });
}

std::optional<std::string_view> Metadata::duplicate() const {
    const auto twice = std::adjacent_find(m_byKey.begin(), m_byKey.end(), [this](std::uint32_t a, std::uint32_t b) {
        return m_entries[a].key == m_entries[b].key;
    });
    if (twice == m_byKey.end())
        return std::nullopt;
    return m_entries[*twice].key;
}

const MetadataEntry* Metadata::find(std::string_view key) const {
    const auto at =
        std::lower_bound(m_byKey.begin(), m_byKey.end(), key,
                         [this](std::uint32_t a, std::string_view wanted) { return m_entries[a].key < wanted; });
    return at != m_byKey.end() && m_entries[*at].key == key ? &m_entries[*at] : nullptr;
}

std::optional<std::uint64_t> Metadata::unsignedInteger(std::string_view key) const {
    const MetadataEntry* const entry = find(key);
    if (entry == nullptr || !isInteger(entry->type))
        return std::nullopt;
    if (entry->type == ValueType::u64)
        return load<std::uint64_t>(entry->data);
    const std::optional<std::int64_t> value = integerAt(entry->type, entry->data);
    if (!value || *value < 0)
        return std::nullopt;
    return static_cast<std::uint64_t>(*value);
}

std::optional<double> Metadata::real(std::string_view key) const {
    const MetadataEntry* const entry = find(key);
    if (entry == nullptr)
        return std::nullopt;
    if (entry->type == ValueType::f32)
        return load<float>(entry->data);
    if (entry->type == ValueType::f64)
        return load<double>(entry->data);
    if (entry->type == ValueType::u64)
        return static_cast<double>(load<std::uint64_t>(entry->data));
    if (!isInteger(entry->type))
        return std::nullopt;
    return static_cast<double>(*integerAt(entry->type, entry->data));
}

std::optional<bool> Metadata::flag(std::string_view key) const {
    const MetadataEntry* const entry = find(key);
    if (entry == nullptr || entry->type != ValueType::boolean)
        return std::nullopt;
    return load<std::uint8_t>(entry->data) != 0;
}

std::optional<std::string_view> Metadata::text(std::string_view key) const {
    const MetadataEntry* const entry = find(key);
    if (entry == nullptr || entry->type != ValueType::string)
        return std::nullopt;
    return std::string_view(reinterpret_cast<const char*>(entry->data), entry->count);
}

const MetadataEntry* Metadata::array(std::string_view key) const {
    const MetadataEntry* const entry = find(key);
    return entry != nullptr && entry->type == ValueType::array ? entry : nullptr;
}

std::optional<std::vector<std::string_view>> Metadata::texts(std::string_view key) const {
    const MetadataEntry* const entry = array(key);
    if (entry == nullptr || entry->element != ValueType::string || entry->count > kMaxCopiedElements)
        return std::nullopt;
    std::vector<std::string_view> out;
    out.reserve(entry->count);
    const std::byte* at = entry->data;
    for (std::uint64_t i = 0; i < entry->count; ++i) { // the lengths were checked when the header was read
        const auto length = load<std::uint64_t>(at);
        out.emplace_back(reinterpret_cast<const char*>(at + sizeof length), length);
        at += sizeof length + length;
    }
    return out;
}

std::optional<std::vector<float>> Metadata::reals(std::string_view key) const {
    const MetadataEntry* const entry = array(key);
    if (entry == nullptr || entry->count > kMaxCopiedElements ||
        (entry->element != ValueType::f32 && entry->element != ValueType::f64))
        return std::nullopt;
    std::vector<float> out(entry->count);
    for (std::uint64_t i = 0; i < entry->count; ++i)
        out[i] = entry->element == ValueType::f32 ? load<float>(entry->data + i * sizeof(float))
                                                  : static_cast<float>(load<double>(entry->data + i * sizeof(double)));
    return out;
}

std::optional<std::vector<std::int64_t>> Metadata::integers(std::string_view key) const {
    const MetadataEntry* const entry = array(key);
    if (entry == nullptr || entry->count > kMaxCopiedElements ||
        (!isInteger(entry->element) && entry->element != ValueType::boolean))
        return std::nullopt;
    const std::uint32_t width = valueBytes(entry->element);
    std::vector<std::int64_t> out(entry->count);
    for (std::uint64_t i = 0; i < entry->count; ++i) {
        const std::optional<std::int64_t> value = integerAt(entry->element, entry->data + i * width);
        if (!value)
            return std::nullopt;
        out[i] = *value;
    }
    return out;
}

} // namespace decodescope::engine
