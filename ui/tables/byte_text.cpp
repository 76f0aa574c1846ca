#include "ui/tables/byte_text.h"

#include "core/base/utf8.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

namespace decodescope {
namespace {

QString hexByte(unsigned char byte) {
    return QStringLiteral("%1").arg(byte, 2, 16, QLatin1Char('0'));
}

/// Length of the well-formed UTF-8 sequence at `at`, or 0.
std::size_t wellFormed(std::string_view bytes, std::size_t at) {
    for (std::size_t n = 1; n <= 4 && at + n <= bytes.size(); ++n)
        if (isValidUtf8(bytes.substr(at, n)))
            return n;
    return 0;
}

QString escaped(unsigned char byte) {
    switch (byte) {
    case '\r':
        return QStringLiteral("\\r");
    case '\n':
        return QStringLiteral("\\n");
    case '\t':
        return QStringLiteral("\\t");
    default:
        return QStringLiteral("\\x") + hexByte(byte);
    }
}

/// Whether a character would be invisible or turn the line around.
bool needsEscape(const QString& piece) {
    const uint code = piece.size() == 1 ? piece[0].unicode() : 0;
    return code != 0 && (code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x200B && code <= 0x200F) ||
                         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF);
}

/// Collects marked stretches that do not cross a line.
class Marks {
public:
    explicit Marks(std::optional<ByteRange> range)
        : m_range(range) {}

    void piece(std::size_t byteBegin, qsizetype textBegin, qsizetype length) {
        if (!m_range || byteBegin < m_range->first || byteBegin >= m_range->second || length == 0)
            return;
        const auto begin = static_cast<int>(textBegin);
        if (!m_out.empty() && m_out.back().first + m_out.back().second == begin)
            m_out.back().second += static_cast<int>(length);
        else
            m_out.emplace_back(begin, static_cast<int>(length));
    }
    [[nodiscard]] std::vector<std::pair<int, int>> take() { return std::move(m_out); }

private:
    std::optional<ByteRange> m_range;
    std::vector<std::pair<int, int>> m_out;
};

ByteLines asText(std::string_view bytes, std::optional<ByteRange> mark) {
    ByteLines out;
    Marks marks(mark);
    for (std::size_t i = 0; i < bytes.size();) {
        const std::size_t n = wellFormed(bytes, i);
        QString piece;
        if (n > 0)
            piece = QString::fromUtf8(bytes.data() + i, static_cast<qsizetype>(n));
        const auto first = static_cast<unsigned char>(bytes[i]);
        if (n == 0 || first < 0x20 || first == 0x7F)
            piece = escaped(first);
        else if (needsEscape(piece))
            piece = QStringLiteral("\\u%1").arg(piece[0].unicode(), 4, 16, QLatin1Char('0'));
        marks.piece(i, out.text.size(), piece.size());
        out.text += piece;
        if (bytes[i] == '\n' && i + 1 < bytes.size())
            out.text += QLatin1Char('\n');
        i += std::max<std::size_t>(1, n);
    }
    out.marked = marks.take();
    return out;
}

ByteLines asHex(std::string_view bytes, std::optional<ByteRange> mark, std::size_t hexRow) {
    ByteLines out;
    Marks marks(mark);
    for (std::size_t row = 0; row < bytes.size(); row += hexRow) {
        if (row > 0)
            out.text += QLatin1Char('\n');
        out.text += QStringLiteral("%1  ").arg(row, 6, 16, QLatin1Char('0'));
        QString characters;
        for (std::size_t i = row; i < row + hexRow; ++i) {
            if (i >= bytes.size()) {
                out.text += QStringLiteral("   ");
                continue;
            }
            const auto byte = static_cast<unsigned char>(bytes[i]);
            marks.piece(i, out.text.size(), 3);
            out.text += hexByte(byte) + QLatin1Char(' ');
            characters += byte >= 0x20 && byte < 0x7F ? QChar(byte) : QChar(QLatin1Char('.'));
        }
        out.text += QLatin1Char(' ') + characters;
    }
    out.marked = marks.take();
    return out;
}

/// Text as it stands between quotes in JSON. Servers write other than ASCII as it is, or as \uXXXX.
std::string jsonEscaped(std::string_view text, bool asciiOnly) {
    std::string out;
    const QString wide = QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
    for (const QChar c : wide) {
        const ushort u = c.unicode();
        if (u == '"' || u == '\\') {
            out += '\\';
            out += static_cast<char>(u);
        } else if (u == '\n') {
            out += "\\n";
        } else if (u == '\r') {
            out += "\\r";
        } else if (u == '\t') {
            out += "\\t";
        } else if (u < 0x20 || (asciiOnly && u >= 0x7F)) {
            out += QStringLiteral("\\u%1").arg(u, 4, 16, QLatin1Char('0')).toStdString();
        } else if (u < 0x80) {
            out += static_cast<char>(u);
        }
        if (u >= 0x80 && !asciiOnly)
            return {}; // the caller takes the bytes as they are
    }
    return out;
}

std::size_t findText(std::string_view bytes, std::string_view text, std::size_t from) {
    const std::string ascii = jsonEscaped(text, true);
    std::size_t found = bytes.find('"' + ascii + '"', from);
    std::string plain = jsonEscaped(text, false);
    if (plain.empty())
        plain = std::string(text);
    found = std::min(found, bytes.find('"' + plain + '"', from));
    return found;
}

} // namespace

ByteLines showBytes(std::string_view bytes, ByteForm form, std::optional<ByteRange> mark, int hexRow) {
    return form == ByteForm::hex ? asHex(bytes, mark, static_cast<std::size_t>(std::max(1, hexRow)))
                                 : asText(bytes, mark);
}

int hexRowFor(int characters) {
    constexpr int kOffset = 8;   // "0000f0  "
    constexpr int kEachByte = 4; // "0a " and its character
    int row = kHexRow;
    while (row > 4 && kOffset + row * kEachByte + 1 > characters)
        row /= 2;
    return row;
}

std::optional<ByteRange> findEvent(std::string_view bytes, const std::vector<std::string_view>& texts,
                                   std::size_t which) {
    std::size_t from = 0;
    std::size_t found = std::string_view::npos;
    for (std::size_t i = 0; i <= which && i < texts.size(); ++i) {
        const std::size_t at = texts[i].empty() ? std::string_view::npos : findText(bytes, texts[i], from);
        if (i == which)
            found = at;
        if (at != std::string_view::npos)
            from = at + 1;
    }
    if (found == std::string_view::npos)
        return std::nullopt;
    // A blank line ends a message; so does a single line end where each line is a message of its own.
    const bool blankLines =
        bytes.find("\n\n") != std::string_view::npos || bytes.find("\r\n\r\n") != std::string_view::npos;
    const auto begins = [&](std::string_view border) -> std::size_t {
        const std::size_t at = bytes.rfind(border, found);
        return at == std::string_view::npos ? 0 : at + border.size();
    };
    const auto ends = [&](std::string_view border) -> std::size_t {
        const std::size_t at = bytes.find(border, found);
        return at == std::string_view::npos ? bytes.size() : at + border.size();
    };
    if (!blankLines)
        return ByteRange{begins("\n"), ends("\n")};
    return ByteRange{std::max(begins("\n\n"), begins("\r\n\r\n")), std::min(ends("\n\n"), ends("\r\n\r\n"))};
}

} // namespace decodescope
