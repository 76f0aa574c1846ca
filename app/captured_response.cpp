#include "app/captured_response.h"

#include "core/wire/body_sniffer.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace decodescope {
namespace {

constexpr std::string_view kHttp = "HTTP/";

std::string lowerCase(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

/// The lines of a head without their line ends, and how long it is with its empty line.
struct Head {
    std::vector<std::string_view> lines;
    std::size_t length = 0;
    bool bareLineFeeds = false;

    [[nodiscard]] std::string_view statusLine() const { return lines.front(); }
    [[nodiscard]] bool interim() const {
        const std::size_t space = statusLine().find(' ');
        return space != std::string_view::npos && statusLine().substr(space + 1, 1) == "1";
    }
};

/// Nothing if the head is not whole.
std::optional<Head> readHead(std::string_view text) {
    Head head;
    std::size_t at = 0;
    while (true) {
        const std::size_t end = text.find('\n', at);
        if (end == std::string_view::npos)
            return std::nullopt;
        std::string_view line = text.substr(at, end - at);
        at = end + 1;
        if (!line.empty() && line.back() == '\r')
            line.remove_suffix(1);
        else
            head.bareLineFeeds = true;
        if (line.empty())
            break;
        head.lines.push_back(line);
    }
    head.length = at;
    if (head.lines.empty())
        return std::nullopt;
    return head;
}

bool isChunkedField(std::string_view line) {
    const std::string lower = lowerCase(line);
    return lower.starts_with("transfer-encoding:") && lower.find("chunked") != std::string::npos;
}

/// Whether a chunk's size line stands there, as far as the text goes: hexadecimal digits, then an extension or the end.
bool beginsWithChunk(std::string_view body) {
    const auto isHex = [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; };
    const auto digits = static_cast<std::size_t>(std::find_if_not(body.begin(), body.end(), isHex) - body.begin());
    if (digits == body.size())
        return true;
    const std::size_t end = body.find_first_not_of(" \t", digits);
    if (digits == 0)
        return false;
    return end == std::string_view::npos || body[end] == '\r' || body[end] == '\n' || body[end] == ';';
}

/// Whether the chunks of a body were removed: what stands where the first size should be is the content itself.
bool isBareContent(std::string_view body) {
    if (beginsWithChunk(body))
        return false;
    const BodyKind kind = sniffBody(body);
    return kind == BodyKind::sse || kind == BodyKind::object || kind == BodyKind::array || kind == BodyKind::html;
}

/// Whether it is the head of a response that had no text head when it was sent.
bool isOfFrames(std::string_view statusLine) {
    const std::string_view version = statusLine.substr(0, statusLine.find(' '));
    return version == "HTTP/2" || version == "HTTP/2.0" || version == "HTTP/3" || version == "HTTP/3.0";
}

/// "HTTP/2 200" as HTTP/1.1 would have said it.
std::string statusLineOf(std::string_view statusLine) {
    if (!isOfFrames(statusLine))
        return std::string(statusLine);
    const std::size_t space = statusLine.find(' ');
    const std::string_view rest = space == std::string_view::npos ? std::string_view{} : statusLine.substr(space + 1);
    std::string line = "HTTP/1.1 " + std::string(rest);
    if (rest.find(' ') == std::string_view::npos)
        line += ' '; // the reason may be empty, the space before it may not be missing
    return line;
}

} // namespace

std::size_t CapturedResponse::offset(std::size_t inFile) const noexcept {
    if (inFile >= bodyInFile)
        return std::min(bytes.size(), inFile - bodyInFile + bodyInBytes);
    // Inside a head that was rewritten, the place in proportion is as good as any other.
    return inFile * bodyInBytes / bodyInFile;
}

CapturedResponse readCapture(std::string_view file) {
    CapturedResponse out;
    out.http = file.starts_with(kHttp);
    out.bytes.assign(file);
    if (!out.http)
        return out;

    std::size_t begin = 0;
    std::optional<Head> head = readHead(file);
    // A head right behind a head: a proxy's consent, or a redirect that was followed. Interim heads come live as well
    // and are left to the reader.
    bool rewritten = false;
    while (head && file.substr(begin + head->length).starts_with(kHttp)) {
        rewritten = rewritten || !head->interim() || isOfFrames(head->statusLine()) || head->bareLineFeeds;
        begin += head->length;
        head = readHead(file.substr(begin));
    }
    if (!head)
        return out;
    const bool frames = isOfFrames(head->statusLine());
    const bool chunked = std::any_of(head->lines.begin(), head->lines.end(), isChunkedField);
    const std::string_view body = file.substr(begin + head->length);
    const bool dropChunked = chunked && (frames || isBareContent(body));
    if (!rewritten && !frames && !dropChunked && !head->bareLineFeeds)
        return out;

    out.bytes = statusLineOf(head->statusLine()) + "\r\n";
    for (std::size_t i = 1; i < head->lines.size(); ++i) {
        if (!dropChunked || !isChunkedField(head->lines[i]))
            out.bytes.append(head->lines[i]).append("\r\n");
    }
    out.bytes += "\r\n";
    out.bodyInFile = begin + head->length;
    out.bodyInBytes = out.bytes.size();
    out.bytes.append(body);
    return out;
}

} // namespace decodescope
