#include "engine/server/json_input.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>

namespace decodescope::engine {

namespace {

/// Deepest nesting and number of values at most, with one look at each byte. Only exact for valid JSON; of anything
/// else the parser says what it is.
struct Shape {
    std::size_t depth = 0;
    std::size_t values = 1;
};

Shape shapeOf(std::string_view text) noexcept {
    Shape shape;
    std::size_t depth = 0;
    bool inString = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (inString) {
            if (c == '\\')
                ++i;
            else if (c == '"')
                inString = false;
        } else if (c == '"') {
            inString = true;
        } else if (c == '{' || c == '[') {
            shape.depth = std::max(shape.depth, ++depth);
            ++shape.values;
        } else if (c == '}' || c == ']') {
            depth -= depth > 0 ? 1 : 0;
        } else if (c == ',') {
            ++shape.values;
        }
    }
    return shape;
}

} // namespace

Result<nlohmann::json> parseJson(std::string_view text) {
    const Shape shape = shapeOf(text);
    if (shape.depth > kMaxJsonDepth)
        return fail(ErrorCode::usage, "The JSON is nested more than " + std::to_string(kMaxJsonDepth) + " deep.");
    if (shape.values > kMaxJsonValues)
        return fail(ErrorCode::usage, "The JSON holds more than " + std::to_string(kMaxJsonValues) + " values.");
    nlohmann::json json = nlohmann::json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
    if (json.is_discarded())
        return fail(ErrorCode::usage, "The body is not valid JSON (in UTF-8).");
    return json;
}

Result<nlohmann::json> parseJsonObject(std::string_view text) {
    Result<nlohmann::json> json = parseJson(text);
    if (json && !json->is_object())
        return fail(ErrorCode::usage, "The body is JSON, but not an object.");
    return json;
}

} // namespace decodescope::engine
