#include "app/terminal.h"

#include "core/base/redaction.h"
#include "core/base/utf8.h"

#include <fmt/format.h>

#include <cstdio>
#include <sys/ioctl.h>
#include <unistd.h>

namespace decodescope {

namespace {

/// Decodes the code point at `i` of valid UTF-8 and steps over it.
char32_t takeCodePoint(std::string_view text, std::size_t& i) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const unsigned char lead = byte(i);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    char32_t point = length == 1 ? lead : lead & (0xFFU >> (length + 1));
    for (std::size_t k = 1; k < length; ++k)
        point = (point << 6) | (byte(i + k) & 0x3FU);
    i += length;
    return point;
}

bool isControl(char32_t c) {
    return c < 0x20 || (c >= 0x7F && c < 0xA0);
}

/// Characters that reorder or hide what is around them.
bool isInvisible(char32_t c) {
    return (c >= 0x200B && c <= 0x200F) || (c >= 0x202A && c <= 0x202E) || (c >= 0x2060 && c <= 0x2069) ||
           c == 0x061C || c == 0x00AD || c == 0xFEFF || (c >= 0xE0000 && c <= 0xE007F);
}

std::string escaped(std::string_view text, bool keepLines) {
    const std::string valid = repairUtf8(text).text;
    std::string out;
    out.reserve(valid.size());
    for (std::size_t i = 0; i < valid.size();) {
        const std::size_t begin = i;
        const char32_t c = takeCodePoint(valid, i);
        if (c == '\n' || c == '\t')
            out += keepLines ? static_cast<char>(c) : ' ';
        else if (isControl(c))
            out += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
        else if (isInvisible(c))
            out += fmt::format("\\u{{{:04x}}}", static_cast<unsigned>(c));
        else
            out.append(valid, begin, i - begin);
    }
    return out;
}

} // namespace

bool isTerminal(int descriptor) {
    return isatty(descriptor) == 1;
}

int terminalColumns(int descriptor) {
    winsize size{};
    if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 80;
}

std::string escapeForTerminal(std::string_view text) {
    return escaped(text, true);
}

std::string oneLine(std::string_view text, std::size_t columns) {
    std::string line = escaped(text, false);
    if (countCodePoints(line) <= columns)
        return line;
    std::size_t i = 0;
    for (std::size_t n = 0; n + 1 < columns; ++n)
        (void)takeCodePoint(line, i);
    line.resize(i);
    return line + "…";
}

bool writeOut(std::string_view text) {
    const std::string safe = isTerminal(STDOUT_FILENO) ? escapeForTerminal(text) : std::string(text);
    const bool written = std::fwrite(safe.data(), 1, safe.size(), stdout) == safe.size();
    return std::fflush(stdout) == 0 && written;
}

void tell(std::string_view sentence) {
    const std::string said = redacted(sentence);
    const std::string safe = isTerminal(STDERR_FILENO) ? escapeForTerminal(said) : said;
    std::fwrite(safe.data(), 1, safe.size(), stderr);
    std::fputc('\n', stderr);
}

} // namespace decodescope
