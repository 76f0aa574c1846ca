#include "core/metrics/order_statistics.h"

namespace decodescope {
namespace {

constexpr std::size_t kBlock = 512;

} // namespace

std::size_t SortedBlocks::blockFor(std::int64_t value) const {
    const auto block = std::lower_bound(m_blocks.begin(), m_blocks.end(), value,
                                        [](const auto& b, std::int64_t v) { return b.back() < v; });
    return static_cast<std::size_t>(block - m_blocks.begin());
}

void SortedBlocks::insert(std::int64_t value) {
    m_before.clear();
    ++m_size;
    if (m_blocks.empty()) {
        m_blocks.push_back({value});
        return;
    }
    const std::size_t index = std::min(blockFor(value), m_blocks.size() - 1);
    auto& block = m_blocks[index];
    block.insert(std::upper_bound(block.begin(), block.end(), value), value);
    if (block.size() <= kBlock)
        return;
    const auto half = block.begin() + static_cast<std::ptrdiff_t>(block.size() / 2);
    std::vector<std::int64_t> upper(half, block.end());
    block.erase(half, block.end());
    m_blocks.insert(m_blocks.begin() + static_cast<std::ptrdiff_t>(index) + 1, std::move(upper));
}

void SortedBlocks::erase(std::int64_t value) {
    const std::size_t index = blockFor(value);
    if (index >= m_blocks.size())
        return;
    auto& block = m_blocks[index];
    const auto found = std::lower_bound(block.begin(), block.end(), value);
    if (found == block.end() || *found != value)
        return;
    block.erase(found);
    if (block.empty())
        m_blocks.erase(m_blocks.begin() + static_cast<std::ptrdiff_t>(index));
    m_before.clear();
    --m_size;
}

void SortedBlocks::clear() {
    m_blocks.clear();
    m_before.clear();
    m_size = 0;
}

std::int64_t SortedBlocks::at(std::size_t index) const {
    if (m_before.empty()) {
        std::size_t before = 0;
        for (const auto& block : m_blocks) {
            m_before.push_back(before);
            before += block.size();
        }
    }
    const auto after = std::upper_bound(m_before.begin(), m_before.end(), index);
    const auto block = static_cast<std::size_t>(after - m_before.begin()) - 1;
    return m_blocks[block][index - m_before[block]];
}

void RunningMedian::add(std::int64_t value) {
    if (m_low.empty() || value <= m_low.top())
        m_low.push(value);
    else
        m_high.push(value);
    if (m_low.size() > m_high.size() + 1) {
        m_high.push(m_low.top());
        m_low.pop();
    } else if (m_high.size() > m_low.size()) {
        m_low.push(m_high.top());
        m_high.pop();
    }
}

double RunningMedian::value() const {
    const auto low = static_cast<double>(m_low.top());
    return m_low.size() > m_high.size() ? low : (low + static_cast<double>(m_high.top())) / 2;
}

double medianOf(std::vector<std::int64_t> values) {
    std::sort(values.begin(), values.end());
    return quantileOf(
        values.size(), [&](std::size_t i) { return values[i]; }, 0.5);
}

} // namespace decodescope
