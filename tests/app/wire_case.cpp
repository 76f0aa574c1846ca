#include "tests/app/wire_case.h"

#include "app/explain.h"
#include "tests/support/test_paths.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

namespace decodescope::test {
namespace {

using nlohmann::json;

std::string fileText(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Whether `found` holds everything that `expected` lists.
bool matches(const std::string& key, const json& expected, const json& found) {
    // `burst` tells how the bytes were cut, so it is looked for in the whole alone.
    if (key == "warnings")
        return std::all_of(expected.begin(), expected.end(), [&](const json& name) {
            return name == "burst" || std::find(found.begin(), found.end(), name) != found.end();
        });
    if (expected.is_object()) {
        if (!found.is_object())
            return false;
        for (const auto& [part, value] : expected.items()) {
            if (!found.contains(part) || !matches(key == "timings" ? "timing" : part, value, found[part]))
                return false;
        }
        return true;
    }
    if (key == "tool_calls") {
        if (!found.is_array() || found.size() != expected.size())
            return false;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            if (!matches("call", expected[i], found[i]))
                return false;
        }
        return true;
    }
    if (key == "timing" && expected.is_number())
        return found.is_number() && std::abs(found.get<double>() - expected.get<double>()) <= 1;
    return expected == found;
}

} // namespace

std::vector<WireCase> filedCases() {
    const std::string folder = test::testData("wirecases/");
    const json index = json::parse(fileText(folder + "cases.json"));
    std::vector<WireCase> cases;
    for (const json& entry : index.at("cases")) {
        WireCase& c = cases.emplace_back();
        c.id = entry.at("id");
        c.protocol = entry.at("protocol");
        c.bytes = fileText(folder + entry.at("file").get<std::string>());
        c.splits = entry.at("splits").get<std::vector<std::uint64_t>>();
        c.expected = entry.at("expected");
        const json options = c.expected.value("options", json::object());
        c.expected.erase("options");
        c.thinkTags = options.value("think_tags", false);
        c.cumulative = options.value("cumulative", false);
    }
    return cases;
}

std::vector<Cut> cutsOf(const WireCase& wireCase) {
    std::vector<Cut> cuts{{"whole", 0, {}}, {"byte by byte", 1, {}}, {"by 7", 7, {}}};
    if (!wireCase.splits.empty())
        cuts.push_back({"at its splits", 0, wireCase.splits});
    return cuts;
}

json explained(const WireCase& wireCase, const Cut& cut) {
    ExplainOptions options;
    options.protocol = wireCase.protocol;
    options.splitBytes = cut.splitBytes;
    options.splits = cut.splits;
    options.thinkTags = wireCase.thinkTags;
    options.cumulative = wireCase.cumulative;
    const Result<std::string> text = explainBytes(wireCase.bytes, options);
    return text ? json::parse(*text) : json{{"failed", text.error().message}};
}

std::string difference(const WireCase& wireCase, const json& found) {
    for (const auto& [key, value] : wireCase.expected.items()) {
        if (key == "strict" || key == "alt_text" || key == "raw_text" ||
            (key == "text" && wireCase.expected.contains("text_repeat")))
            continue;
        if (key == "no_warnings") { // those that must not be there
            for (const json& name : value)
                if (matches("warnings", {name}, found["warnings"]))
                    return "a warning of " + name.dump();
            continue;
        }
        if (key == "text_repeat") {
            std::string text;
            for (int i = 0; i < value[1].get<int>(); ++i)
                text += value[0].get<std::string>();
            if (found["text"] != text)
                return "text_repeat differs";
            continue;
        }
        if (!found.contains(key) || !matches(key, value, found[key]))
            return key + ": expected " + value.dump() + ", found " +
                   (found.contains(key) ? found[key].dump() : std::string("nothing"));
    }
    return {};
}

} // namespace decodescope::test
