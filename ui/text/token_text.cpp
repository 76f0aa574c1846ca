#include "ui/text/token_text.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace decodescope {
namespace {

// Text after a line's end that must be known before the line is closed: what follows can still change how the last
// word is shaped, and so where the line breaks.
constexpr std::uint32_t kSettled = 16;
// A first guess at what fills a few lines; doubled where it does not.
constexpr std::uint32_t kWindow = 1024;
constexpr std::size_t kKeptLayouts = 400;

bool isBreak(QChar c) {
    return c == QLatin1Char('\n') || c == QChar(0x2028) || c == QChar(0x2029);
}

bool joinsOn(QChar c) {
    return c.joiningType() != QChar::Joining_None;
}

std::uint32_t paragraphEnd(const QString& text, std::uint32_t from) {
    const auto found = std::find_if(text.begin() + from, text.end(), isBreak);
    return static_cast<std::uint32_t>(found - text.begin());
}

} // namespace

void TokenText::setFonts(const QFont& text, const QFont& label, int lineHeight) {
    m_font = text;
    m_labelFont = label;
    m_lineHeight = lineHeight;
    const QFontMetricsF metrics(text);
    m_baseline = std::round((lineHeight - metrics.ascent() - metrics.descent()) / 2 + metrics.ascent());
    if (m_width > 0)
        rewrapFromLine(0);
}

void TokenText::setWidth(int px) {
    if (px == m_width || px <= 0)
        return;
    m_width = px;
    rewrapFromLine(0);
}

void TokenText::clear() {
    m_buffer.clear();
    m_lines.clear();
    m_inserts.clear();
    m_layouts.clear();
}

int TokenText::append(const RunRecord& record) {
    const std::uint32_t oldSize = m_buffer.textSize();
    const std::uint32_t changedToken = m_buffer.append(record);
    if (m_width <= 0 || changedToken >= m_buffer.tokenCount())
        return lineCount();
    int first = lineCount();
    if (m_buffer.textSize() > oldSize) {
        first = std::max(0, lineCount() - 1);
        // A short open line leaves the break before it unsettled; and where a joined script was cut within a word, the
        // letter after the cut has another form, and width, when it is shaped without the one before.
        while (first > 0 && line(first - 1).end == line(first).start &&
               (oldSize - line(first).start < kSettled || joinsOn(m_buffer.text().at(line(first).start - 1))))
            --first;
        rewrapFromLine(first);
    }
    // The marks of a read that goes on may lie further up.
    return std::min(first, lineOf(m_buffer.begin(changedToken)));
}

int TokenText::setInserts(std::vector<TextInsert> inserts) {
    if (inserts == m_inserts)
        return lineCount();
    const auto [before, after] = std::mismatch(m_inserts.begin(), m_inserts.end(), inserts.begin(), inserts.end());
    std::uint32_t position = m_buffer.textSize();
    if (before != m_inserts.end())
        position = std::min(position, before->position);
    if (after != inserts.end())
        position = std::min(position, after->position);
    m_inserts = std::move(inserts);
    if (m_width <= 0 || m_lines.empty())
        return lineCount();
    // A label that went may let its word back onto the line before.
    const int first = std::max(0, lineOf(position) - 1);
    rewrapFromLine(first);
    return first;
}

void TokenText::rewrapFromLine(int index) {
    std::uint32_t start = 0;
    bool rightToLeft = false;
    if (index < lineCount()) {
        start = line(index).start;
        rightToLeft = line(index).rightToLeft;
    }
    const bool beginsParagraph = start == 0 || isBreak(m_buffer.text().at(start - 1));
    m_lines.resize(static_cast<std::size_t>(std::min(index, lineCount())));
    std::erase_if(m_layouts, [index](const auto& entry) { return entry.first >= index; });
    if (m_width <= 0 || m_buffer.tokenCount() == 0)
        return;
    wrapFrom(start, beginsParagraph ? paragraphDirection(start) : rightToLeft);
}

bool TokenText::paragraphDirection(std::uint32_t start) const {
    constexpr qsizetype kEnough = 256;
    const QStringView text = QStringView(m_buffer.text()).mid(start, kEnough);
    const auto end = std::find_if(text.begin(), text.end(), isBreak);
    return text.first(end - text.begin()).isRightToLeft();
}

void TokenText::wrapFrom(std::uint32_t start, bool rightToLeft) {
    const QString& text = m_buffer.text();
    for (;;) {
        const std::uint32_t end = paragraphEnd(text, start);
        wrapParagraph(start, end, rightToLeft);
        if (end >= m_buffer.textSize())
            return;
        start = end + 1;
        rightToLeft = paragraphDirection(start);
    }
}

void TokenText::wrapParagraph(std::uint32_t start, std::uint32_t end, bool rightToLeft) {
    const QString& text = m_buffer.text();
    std::uint32_t window = kWindow;
    for (;;) {
        std::uint32_t stop = end - start > window ? start + window : end;
        if (stop < end && text.at(stop).isLowSurrogate())
            --stop;
        const bool whole = stop == end;
        const auto [firstInsert, insertCount] = insertsWithin(start, stop, whole);
        if (start == end && insertCount == 0) {
            m_lines.push_back({start, end, rightToLeft});
            return;
        }
        LineLayout piece(QStringView(text).mid(start, stop - start), start, m_inserts.data() + firstInsert, insertCount,
                         m_font, m_labelFont, rightToLeft);
        piece.wrap(m_width);
        const std::uint32_t began = start;
        const int lines = piece.layout().lineCount();
        for (int i = 0; i < lines; ++i) {
            const QTextLine wrapped = piece.layout().lineAt(i);
            std::uint32_t lineEnd = piece.toText(wrapped.textStart() + wrapped.textLength());
            if (i + 1 == lines)
                lineEnd = stop;
            else if (lineEnd <= start)
                continue; // a label wider than the line: its word goes with it
            if (!whole && stop - lineEnd < kSettled)
                break;
            m_lines.push_back({start, lineEnd, rightToLeft});
            start = lineEnd;
        }
        if (whole)
            return;
        window = start == began ? window * 2 : kWindow;
    }
}

std::pair<std::size_t, std::size_t> TokenText::insertsWithin(std::uint32_t from, std::uint32_t to, bool withEnd) const {
    const auto less = [](const TextInsert& insert, std::uint32_t position) { return insert.position < position; };
    const auto first = std::lower_bound(m_inserts.begin(), m_inserts.end(), from, less);
    auto last = std::lower_bound(first, m_inserts.end(), to, less);
    while (withEnd && last != m_inserts.end() && last->position == to)
        ++last;
    return {static_cast<std::size_t>(first - m_inserts.begin()), static_cast<std::size_t>(last - first)};
}

std::pair<std::size_t, std::size_t> TokenText::insertsOf(int index) const {
    const Line& here = line(index);
    // At a soft break an insert goes with the word after it, at the end of a paragraph with the line before.
    const bool endsParagraph = index + 1 >= lineCount() || line(index + 1).start > here.end;
    return insertsWithin(here.start, here.end, endsParagraph);
}

int TokenText::lineOf(std::uint32_t position) const {
    const auto after = std::upper_bound(m_lines.begin(), m_lines.end(), position,
                                        [](std::uint32_t value, const Line& l) { return value < l.start; });
    return after == m_lines.begin() ? 0 : static_cast<int>(after - m_lines.begin()) - 1;
}

LineLayout& TokenText::layout(int index) {
    if (const auto kept = m_layouts.find(index); kept != m_layouts.end())
        return *kept->second;
    if (m_layouts.size() >= kKeptLayouts)
        m_layouts.clear();
    const Line& here = line(index);
    const auto [firstInsert, insertCount] = insertsOf(index);
    auto made = std::make_unique<LineLayout>(QStringView(m_buffer.text()).mid(here.start, here.end - here.start),
                                             here.start, m_inserts.data() + firstInsert, insertCount, m_font,
                                             m_labelFont, here.rightToLeft);
    made->place(m_width, m_baseline);
    return *m_layouts.emplace(index, std::move(made)).first->second;
}

std::size_t TokenText::memory() const {
    return m_buffer.memory() + m_lines.capacity() * sizeof(Line);
}

} // namespace decodescope
