#pragma once

#include "ui/charts/chunked_array.h"

#include <cstddef>
#include <limits>
#include <vector>

namespace decodescope {

/// A growing row of float32 values of which any stretch tells its smallest and largest member in O(log n): blocks of
/// 4, 16, 64 ... values keep theirs. A curve drawn from it never loses a single outlier, however far it is zoomed
/// out. x is implicit; who has an x of his own keeps it beside and asks by index. NaN counts as "no value".
class MinMaxPyramid {
public:
    struct Extent {
        float min = std::numeric_limits<float>::infinity();
        float max = -std::numeric_limits<float>::infinity();
        [[nodiscard]] bool empty() const { return !(min <= max); }
        void include(float value) {
            if (value < min)
                min = value;
            if (value > max)
                max = value;
        }
        void include(const Extent& other) {
            if (other.empty())
                return;
            include(other.min);
            include(other.max);
        }
        friend bool operator==(const Extent&, const Extent&) = default;
    };

    /// What falls into one column of the picture: values [begin, end).
    struct Column {
        std::size_t begin = 0;
        std::size_t end = 0;
        Extent extent;
    };

    /// Amortised O(1).
    void append(float value);
    /// Forgets the values from index `size` on.
    void truncate(std::size_t size);
    void clear();

    [[nodiscard]] std::size_t size() const { return m_values.size(); }
    [[nodiscard]] float at(std::size_t index) const { return m_values[index]; }
    /// Smallest and largest of [begin, end), ends clamped; empty when there is no value.
    [[nodiscard]] Extent extent(std::size_t begin, std::size_t end) const;
    /// [begin, end) cut into at most `columns` stretches of even length, each with its extent: two points a column.
    /// Where there are no more values than twice the columns every value is a column of its own (raw).
    [[nodiscard]] std::vector<Column> query(std::size_t begin, std::size_t end, std::size_t columns) const;
    /// Bytes held, spare room included.
    [[nodiscard]] std::size_t bytes() const;

private:
    static constexpr std::size_t kFactor = 4;
    ChunkedArray<float> m_values;
    std::vector<ChunkedArray<Extent>> m_levels; // level l: complete blocks of 4^(l+1) values
};

} // namespace decodescope
