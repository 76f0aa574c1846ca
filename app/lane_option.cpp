#include "app/lane_option.h"

#include <fmt/format.h>

#include <algorithm>

namespace decodescope {

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

Result<Pairs> splitPairs(std::string_view text) {
    Pairs pairs;
    std::string current;
    std::size_t equals = std::string::npos; // in `current`
    const auto finish = [&]() -> bool {
        if (equals == std::string::npos)
            return false;
        pairs.emplace_back(current.substr(0, equals), current.substr(equals + 1));
        current.clear();
        equals = std::string::npos;
        return true;
    };
    const auto refuse = [] {
        return fail(ErrorCode::usage, "--lane takes name=value pairs with commas between them, as in "
                                      "\"name=A,endpoint=http://127.0.0.1:8080,model=M\"; a comma inside a value is "
                                      "written \\,.");
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '\\' && i + 1 < text.size() && (text[i + 1] == ',' || text[i + 1] == '\\')) {
            current += text[++i];
        } else if (c == ',') {
            if (!finish())
                return refuse();
        } else {
            if (c == '=' && equals == std::string::npos)
                equals = current.size();
            current += c;
        }
    }
    if (!finish())
        return refuse();
    return pairs;
}

} // namespace

std::string letterName(std::size_t index) {
    std::string name(1, static_cast<char>('A' + index % 26));
    for (index /= 26; index > 0; index = (index - 1) / 26)
        name.insert(name.begin(), static_cast<char>('A' + (index - 1) % 26));
    return name;
}

Result<LaneOption> parseLaneOption(std::string_view text, const std::string& defaultName) {
    Result<Pairs> pairs = splitPairs(text);
    if (!pairs)
        return tl::unexpected(pairs.error());
    LaneOption lane;
    lane.name = defaultName;
    for (auto& [name, value] : *pairs) {
        if (value.empty())
            return fail(ErrorCode::usage, "--lane: a pair has a name and no value after the equals sign.");
        if (name == "name") {
            lane.name = std::move(value);
        } else if (name == "endpoint") {
            lane.endpoint.url = std::move(value);
        } else if (name == "model") {
            lane.endpoint.model = std::move(value);
        } else if (name == "protocol") {
            lane.endpoint.protocol = std::move(value);
        } else if (name == "key-env") {
            lane.endpoint.key = {KeyReference::Kind::environment, std::move(value)};
        } else if (name == "key-file") {
            lane.endpoint.key = {KeyReference::Kind::file, std::move(value)};
        } else if (name == "ca-file") {
            lane.endpoint.extraCaFile = std::move(value);
        } else {
            return fail(ErrorCode::usage,
                        "--lane knows name, endpoint, model, protocol, key-env, key-file and ca-file. "
                        "A key itself is never taken from the command line, where every user of the "
                        "machine can read it.");
        }
    }
    if (lane.endpoint.url.empty())
        return fail(ErrorCode::usage, fmt::format("Lane {}: give its address with endpoint=URL.", lane.name));
    return lane;
}

} // namespace decodescope
