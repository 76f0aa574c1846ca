#include "core/net/model_list.h"

#include "core/base/utf8.h"
#include "core/source/request.h"
#include "core/wire/server_error.h"
#include "core/wire/url_reference.h"

#include <fmt/format.h>

#include <algorithm>

namespace decodescope {
namespace {

using Models = Result<std::vector<std::string>>;

constexpr std::size_t kMostSaid = 300; ///< of a server's own words

std::string headerOf(const ResponseHead& head, std::string_view name) {
    const auto found =
        std::find_if(head.headers.begin(), head.headers.end(), [&](const auto& h) { return h.first == name; });
    return found != head.headers.end() ? found->second : std::string();
}

/// Without the query, whose values may be secrets.
std::string redirectTarget(const EndpointSpec& endpoint, const std::string& location) {
    const auto query = modelQuery(endpoint);
    const std::string to = query ? resolveReference(query->url.text(false), location) : location;
    return repairUtf8(to.substr(0, std::min(to.find('?'), kMostSaid))).text;
}

Models judge(const EndpointSpec& endpoint, const CallReport& report, const std::string& place, bool keyGiven) {
    if (report.kind == ErrorKind::tooLarge && report.head)
        return fail(ErrorCode::malformed,
                    fmt::format("{} answers with more than a list of models can hold. Is the address right?", place));
    if (report.kind != ErrorKind::none || !report.head)
        return fail(ErrorCode::network,
                    report.message.empty() ? fmt::format("No answer from {}.", place) : report.message);
    const int status = report.head->status;
    const std::string said = repairUtf8(errorFromBody(repairUtf8(report.body).text).message.substr(0, kMostSaid)).text;
    const std::string says = said.empty() ? "." : ": " + said;
    if (status == 401 || status == 403)
        return fail(ErrorCode::refused, fmt::format("{} refuses {} (HTTP {}){}", place,
                                                    keyGiven ? "the key" : "a request without a key", status, says));
    if (status >= 300 && status < 400)
        return fail(ErrorCode::network,
                    fmt::format("{} redirects to {}. Enter that address instead if you trust it.", place,
                                redirectTarget(endpoint, headerOf(*report.head, "location"))));
    if (status == 404 || status == 405 || status == 501)
        return std::vector<std::string>(); // answers, and has no list
    if (status >= 400)
        return fail(ErrorCode::network, fmt::format("{} answers with HTTP {}{}", place, status, says));
    auto models = modelsIn(endpoint, report.body);
    if (!models)
        return fail(ErrorCode::malformed,
                    fmt::format("{} answers, but not with a list of models. Is this the address of an API?", place));
    return *std::move(models);
}

} // namespace

EndpointAnswer readModelList(const EndpointSpec& endpoint, const CallReport& report, bool keyGiven) {
    const auto query = modelQuery(endpoint);
    EndpointAnswer answer;
    answer.models = judge(endpoint, report, query ? query->url.authority() : endpoint.url, keyGiven);
    answer.connected = report.connected;
    answer.warm = report.connection.warm;
    answer.peer = report.connection.peer;
    answer.proxy = report.connection.proxy;
    answer.tlsVersion = report.connection.tlsVersion;
    answer.openingTook = report.openingTook;
    answer.tlsTook = report.connection.tlsTook;
    answer.firstByteTook = report.firstByteTook;
    return answer;
}

} // namespace decodescope
