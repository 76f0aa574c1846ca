#include "core/base/redaction.h"

#include "core/base/secret_masker.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <mutex>
#include <vector>

namespace decodescope {
namespace {

std::string lowered(std::string_view text) {
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return lower;
}

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

/// The keys in use, and what finds them.
class LiveKeys {
public:
    static LiveKeys& instance() {
        static LiveKeys keys;
        return keys;
    }
    void add(const Secret& key) {
        constexpr std::size_t kMost = 256; // more are only made on purpose; the oldest is no longer in use then
        const std::lock_guard lock(m_mutex);
        if (std::any_of(m_keys.begin(), m_keys.end(), [&](const Secret& known) { return known.equals(key); }))
            return;
        if (m_keys.size() >= kMost) {
            m_keys.erase(m_keys.begin());
            m_maskers.erase(m_maskers.begin());
        }
        m_keys.push_back(key);
        m_maskers.emplace_back(key);
    }
    std::vector<Secret> all() {
        const std::lock_guard lock(m_mutex);
        return m_keys;
    }
    std::string masked(std::string text) {
        const std::lock_guard lock(m_mutex);
        for (const SecretMasker& masker : m_maskers)
            text = masker.maskWhole(text);
        return text;
    }

private:
    std::mutex m_mutex;
    std::vector<Secret> m_keys;
    std::vector<SecretMasker> m_maskers;
};

bool isNameCharacter(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
}

/// Whether a query's value of this name is a secret in all likelihood.
bool namesSecret(std::string_view name) {
    const std::string lower = lowered(name);
    if (lower.ends_with("tokens")) // a count
        return false;
    return isSensitiveHeader(lower) || contains(lower, "auth") || contains(lower, "pass") || contains(lower, "sig") ||
           contains(lower, "credential");
}

/// A word of a sentence ("the key: ...") is no header; what is meant by one has a hyphen or is one of the four.
bool looksLikeSensitiveHeader(std::string_view name) {
    const std::string lower = lowered(name);
    return isSensitiveHeader(name) &&
           (name.find_first_of("-_") != std::string_view::npos || lower == "authorization" || lower == "cookie");
}

/// Masks the values of "Name: value" up to the line's end, also where the line is quoted or bracketed.
std::string withoutHeaderValues(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        if (!isNameCharacter(text[i])) {
            out += text[i++];
            continue;
        }
        std::size_t end = i;
        while (end < text.size() && isNameCharacter(text[end]))
            ++end;
        const std::string_view name = text.substr(i, end - i);
        out += name;
        i = end;
        while (i < text.size() && (text[i] == '"' || text[i] == '\''))
            out += text[i++];
        if (i >= text.size() || text[i] != ':' || !looksLikeSensitiveHeader(name))
            continue;
        out += ':';
        ++i;
        const std::size_t stop = std::min(text.find_first_of("\r\n", i), text.size());
        if (stop > i)
            out += " ***";
        i = stop;
    }
    return out;
}

std::string withoutUrlSecrets(std::string_view text) {
    std::string out;
    for (;;) {
        const std::size_t scheme = text.find("://");
        if (scheme == std::string_view::npos)
            break;
        std::size_t begin = scheme;
        while (begin > 0 && isNameCharacter(text[begin - 1]))
            --begin;
        const std::size_t end = std::min(text.find_first_of(" \t\r\n\"'<>)]}", scheme), text.size());
        out.append(text.substr(0, begin)).append(urlWithoutSecrets(text.substr(begin, end - begin)));
        text.remove_prefix(end);
    }
    return out.append(text);
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

bool isHarmlessQuery(std::string_view name) {
    return name == "alt" || name == "api-version";
}

std::string queryWithoutSecrets(std::string_view query) {
    std::string out;
    for (;;) {
        const std::string_view pair = query.substr(0, query.find('&'));
        const std::size_t equals = pair.find('=');
        // A value without a name may be the secret itself.
        if (equals == std::string_view::npos)
            out += pair.empty() ? "" : "***";
        else if (isHarmlessQuery(pair.substr(0, equals)))
            out += pair;
        else
            out.append(pair.substr(0, equals)).append("=***");
        if (pair.size() == query.size())
            return out;
        query.remove_prefix(pair.size() + 1);
        out += '&';
    }
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
    return masked + queryWithoutSecrets(rest.substr(query + 1));
}

std::string urlWithoutKeys(std::string_view url) {
    const std::size_t query = std::min(url.find('?'), url.size());
    std::string out = urlWithoutSecrets(url.substr(0, query));
    for (std::size_t at = query; at < url.size();) { // at '?' or '&'
        const std::size_t end = std::min(url.find('&', at + 1), url.size());
        const std::string_view pair = url.substr(at, end - at);
        const std::string_view name = pair.substr(0, pair.find('='));
        const bool secret = namesSecret(name) && name.size() < pair.size();
        out += secret ? std::string(name) + "=***" : LiveKeys::instance().masked(std::string(pair));
        at = end;
    }
    return out;
}

std::string withoutLikelyKeys(std::string_view text) {
    constexpr std::size_t kShortestKey = 16;
    constexpr std::ptrdiff_t kFewestDigits = 3;
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t begin = i;
        while (i < text.size() && isNameCharacter(text[i]))
            ++i;
        const std::string_view word = text.substr(begin, i - begin);
        const auto digits = std::count_if(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
        const bool letters = std::any_of(word.begin(), word.end(),
                                         [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; });
        out += word.size() >= kShortestKey && digits >= kFewestDigits && letters ? "***" : word;
        if (i < text.size())
            out += text[i++];
    }
    return out;
}

void keepOutOfTexts(const Secret& key) {
    if (!key.empty())
        LiveKeys::instance().add(key);
}

std::vector<Secret> liveKeys(const Secret& own) {
    std::vector<Secret> keys = LiveKeys::instance().all();
    if (std::none_of(keys.begin(), keys.end(), [&](const Secret& key) { return key.equals(own); }))
        keys.push_back(own);
    return keys;
}

std::string withoutLiveKeys(std::string_view text) {
    return LiveKeys::instance().masked(std::string(text));
}

std::string redacted(std::string_view text) {
    return withoutLiveKeys(withoutUrlSecrets(withoutHeaderValues(text)));
}

} // namespace decodescope
