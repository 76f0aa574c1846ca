#include "core/wire/plain_response.h"

#include <fmt/format.h>

#include <algorithm>

namespace decodescope {

namespace {

bool sameName(std::string_view a, std::string_view b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::ranges::equal(a, b, [&](char x, char y) { return lower(x) == lower(y); });
}

/// Where the head ends, behind its blank line; npos while it does not.
std::size_t endOfHead(std::string_view bytes) {
    for (std::size_t at = bytes.find('\n'); at != std::string_view::npos; at = bytes.find('\n', at + 1)) {
        const std::string_view rest = bytes.substr(at + 1);
        if (rest.starts_with('\n'))
            return at + 2;
        if (rest.starts_with("\r\n"))
            return at + 3;
    }
    return std::string_view::npos;
}

/// Calls `take(line, name, value)` for each line of a head; the name is empty for the status line and the blank one.
template <class Take> void eachLine(std::string_view head, const Take& take) {
    while (!head.empty()) {
        const std::string_view line = head.substr(0, std::min(head.find('\n'), head.size() - 1) + 1);
        head.remove_prefix(line.size());
        const std::size_t colon = line.find(':');
        const bool header = colon != std::string_view::npos && !line.starts_with("HTTP/");
        std::string_view value = header ? line.substr(colon + 1) : std::string_view();
        while (!value.empty() && (value.back() == '\n' || value.back() == '\r' || value.back() == ' '))
            value.remove_suffix(1);
        while (!value.empty() && (value.front() == ' ' || value.front() == '\t'))
            value.remove_prefix(1);
        take(line, header ? line.substr(0, colon) : std::string_view(), value);
    }
}

ContentCoding codingOf(std::string_view head) {
    BodyCodings codings;
    eachLine(head, [&](std::string_view, std::string_view name, std::string_view value) { codings.take(name, value); });
    return codings.coding();
}

bool interim(std::string_view head) {
    return head.starts_with("HTTP/1") && head.size() > 9 && head[9] == '1';
}

} // namespace

PlainResponse::PlainResponse(const WireLimits& limits)
    : m_limits(limits) {}

PlainResponse::~PlainResponse() = default;

PlainResponse::Status PlainResponse::feed(std::string_view bytes, std::string& out) {
    switch (m_place) {
    case Place::passing:
        out += bytes;
        return Status::open;
    case Place::unpacking:
        return unpack(bytes, out);
    case Place::head:
        break;
    }
    m_head += bytes;
    m_out = &out;
    takeHead(out);
    m_out = nullptr;
    return m_status;
}

void PlainResponse::finish(Ending ending, std::string& out) {
    handOnHead(out);
    if (m_reader == nullptr || ending == Ending::cut)
        return;
    m_out = &out;
    (void)m_reader->finish(); // tells onHttpEnd() of a body that ends with its connection; one that was cut stays open
    m_out = nullptr;
}

void PlainResponse::handOnHead(std::string& out) {
    out += m_head;
    m_head.clear();
}

void PlainResponse::takeHead(std::string& out) {
    for (;;) {
        const std::size_t end = endOfHead(m_head);
        if (end == std::string::npos) {
            if (m_head.size() > m_limits.headerBytes || (m_head.size() >= 5 && !m_head.starts_with("HTTP/"))) {
                m_place = Place::passing; // refused further on, by those who judge heads
                handOnHead(out);
            }
            return;
        }
        const std::string_view head = std::string_view(m_head).substr(0, end);
        if (interim(head)) {
            out += head;
            m_head.erase(0, end);
            continue;
        }
        const ContentCoding coding = codingOf(head);
        if (coding != ContentCoding::gzip && coding != ContentCoding::deflate) {
            m_place = Place::passing;
            handOnHead(out);
            return;
        }
        m_place = Place::unpacking;
        eachLine(head, [&](std::string_view line, std::string_view name, std::string_view) {
            const bool framing = sameName(name, "content-encoding") || sameName(name, "content-length") ||
                                 sameName(name, "transfer-encoding");
            if (line == "\r\n" || line == "\n")
                out += "Transfer-Encoding: chunked\r\n\r\n";
            else if (!framing)
                out += line;
        });
        m_reader = std::make_unique<HttpReader>(static_cast<HttpSink&>(*this), m_limits.headerBytes);
        m_inflater = std::make_unique<Inflater>(coding, m_limits.bodyBytes);
        m_status = unpack(m_head, out);
        m_head.clear();
        return;
    }
}

PlainResponse::Status PlainResponse::unpack(std::string_view bytes, std::string& out) {
    m_out = &out;
    const HttpReader::Status framing = m_reader->feed(bytes);
    m_out = nullptr;
    if (framing == HttpReader::Status::tooLarge || framing == HttpReader::Status::malformed)
        m_status = Status::corrupt;
    return m_status;
}

void PlainResponse::onHttpHead(const ResponseHead&, std::string_view) {}

void PlainResponse::onHttpBody(std::string_view bytes) {
    if (m_status != Status::open)
        return;
    const Inflater::Status status = m_inflater->feed(bytes, [this](std::string_view piece) {
        if (!piece.empty())
            *m_out += fmt::format("{:x}\r\n{}\r\n", piece.size(), piece);
    });
    if (status != Inflater::Status::open)
        m_status = status == Inflater::Status::tooLarge ? Status::tooLarge : Status::corrupt;
}

void PlainResponse::onHttpEnd() {
    if (m_status == Status::open)
        *m_out += "0\r\n\r\n";
}

} // namespace decodescope
