#include "core/record/header_privacy.h"

#include "core/source/request.h"

#include <algorithm>
#include <array>

namespace decodescope {
namespace {

constexpr std::size_t kStatusLineNeeded = 12; // "HTTP/1.1 100"
constexpr std::size_t kLongestName = 256;

std::string lowered(std::string_view text) {
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return lower;
}

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

} // namespace

bool isSensitiveHeader(std::string_view name) {
    constexpr std::array<std::string_view, 4> kWhole{"authorization", "proxy-authorization", "cookie", "set-cookie"};
    constexpr std::array<std::string_view, 3> kParts{"token", "secret", "key"};
    const std::string lower = lowered(name);
    if (std::find(kWhole.begin(), kWhole.end(), lower) != kWhole.end())
        return true;
    // "x-ratelimit-remaining-tokens" and "fireworks-prompt-tokens" count tokens and are worth keeping.
    if (contains(lower, "ratelimit") || lower.starts_with("fireworks-"))
        return false;
    return std::any_of(kParts.begin(), kParts.end(), [&](std::string_view part) { return contains(lower, part); });
}

std::string urlWithoutSecrets(std::string_view url) {
    std::string_view rest = url;
    std::string masked;
    if (const std::size_t scheme = rest.find("://"); scheme != std::string_view::npos) {
        masked = rest.substr(0, scheme + 3);
        rest.remove_prefix(scheme + 3);
    }
    const std::size_t authorityEnd = std::min(rest.find_first_of("/?#"), rest.size());
    if (const std::size_t at = rest.substr(0, authorityEnd).rfind('@'); at != std::string_view::npos) {
        masked += "***@";
        rest.remove_prefix(at + 1);
    }
    const std::size_t query = rest.find('?');
    if (query == std::string_view::npos)
        return masked.append(rest);
    masked.append(rest.substr(0, query + 1));
    rest.remove_prefix(query + 1);
    while (!rest.empty()) {
        const std::string_view part = rest.substr(0, rest.find('&'));
        const std::string_view name = part.substr(0, part.find('='));
        if (isHarmlessQuery(name) || name.size() == part.size())
            masked.append(part);
        else
            masked.append(name).append("=***");
        rest.remove_prefix(part.size());
        if (!rest.empty()) {
            masked += '&';
            rest.remove_prefix(1);
        }
    }
    return masked;
}

void HeadMasker::endOfLine() {
    m_place = Place::lineStart;
    m_name.clear();
}

void HeadMasker::mask(std::string& bytes) {
    for (char& c : bytes) {
        switch (m_place) {
        case Place::statusLine:
            if (c == '\n') {
                if (!m_statusLine.starts_with("HTTP/")) {
                    m_place = Place::body;
                    return;
                }
                m_interim = m_statusLine.size() >= kStatusLineNeeded && m_statusLine[9] == '1';
                m_statusLine.clear();
                endOfLine();
            } else if (m_statusLine.size() < kStatusLineNeeded) {
                m_statusLine += c;
            }
            break;
        case Place::lineStart:
            if (c == '\r')
                break;
            if (c == '\n') {
                m_place = m_interim ? Place::statusLine : Place::body;
                if (m_place == Place::body)
                    return;
                break;
            }
            if (c == ' ' || c == '\t') { // a folded line goes on with the value before it
                m_place = Place::value;
                break;
            }
            m_hide = false;
            m_name.assign(1, c);
            m_place = Place::name;
            break;
        case Place::name:
            if (c == '\n')
                endOfLine();
            else if (c == ':') {
                m_hide = isSensitiveHeader(m_name);
                m_place = Place::value;
            } else if (m_name.size() < kLongestName) {
                m_name += c;
            }
            break;
        case Place::value:
            if (c == '\n')
                endOfLine();
            else if (m_hide && c != '\r' && c != ' ' && c != '\t')
                c = '*';
            break;
        case Place::body:
            return;
        }
    }
}

} // namespace decodescope
