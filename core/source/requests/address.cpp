#include "core/source/requests/address.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace decodescope {
namespace {

/// How the routes of all protocols end; the longest that fits is meant.
constexpr std::array<std::string_view, 12> kEndings{
    "/chat/completions",      "/completions",     "/responses",  "/messages", "/api/chat",        "/api/generate",
    ":streamGenerateContent", ":generateContent", "/completion", "/generate", "/generate_stream", "/v2/chat",
};

std::string_view endingOf(std::string_view path) {
    std::string_view longest;
    for (const std::string_view ending : kEndings) {
        if (path.ends_with(ending) && ending.size() > longest.size())
            longest = ending;
    }
    return longest;
}

} // namespace

Url Address::at(const std::string& path, const std::string& otherQuery) const {
    Url made = url;
    made.target = (path.empty() ? "/" : path) + otherQuery;
    return made;
}

Result<Address> addressOf(const EndpointSpec& endpoint, std::initializer_list<std::string_view> endings,
                          std::initializer_list<std::string_view> beginnings) {
    auto url = parseUrl(endpoint.url);
    if (!url)
        return tl::unexpected(url.error());
    Address address;
    address.url = std::move(*url);
    const std::size_t query = std::min(address.url.target.find('?'), address.url.target.size());
    address.query = address.url.target.substr(query);
    address.base = address.url.target.substr(0, query);
    while (!address.base.empty() && address.base.back() == '/')
        address.base.pop_back();
    const std::string_view ending = endingOf(address.base);
    if (ending.empty()) {
        for (const std::string_view beginning : beginnings)
            address.base = without(std::move(address.base), beginning);
        return address;
    }
    if (std::find(endings.begin(), endings.end(), ending) == endings.end())
        return fail(ErrorCode::usage,
                    fmt::format("The address ends in {} but the protocol is {}. Change one of the two.", ending,
                                endpoint.protocol));
    address.ending = ending;
    address.base.resize(address.base.size() - ending.size());
    return address;
}

bool namesVersion(std::string_view path) {
    for (std::size_t at = path.find('/'); at != std::string_view::npos; at = path.find('/', at + 1)) {
        if (at + 2 < path.size() && path[at + 1] == 'v' && std::isdigit(static_cast<unsigned char>(path[at + 2])) != 0)
            return true;
    }
    return false;
}

std::string without(std::string path, std::string_view ending) {
    if (path.ends_with(ending))
        path.resize(path.size() - ending.size());
    return path;
}

std::string pathPiece(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) != 0 || std::string_view("-._~:@+,=()!*'$").find(c) != std::string_view::npos)
            out += c;
        else
            out += fmt::format("%{:02X}", byte);
    }
    return out;
}

std::string_view queryValue(std::string_view query, std::string_view name) {
    std::string_view rest = query.substr(std::min<std::size_t>(1, query.size()));
    while (!rest.empty()) {
        const std::string_view part = rest.substr(0, rest.find('&'));
        const std::size_t equals = std::min(part.find('='), part.size());
        if (part.substr(0, equals) == name)
            return part.substr(std::min(equals + 1, part.size()));
        rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    }
    return {};
}

std::string withQuery(std::string_view query, std::string_view name, std::string_view value) {
    std::string out;
    const auto add = [&out](std::string_view part) {
        out += out.empty() ? '?' : '&';
        out += part;
    };
    std::string_view rest = query.substr(std::min<std::size_t>(1, query.size()));
    while (!rest.empty()) {
        const std::string_view part = rest.substr(0, rest.find('&'));
        if (!part.empty() && part.substr(0, part.find('=')) != name)
            add(part);
        rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    }
    if (!value.empty())
        add(fmt::format("{}={}", name, value));
    return out;
}

Error modelMissing(std::string_view what) {
    return Error{ErrorCode::usage, fmt::format("{} has the model in its address: name the model.", what), {}};
}

} // namespace decodescope
