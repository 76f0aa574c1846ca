#include "engine/gguf/shard_name.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

namespace decodescope::engine {

namespace {

std::optional<std::uint64_t> fiveDigits(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.size() != 5 || error != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

} // namespace

std::optional<ShardName> ShardName::of(const std::string& path) {
    constexpr std::string_view kShape = "-00001-of-00005.gguf";
    if (path.size() < kShape.size())
        return std::nullopt;
    const std::string_view tail = std::string_view(path).substr(path.size() - kShape.size());
    const auto number = fiveDigits(tail.substr(1, 5));
    const auto count = fiveDigits(tail.substr(10, 5));
    if (tail[0] != '-' || tail.substr(6, 4) != "-of-" || tail.substr(15) != ".gguf" || !number || !count)
        return std::nullopt;
    return ShardName{path.substr(0, path.size() - kShape.size()), *number, *count};
}

std::string ShardName::part(std::uint64_t which) const {
    return fmt::format("{}-{:05}-of-{:05}.gguf", stem, which, count);
}

} // namespace decodescope::engine
