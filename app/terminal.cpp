#include "app/terminal.h"

#include "core/base/redaction.h"
#include "core/base/utf8.h"
#include "core/base/visible_text.h"

#include <cstdio>
#include <sys/ioctl.h>
#include <unistd.h>

namespace decodescope {

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
    return visibleText(text, LineBreaks::keep);
}

std::string oneLine(std::string_view text, std::size_t columns) {
    std::string line = visibleText(text, LineBreaks::asSpaces);
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
