#pragma once

#include <queue>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

/// Order statistics that can be kept while values come in. All values are whole numbers (nanoseconds, picoseconds),
/// so that sums are exact and do not depend on the order of adding.
namespace decodescope {

/// A sum of many whole numbers, and of their squares, without rounding.
__extension__ using WideInt = __int128;

/// A sorted sequence in blocks: adding and removing cost O(sqrt n), the k-th value O(log n).
class SortedBlocks {
public:
    void insert(std::int64_t value);
    /// Removes one value that equals `value`; it must be there.
    void erase(std::int64_t value);
    void clear();
    [[nodiscard]] std::size_t size() const noexcept { return m_size; }
    [[nodiscard]] std::int64_t at(std::size_t index) const;

private:
    [[nodiscard]] std::size_t blockFor(std::int64_t value) const;
    std::vector<std::vector<std::int64_t>> m_blocks; ///< none is empty
    std::size_t m_size = 0;
    mutable std::vector<std::size_t> m_before; ///< values before each block; empty: to be counted again
};

/// The median of all values added so far, in O(log n) a value.
class RunningMedian {
public:
    void add(std::int64_t value);
    [[nodiscard]] std::size_t count() const noexcept { return m_low.size() + m_high.size(); }
    /// Mean of the two middle values for an even count. Not to be asked while empty.
    [[nodiscard]] double value() const;

private:
    std::priority_queue<std::int64_t> m_low;
    std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> m_high;
};

/// Type 7 quantile: linear interpolation between order statistics. `at(i)` gives the i-th smallest of n >= 1.
template <class At> [[nodiscard]] double quantileOf(std::size_t n, const At& at, double q) {
    const double h = q * static_cast<double>(n - 1);
    const auto below = static_cast<std::size_t>(h);
    const auto low = static_cast<double>(at(below));
    if (below + 1 >= n)
        return low;
    return low + (h - static_cast<double>(below)) * (static_cast<double>(at(below + 1)) - low);
}

/// The k-th smallest (from 0) distance of the n sorted values to `centre`: the k + 1 nearest values are neighbours.
template <class At> [[nodiscard]] double kthDistance(std::size_t n, const At& at, double centre, std::size_t k) {
    std::size_t low = 0;
    std::size_t high = n - (k + 1);
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        const double left = centre - static_cast<double>(at(middle));
        const double right = static_cast<double>(at(middle + k + 1)) - centre;
        if (left <= right)
            high = middle;
        else
            low = middle + 1;
    }
    return std::max(centre - static_cast<double>(at(low)), static_cast<double>(at(low + k)) - centre);
}

/// Median of an unsorted handful (type 7). Not empty.
[[nodiscard]] double medianOf(std::vector<std::int64_t> values);

} // namespace decodescope
