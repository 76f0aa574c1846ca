#include "engine/tokenizer/char_class.h"

#include "engine/tokenizer/utf8.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace decodescope::engine {

namespace {

constexpr std::uint32_t kRanges[] = {
#include "engine/tokenizer/unicode_ranges.inc"
};

constexpr char32_t kCodePoints = 0x110000;

/// The class of every code point as the number of its bit: 1.1 MB, filled once.
class ClassTable {
public:
    ClassTable()
        : m_classes(kCodePoints) {
        for (std::size_t range = 0; range < std::size(kRanges); ++range) {
            const std::uint32_t first = kRanges[range] >> 4;
            const std::uint32_t end = range + 1 < std::size(kRanges) ? kRanges[range + 1] >> 4 : kCodePoints;
            std::fill(m_classes.begin() + first, m_classes.begin() + end,
                      static_cast<std::uint8_t>(kRanges[range] & 15));
        }
    }
    [[nodiscard]] CharClass of(char32_t codePoint) const noexcept {
        return codePoint < kCodePoints ? static_cast<CharClass>(1U << m_classes[codePoint]) : kOther;
    }

private:
    std::vector<std::uint8_t> m_classes;
};

const ClassTable& table() {
    static const ClassTable kTable;
    return kTable;
}

} // namespace

CharClass charClass(char32_t codePoint) noexcept {
    return table().of(codePoint);
}

void classify(std::string_view text, std::vector<CharClass>& classes) {
    const ClassTable& all = table();
    classes.resize(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Step step = utf8Step(text.substr(at));
        classes[at] = all.of(step.codePoint);
        std::fill_n(classes.begin() + static_cast<std::ptrdiff_t>(at) + 1, step.bytes - 1, kContinuation);
        at += step.bytes;
    }
}

} // namespace decodescope::engine
