#include "core/wire/url_reference.h"

#include <algorithm>
#include <vector>

namespace decodescope {
namespace {

struct Parts {
    std::string_view origin; ///< scheme://authority
    std::string_view scheme; ///< with its colon
    std::string_view path;   ///< without query
};

/// Length of the scheme with its colon, 0 without one.
std::size_t schemeLength(std::string_view url) noexcept {
    for (std::size_t i = 0; i < url.size(); ++i) {
        const char c = url[i];
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (c == ':')
            return i == 0 ? 0 : i + 1;
        if (!letter && (i == 0 || !((c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.')))
            return 0;
    }
    return 0;
}

Parts split(std::string_view base) {
    Parts parts;
    const std::size_t scheme = schemeLength(base);
    if (scheme == 0 || base.substr(scheme, 2) != "//")
        return parts;
    parts.scheme = base.substr(0, scheme);
    const std::size_t authorityEnd = std::min(base.find_first_of("/?#", scheme + 2), base.size());
    parts.origin = base.substr(0, authorityEnd);
    parts.path = base.substr(authorityEnd);
    parts.path = parts.path.substr(0, parts.path.find_first_of("?#"));
    return parts;
}

/// Undoes "." and ".." in a path, its query left alone.
std::string withoutDots(std::string_view pathAndQuery) {
    const std::size_t query = std::min(pathAndQuery.find_first_of("?#"), pathAndQuery.size());
    const std::string_view path = pathAndQuery.substr(0, query);
    std::vector<std::string_view> segments;
    bool endsInSlash = false;
    for (std::size_t at = 0; at < path.size();) {
        const std::size_t begin = at + (path[at] == '/' ? 1U : 0U);
        const std::size_t end = std::min(path.find('/', begin), path.size());
        const std::string_view segment = path.substr(begin, end - begin);
        endsInSlash = segment == "." || segment == "..";
        if (segment == "..") {
            if (!segments.empty())
                segments.pop_back();
        } else if (segment != ".") {
            segments.push_back(segment);
        }
        at = end > at ? end : at + 1;
    }
    std::string out;
    for (const std::string_view segment : segments)
        (out += '/') += segment;
    if (endsInSlash || out.empty())
        out += '/';
    return out.append(pathAndQuery.substr(query));
}

} // namespace

std::string resolveReference(std::string_view base, std::string_view reference) {
    if (reference.empty())
        return {};
    if (schemeLength(reference) > 0)
        return std::string(reference);
    const Parts parts = split(base);
    if (parts.origin.empty())
        return {};
    if (reference.substr(0, 2) == "//")
        return std::string(parts.scheme).append(reference);
    std::string out(parts.origin);
    if (reference.front() == '/')
        return out += withoutDots(reference);
    if (reference.front() == '?' || reference.front() == '#')
        return out.append(parts.path.empty() ? "/" : parts.path).append(reference);
    const std::size_t lastSlash = parts.path.rfind('/');
    const std::string_view folder = lastSlash == std::string_view::npos ? "/" : parts.path.substr(0, lastSlash + 1);
    return out += withoutDots(std::string(folder).append(reference));
}

} // namespace decodescope
