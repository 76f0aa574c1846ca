#pragma once

#include "core/source/request.h"

#include <initializer_list>
#include <string>
#include <string_view>

/// What the request forms share: taking an address apart and putting routes together.
namespace decodescope {

/// An address up to the API's own part of the path.
struct Address {
    Url url;
    std::string base;   ///< path before the API's own ending, without a slash at its end
    std::string ending; ///< the ending that was found; empty: the address was no full route
    std::string query;  ///< with its '?', or empty

    [[nodiscard]] bool full() const { return !ending.empty(); }
    /// The address with another path.
    [[nodiscard]] Url at(const std::string& path) const { return at(path, query); }
    [[nodiscard]] Url at(const std::string& path, const std::string& otherQuery) const;
};

/// Takes the endpoint's address apart. A path that ends like the route of another protocol is refused. An address that
/// is no full route may have been copied with the beginning of the server's other APIs: `beginnings` are taken off its
/// end, one after the other.
[[nodiscard]] Result<Address> addressOf(const EndpointSpec& endpoint, std::initializer_list<std::string_view> endings,
                                        std::initializer_list<std::string_view> beginnings = {});

/// Whether a part of the path names a version of the API: "v1", "v4", "v1beta".
[[nodiscard]] bool namesVersion(std::string_view path);
/// The path without `ending`, if it has it.
[[nodiscard]] std::string without(std::string path, std::string_view ending);
/// A piece of a path: what would end or split it is percent-encoded.
[[nodiscard]] std::string pathPiece(std::string_view text);
/// The value of a query's part; empty when there is none.
[[nodiscard]] std::string_view queryValue(std::string_view query, std::string_view name);
/// The query with `name` set to `value`, or without it when `value` is empty.
[[nodiscard]] std::string withQuery(std::string_view query, std::string_view name, std::string_view value);

/// A usage error for an API that has the model in its address.
[[nodiscard]] Error modelMissing(std::string_view what);

} // namespace decodescope
