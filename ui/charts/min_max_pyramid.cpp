#include "ui/charts/min_max_pyramid.h"

#include <algorithm>

namespace decodescope {

void MinMaxPyramid::append(float value) {
    m_values.append(value);
    std::size_t block = kFactor;
    for (std::size_t level = 0; m_values.size() % block == 0; ++level, block *= kFactor) {
        if (level == m_levels.size())
            m_levels.emplace_back();
        Extent extent;
        if (level == 0) {
            for (std::size_t i = m_values.size() - kFactor; i < m_values.size(); ++i)
                extent.include(m_values[i]);
        } else {
            const ChunkedArray<Extent>& below = m_levels[level - 1];
            for (std::size_t i = below.size() - kFactor; i < below.size(); ++i)
                extent.include(below[i]);
        }
        m_levels[level].append(extent);
    }
}

void MinMaxPyramid::truncate(std::size_t size) {
    if (size >= m_values.size())
        return;
    m_values.truncate(size);
    for (ChunkedArray<Extent>& level : m_levels) {
        size /= kFactor;
        level.truncate(size);
    }
}

void MinMaxPyramid::clear() {
    m_values.clear();
    m_levels.clear();
}

MinMaxPyramid::Extent MinMaxPyramid::extent(std::size_t begin, std::size_t end) const {
    end = std::min(end, m_values.size());
    Extent result;
    while (begin < end) {
        // The largest complete block that starts here and does not reach past the end.
        std::size_t length = 1;
        std::size_t level = 0;
        while (level < m_levels.size() && begin % (length * kFactor) == 0 && begin + length * kFactor <= end) {
            length *= kFactor;
            ++level;
        }
        if (level == 0)
            result.include(m_values[begin]);
        else
            result.include(m_levels[level - 1][begin / length]);
        begin += length;
    }
    return result;
}

std::vector<MinMaxPyramid::Column> MinMaxPyramid::query(std::size_t begin, std::size_t end, std::size_t columns) const {
    end = std::min(end, m_values.size());
    std::vector<Column> result;
    if (begin >= end || columns == 0)
        return result;
    const std::size_t count = end - begin;
    const std::size_t parts = count <= 2 * columns ? count : columns;
    result.reserve(parts);
    for (std::size_t part = 0; part < parts; ++part) {
        Column column;
        column.begin = begin + count * part / parts;
        column.end = begin + count * (part + 1) / parts;
        column.extent = extent(column.begin, column.end);
        result.push_back(column);
    }
    return result;
}

std::size_t MinMaxPyramid::bytes() const {
    std::size_t sum = m_values.bytes();
    for (const ChunkedArray<Extent>& level : m_levels)
        sum += level.bytes();
    return sum;
}

} // namespace decodescope
