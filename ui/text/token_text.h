#pragma once

#include "ui/text/line_layout.h"
#include "ui/text/token_buffer.h"

#include <QFont>

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace decodescope {

/// A lane's text broken into lines of a width. What arrives is wrapped from the open line on, so the cost of a
/// token does not depend on how much is there already, nor on how long its paragraph is; the result is the same as
/// wrapping the whole text at once. (Where scripts mix, a line may break elsewhere than it would: a space takes its
/// font from the text before it, a letter of a joined script its form, and a line is shaped from its own start.)
class TokenText {
public:
    struct Line {
        std::uint32_t start = 0;
        std::uint32_t end = 0; ///< without the line break
        bool rightToLeft = false;
    };

    void setFonts(const QFont& text, const QFont& label, int lineHeight);
    /// Wraps everything anew when the width is another one.
    void setWidth(int px);
    [[nodiscard]] int width() const { return m_width; }
    void clear();

    /// Takes in new events and wraps them. Returns the first line that changed, lineCount() for none.
    int append(const RunRecord& record);
    /// Replaces the inserts, in the order of their positions. Returns the first line that changed.
    int setInserts(std::vector<TextInsert> inserts);
    bool setHatched(const std::vector<std::uint32_t>& tokens) { return m_buffer.setHatched(tokens); }

    [[nodiscard]] const TokenBuffer& buffer() const { return m_buffer; }
    [[nodiscard]] const std::vector<TextInsert>& inserts() const { return m_inserts; }
    [[nodiscard]] int lineCount() const { return static_cast<int>(m_lines.size()); }
    [[nodiscard]] const Line& line(int index) const { return m_lines[static_cast<std::size_t>(index)]; }
    /// The line that shows a position; 0 on an empty text.
    [[nodiscard]] int lineOf(std::uint32_t position) const;
    /// The shaped line, kept for the next paint. Valid until the text changes.
    [[nodiscard]] LineLayout& layout(int index);
    /// Place in inserts() of the first one that stands in the line, and how many do.
    [[nodiscard]] std::pair<std::size_t, std::size_t> insertsOf(int index) const;
    /// Bytes held, for the benchmark: text, marks and lines.
    [[nodiscard]] std::size_t memory() const;

private:
    void wrapFrom(std::uint32_t start, bool rightToLeft);
    void wrapParagraph(std::uint32_t start, std::uint32_t end, bool rightToLeft);
    /// Drops the lines from `index` on and wraps again.
    void rewrapFromLine(int index);
    [[nodiscard]] bool paragraphDirection(std::uint32_t start) const;
    /// Inserts with positions in [from, to], or [from, to).
    [[nodiscard]] std::pair<std::size_t, std::size_t> insertsWithin(std::uint32_t from, std::uint32_t to,
                                                                    bool withEnd) const;

    TokenBuffer m_buffer;
    std::vector<Line> m_lines;
    std::vector<TextInsert> m_inserts;
    std::unordered_map<int, std::unique_ptr<LineLayout>> m_layouts;
    QFont m_font, m_labelFont;
    int m_lineHeight = 20;
    qreal m_baseline = 14;
    int m_width = 0;
};

} // namespace decodescope
