#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace decodescope {

/// An append-only array that never moves what it holds: growing costs one block, not a copy of everything (a copy of
/// 100,000 points in the middle of a frame would be seen), and wastes at most one block.
template <class T> class ChunkedArray {
public:
    [[nodiscard]] std::size_t size() const { return m_size; }
    [[nodiscard]] bool empty() const { return m_size == 0; }
    [[nodiscard]] T operator[](std::size_t i) const { return m_blocks[i / kBlock][i % kBlock]; }
    [[nodiscard]] T& operator[](std::size_t i) { return m_blocks[i / kBlock][i % kBlock]; }
    [[nodiscard]] T back() const { return (*this)[m_size - 1]; }
    [[nodiscard]] T& back() { return (*this)[m_size - 1]; }

    void append(T value) {
        if (m_size == m_blocks.size() * kBlock)
            m_blocks.push_back(std::make_unique<T[]>(kBlock));
        m_blocks[m_size / kBlock][m_size % kBlock] = value;
        ++m_size;
    }
    /// Forgets everything from index `size` on; the blocks stay for what comes next.
    void truncate(std::size_t size) {
        if (size < m_size)
            m_size = size;
    }
    void clear() {
        m_blocks.clear();
        m_size = 0;
    }

    /// Bytes held, spare room included.
    [[nodiscard]] std::size_t bytes() const {
        return m_blocks.size() * kBlock * sizeof(T) + m_blocks.capacity() * sizeof(std::unique_ptr<T[]>);
    }

    /// Index of the first element >= value in an ascending array, from index `from` on; size() when there is none.
    /// Quick when the answer is near `from`.
    [[nodiscard]] std::size_t lowerBound(double value, std::size_t from = 0) const {
        std::size_t low = from;
        std::size_t step = 1;
        while (low + step < m_size && static_cast<double>((*this)[low + step]) < value) {
            low += step;
            step *= 2;
        }
        std::size_t high = low + step < m_size ? low + step : m_size;
        while (low < high) {
            const std::size_t middle = low + (high - low) / 2;
            if (static_cast<double>((*this)[middle]) < value)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }

private:
    static constexpr std::size_t kBlock = 512;
    std::vector<std::unique_ptr<T[]>> m_blocks;
    std::size_t m_size = 0;
};

} // namespace decodescope
