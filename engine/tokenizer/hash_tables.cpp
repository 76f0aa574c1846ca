#include "engine/tokenizer/hash_tables.h"

#define XXH_INLINE_ALL
#include <algorithm>
#include <bit>
#include <random>
#include <xxhash.h>

namespace decodescope::engine {

namespace {

/// Drawn once for each process.
std::uint64_t processKey() {
    static const std::uint64_t kKey = [] {
        std::random_device device;
        return (std::uint64_t{device()} << 32) | device();
    }();
    return kKey;
}

/// At most half full, so that a search for what is not there ends soon.
std::size_t slotsFor(std::size_t count) {
    return std::bit_ceil(std::max<std::size_t>(count, 8) * 2);
}

} // namespace

void TextTable::reserve(std::size_t count, std::size_t bytes) {
    m_ends.reserve(count + 1);
    m_bytes.reserve(bytes);
}

void TextTable::add(std::string_view text) {
    m_bytes.insert(m_bytes.end(), text.begin(), text.end());
    m_ends.push_back(static_cast<std::uint32_t>(m_bytes.size()));
}

void TextIndex::reset(std::size_t count) {
    m_key = processKey();
    m_slots.assign(slotsFor(count), Slot{});
    m_mask = m_slots.size() - 1;
}

TextIndex::Insert TextIndex::insert(const TextTable& texts, std::uint32_t index) {
    const std::string_view text = texts[index];
    const std::uint64_t hashed = hash(text);
    const auto tag = static_cast<std::uint32_t>(hashed >> 32);
    std::size_t at = hashed & m_mask;
    for (int probe = 0; probe < kMaxProbes; ++probe, at = (at + 1) & m_mask) {
        Slot& slot = m_slots[at];
        if (slot.entry == 0) {
            slot = {tag, index + 1};
            return Insert::added;
        }
        if (slot.tag == tag && texts[slot.entry - 1] == text) {
            return Insert::present;
        }
    }
    return Insert::full;
}

std::uint64_t TextIndex::hash(std::string_view text) const noexcept {
    return XXH3_64bits_withSeed(text.data(), text.size(), m_key);
}

std::optional<std::uint32_t> TextIndex::find(const TextTable& texts, std::string_view text,
                                             std::uint64_t hash) const noexcept {
    const auto tag = static_cast<std::uint32_t>(hash >> 32);
    for (std::size_t at = hash & m_mask; m_slots[at].entry != 0; at = (at + 1) & m_mask) {
        if (m_slots[at].tag == tag && texts[m_slots[at].entry - 1] == text) {
            return m_slots[at].entry - 1;
        }
    }
    return std::nullopt;
}

void PairMap::reset(std::size_t count) {
    m_slots.assign(slotsFor(count), Slot{});
    m_mask = m_slots.size() - 1;
    m_size = 0;
    m_key = processKey();
}

void PairMap::grow() {
    std::vector<Slot> old(slotsFor(m_size + 1), Slot{});
    old.swap(m_slots);
    m_mask = m_slots.size() - 1;
    m_key = processKey();
    m_size = 0;
    for (const Slot& slot : old) {
        if (slot.used) {
            insert(slot.left, slot.right, slot.value);
        }
    }
}

bool PairMap::insert(std::uint32_t left, std::uint32_t right, Value value) {
    if (2 * (m_size + 1) > m_slots.size()) {
        grow();
    }
    std::size_t at = slotOf(left, right);
    for (int probe = 0; probe < kMaxProbes; ++probe, at = (at + 1) & m_mask) {
        Slot& slot = m_slots[at];
        if (!slot.used) {
            slot = {left, right, 1, value};
            ++m_size;
            return true;
        }
        if (slot.left == left && slot.right == right) {
            return false;
        }
    }
    return false;
}

} // namespace decodescope::engine
