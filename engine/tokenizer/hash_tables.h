#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

/// Flat hash tables for vocabularies. Both are filled once and then only read. The hash has a key of this process, so
/// that no file can be made whose entries all collide; insertion gives up all the same after kMaxProbes steps.
namespace decodescope::engine {

inline constexpr int kMaxProbes = 1024;

/// Many texts in one allocation, by number: less than 4 GiB in all.
class TextTable {
public:
    void reserve(std::size_t count, std::size_t bytes);
    void add(std::string_view text);
    [[nodiscard]] std::string_view operator[](std::size_t index) const noexcept {
        return {m_bytes.data() + m_ends[index], static_cast<std::size_t>(m_ends[index + 1] - m_ends[index])};
    }
    [[nodiscard]] std::size_t size() const noexcept { return m_ends.size() - 1; }

private:
    std::vector<char> m_bytes;
    std::vector<std::uint32_t> m_ends{0};
};

/// From a text to its number in a TextTable, which is given with each call.
class TextIndex {
public:
    enum class Insert : std::uint8_t { added, present, full };

    /// Empty, with room for `count` entries.
    void reset(std::size_t count);
    Insert insert(const TextTable& texts, std::uint32_t index);
    [[nodiscard]] std::optional<std::uint32_t> find(const TextTable& texts, std::string_view text) const noexcept {
        return find(texts, text, hash(text));
    }

    // The same in two steps, for those who look up many texts and can let memory work meanwhile.
    [[nodiscard]] std::uint64_t hash(std::string_view text) const noexcept;
    void prefetch(std::uint64_t hash) const noexcept { __builtin_prefetch(&m_slots[hash & m_mask]); }
    [[nodiscard]] std::optional<std::uint32_t> find(const TextTable& texts, std::string_view text,
                                                    std::uint64_t hash) const noexcept;

private:
    struct Slot {
        std::uint32_t tag = 0;
        std::uint32_t entry = 0; ///< index + 1; 0: empty
    };
    std::vector<Slot> m_slots = std::vector<Slot>(1);
    std::size_t m_mask = 0;
    std::uint64_t m_key = 0;
};

/// From a pair of numbers (the second less than 2^31) to two others. Grows by itself.
class PairMap {
public:
    struct Value {
        std::uint32_t first = 0;
        std::uint32_t second = 0;
    };
    /// Empty, with room for `count` entries.
    void reset(std::size_t count);
    /// False when the pair is there already or the table is full of collisions.
    bool insert(std::uint32_t left, std::uint32_t right, Value value);
    [[nodiscard]] const Value* find(std::uint32_t left, std::uint32_t right) const noexcept {
        std::size_t at = slotOf(left, right);
        while (m_slots[at].used) {
            if (m_slots[at].left == left && m_slots[at].right == right) {
                return &m_slots[at].value;
            }
            at = (at + 1) & m_mask;
        }
        return nullptr;
    }
    void prefetch(std::uint32_t left, std::uint32_t right) const noexcept {
        __builtin_prefetch(&m_slots[slotOf(left, right)], 1);
    }

private:
    struct Slot {
        std::uint32_t left = 0;
        std::uint32_t right : 31 = 0;
        std::uint32_t used : 1 = 0;
        Value value;
    };
    void grow();
    [[nodiscard]] std::size_t slotOf(std::uint32_t left, std::uint32_t right) const noexcept {
        const std::uint64_t mixed = (((std::uint64_t{left} << 32) | right) ^ m_key) * 0x9E3779B97F4A7C15U;
        return static_cast<std::size_t>((mixed ^ (mixed >> 32)) * 0xD6E8FEB86659FD93U >> 20) & m_mask;
    }
    std::vector<Slot> m_slots = std::vector<Slot>(1);
    std::size_t m_mask = 0;
    std::size_t m_size = 0;
    std::uint64_t m_key = 0;
};

} // namespace decodescope::engine
