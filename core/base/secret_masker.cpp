#include "core/base/secret_masker.h"

#include <algorithm>
#include <cstdint>

namespace decodescope {

namespace {

std::string base64(std::string_view bytes) {
    static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    // An incomplete last group is left out: whatever follows the key would change it.
    for (std::size_t i = 0; i + 3 <= bytes.size(); i += 3) {
        const auto at = [&](std::size_t k) { return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[k])); };
        const std::uint32_t group = at(i) << 16 | at(i + 1) << 8 | at(i + 2);
        for (int shift = 18; shift >= 0; shift -= 6)
            out += kDigits[(group >> shift) & 63];
    }
    return out;
}

/// Half of a key of fewer bytes than this could be a word.
constexpr std::size_t kShortestHalf = 12;

enum class Quoting { asNeeded, everything };

/// As a URL's query carries it.
std::string percentEncoded(std::string_view bytes, std::string_view digits, Quoting quoting = Quoting::asNeeded) {
    std::string out;
    for (const char c : bytes) {
        const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' ||
                           c == '.' || c == '_' || c == '~';
        const auto byte = static_cast<unsigned char>(c);
        if (plain && quoting == Quoting::asNeeded)
            out += c;
        else
            out.append({'%', digits[byte >> 4], digits[byte & 15]});
    }
    return out;
}

} // namespace

SecretMasker::SecretMasker(const Secret& key) {
    add(key);
}

SecretMasker::SecretMasker(const std::vector<Secret>& keys) {
    for (const Secret& key : keys)
        add(key);
}

void SecretMasker::add(const Secret& key) {
    const std::size_t known = m_patterns.size();
    if (key.size() < kMinimumKeyBytes)
        return;
    const std::string_view bytes = key.revealForTransport();
    m_patterns.push_back(makePattern(std::string(bytes)));
    m_patterns.push_back(makePattern(base64(bytes)));
    // Within longer Base64, as of "user:key", the key stands one or two bytes off a group's beginning.
    for (const std::size_t skipped : {1U, 2U})
        m_patterns.push_back(makePattern(base64(bytes.substr(skipped))));
    for (const char* digits : {"0123456789ABCDEF", "0123456789abcdef"}) {
        if (std::string quoted = percentEncoded(bytes, digits); quoted != bytes)
            m_patterns.push_back(makePattern(std::move(quoted)));
        m_patterns.push_back(makePattern(percentEncoded(bytes, digits, Quoting::everything)));
    }
    // A server may cut what it repeats. What lacks its end is found by its beginning (JoinedMasker); this is for what
    // lacks its beginning.
    if (key.size() >= 2 * kShortestHalf)
        m_patterns.push_back(makePattern(std::string(bytes.substr(bytes.size() / 2))));
    for (std::size_t i = known; i < m_patterns.size(); ++i)
        m_joined.add(Secret(std::string(m_patterns[i].text.revealForTransport())));
}

SecretMasker::Pattern SecretMasker::makePattern(std::string text) {
    Pattern pattern;
    pattern.fallback = JoinedMasker::borders(text);
    pattern.text = Secret(std::move(text));
    return pattern;
}

void SecretMasker::Pattern::feed(std::string_view bytes, std::string& out) {
    const std::string_view wanted = text.revealForTransport();
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (matched == 0) { // nearly always: skip to where a key could begin
            const std::size_t start = std::min(bytes.find(wanted.front(), i), bytes.size());
            out.append(bytes, i, start - i);
            i = start;
            if (i == bytes.size())
                break;
        }
        const char c = bytes[i];
        while (matched > 0 && c != wanted[matched])
            matched = fallback[matched];
        if (c == wanted[matched])
            ++matched;
        held += c;
        if (matched == wanted.size()) {
            // Everything held belongs to the key; its first bytes may have gone out already.
            const std::size_t inKey = std::min(held.size(), wanted.size());
            out.append(held, 0, held.size() - inKey);
            out.append(inKey, '*');
            held.clear();
            matched = 0;
            continue;
        }
        if (held.size() > matched) { // the front cannot be part of a key any more
            out.append(held, 0, held.size() - matched);
            held.erase(0, held.size() - matched);
        }
    }
    // A short beginning may pass, lest every read that ends in one letter of the key waits for the next.
    if (matched <= kPassedBytes) {
        out += held;
        held.clear();
    }
}

std::string SecretMasker::feed(std::string_view bytes) {
    std::string current(bytes);
    for (Pattern& pattern : m_patterns) {
        std::string out;
        out.reserve(current.size() + pattern.held.size());
        pattern.feed(current, out);
        current = std::move(out);
    }
    m_joined.mask(current);
    return current;
}

std::string SecretMasker::flush() {
    std::string all;
    for (Pattern& pattern : m_patterns) {
        std::string out;
        pattern.feed(all, out);
        all = out + pattern.held;
        pattern.held.clear();
        pattern.matched = 0;
    }
    m_joined.mask(all);
    return all;
}

std::string SecretMasker::maskWhole(std::string_view text) const {
    SecretMasker fresh;
    for (const Pattern& pattern : m_patterns) {
        fresh.m_patterns.push_back(makePattern(std::string(pattern.text.revealForTransport())));
        fresh.m_joined.add(Secret(std::string(pattern.text.revealForTransport())));
    }
    std::string out = fresh.feed(text);
    return out + fresh.flush();
}

} // namespace decodescope
