#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace decodescope::engine {

/// The value types of the format, by their ids.
enum class ValueType : std::uint32_t {
    u8 = 0,
    i8 = 1,
    u16 = 2,
    i16 = 3,
    u32 = 4,
    i32 = 5,
    f32 = 6,
    boolean = 7,
    string = 8,
    array = 9,
    u64 = 10,
    i64 = 11,
    f64 = 12
};

/// Bytes of one value; 0 for strings, arrays and ids without a meaning.
[[nodiscard]] std::uint32_t valueBytes(ValueType type) noexcept;

/// One key with its value where it lies in the file, checked when it was found.
struct MetadataEntry {
    std::string_view key;
    ValueType type = ValueType::u8;
    ValueType element = ValueType::u8; ///< of arrays
    std::uint64_t count = 1;           ///< elements of an array, bytes of a string
    const std::byte* data = nullptr;
};

/// The keys of a file: found by binary search, so that no choice of names makes looking them up slow.
class Metadata {
public:
    Metadata() = default;
    explicit Metadata(std::vector<MetadataEntry> entries);

    /// The first key that is there twice, if any.
    [[nodiscard]] std::optional<std::string_view> duplicate() const;
    [[nodiscard]] const std::vector<MetadataEntry>& entries() const noexcept { return m_entries; } ///< in file order
    [[nodiscard]] const MetadataEntry* find(std::string_view key) const;

    // As GgufFile promises them.
    [[nodiscard]] std::optional<std::uint64_t> unsignedInteger(std::string_view key) const;
    [[nodiscard]] std::optional<double> real(std::string_view key) const;
    [[nodiscard]] std::optional<bool> flag(std::string_view key) const;
    [[nodiscard]] std::optional<std::string_view> text(std::string_view key) const;
    [[nodiscard]] const MetadataEntry* array(std::string_view key) const;
    [[nodiscard]] std::optional<std::vector<std::string_view>> texts(std::string_view key) const;
    [[nodiscard]] std::optional<std::vector<float>> reals(std::string_view key) const;
    [[nodiscard]] std::optional<std::vector<std::int64_t>> integers(std::string_view key) const;

private:
    std::vector<MetadataEntry> m_entries;
    std::vector<std::uint32_t> m_byKey; ///< indices of m_entries, ordered by key
};

} // namespace decodescope::engine
