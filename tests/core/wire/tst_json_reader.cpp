#include "core/wire/json_reader.h"
#include "core/wire/surrogates.h"

#include <QtTest>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>

#include <string>

using namespace decodescope;
using nlohmann::json;

namespace {

/// The value as nlohmann knows it, read through the views alone.
json rebuilt(JsonView view, const json& shape) {
    if (shape.is_object()) {
        json out = json::object();
        for (const auto& [key, value] : shape.items())
            out[key] = rebuilt(view[key], value);
        return view.isObject() ? out : json("no object");
    }
    if (shape.is_array()) {
        json out = json::array();
        std::size_t i = 0;
        for (const JsonView element : view) {
            if (i < shape.size())
                out.push_back(rebuilt(element, shape[i]));
            ++i;
        }
        return i == shape.size() && view.size() == i ? out : json("another length");
    }
    if (shape.is_string())
        return std::string(view.string().value_or("no string"));
    if (shape.is_number())
        return view.number().value_or(-1e99);
    if (shape.is_boolean())
        return view.truthy();
    return view ? json("not null") : json(nullptr);
}

std::string randomText() {
    const auto parts = *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(std::vector<std::string>{
        "{", "}", "[",  "]",  ",",    ":",    "\"", "\\", "\\u00e9", "\\ud83d\\ude00", "\\ud83d", "\\n", "a",    "1",
        "-", "0", ".5", "e3", "true", "null", " ",  "\n", "\"k\":",  "\xC3\xA9",       "false",   "\t",  "\"x\""}));
    std::string text;
    for (const std::string& part : parts)
        text += part;
    return text;
}

json randomValue(int depth) {
    switch (*rc::gen::inRange(0, depth > 0 ? 7 : 5)) {
    case 0:
        return nullptr;
    case 1:
        return *rc::gen::arbitrary<bool>();
    case 2:
        return *rc::gen::arbitrary<std::int32_t>();
    case 3:
        return *rc::gen::inRange(-1000, 1000) / 8.0;
    case 4:
        return *rc::gen::elementOf(
            std::vector<std::string>{"", "a", "\"\\/", "\n\t\x01", "\xF0\x9F\x98\x80", "\xC3\xA9 x"});
    case 5: {
        json out = json::array();
        for (int n = *rc::gen::inRange(0, 4); n > 0; --n)
            out.push_back(randomValue(depth - 1));
        return out;
    }
    default: {
        json out = json::object();
        for (int n = *rc::gen::inRange(0, 4); n > 0; --n)
            out[*rc::gen::elementOf(std::vector<std::string>{"a", "b", "", "key \"", "\xC3\xA9"})] =
                randomValue(depth - 1);
        return out;
    }
    }
}

} // namespace

class TestJsonReader : public QObject {
    Q_OBJECT

private slots:
    void readsWhatAnotherWrote();
    void acceptsWhatAnotherAccepts();
    void nullIsNothing();
    void countsAreWholeAndSmall();
    void theLastOfEqualKeysCounts();
    void halvesOfPairs();
    void depth();
    void sourceText();
    void memoryIsUsedAgain();
};

void TestJsonReader::readsWhatAnotherWrote() {
    QVERIFY(rc::check("values come back as they were written", [] {
        const json value = randomValue(4);
        const bool escaped = *rc::gen::arbitrary<bool>();
        const std::string text = value.dump(*rc::gen::inRange(-1, 3), ' ', escaped);
        JsonDocument document;
        RC_ASSERT(document.parse(text));
        RC_ASSERT(rebuilt(document.root(), value) == value);
    }));
}

void TestJsonReader::acceptsWhatAnotherAccepts() {
    QVERIFY(rc::check("the same texts are JSON", [] {
        const std::string text = randomText();
        JsonDocument document;
        const bool good = document.parse(text);
        // Halves of pairs are what the other reader refuses and this one is for.
        bool halves = false;
        for (std::size_t at = text.find("\\ud83d"); at != std::string::npos; at = text.find("\\ud83d", at + 1))
            halves = halves || text.compare(at + 6, 6, "\\ude00") != 0;
        if (!halves)
            RC_ASSERT(good == json::accept(text));
    }));
}

void TestJsonReader::nullIsNothing() {
    JsonDocument document;
    QVERIFY(document.parse(R"({"a":null,"b":{"c":"x"},"d":[1]})"));
    const JsonView root = document.root();
    QVERIFY(!root["a"]);
    QVERIFY(!root["nowhere"]);
    QVERIFY(!root["a"]["b"]["c"]);
    QVERIFY(root["b"]["c"].text() == "x");
    QVERIFY(!root["b"]["c"].number());
    QVERIFY(!root["d"].string());
    QVERIFY(root["b"].size() == 0 && root["d"].size() == 1);
    QVERIFY(!JsonView()["x"] && JsonView().source().empty() && !JsonView().halfPairs());
}

void TestJsonReader::countsAreWholeAndSmall() {
    JsonDocument document;
    QVERIFY(document.parse(
        "[0, 7, 7.0, 1e3, -1, 2.5, 9007199254740991, 9007199254740992, 1e400, 123456789012345678901234567890]"));
    std::vector<std::optional<std::uint64_t>> counts;
    for (const JsonView element : document.root())
        counts.push_back(element.count());
    const std::vector<std::optional<std::uint64_t>> expected{
        0, 7, 7, 1000, std::nullopt, std::nullopt, 9007199254740991U, std::nullopt, std::nullopt, std::nullopt};
    QVERIFY(counts == expected);
}

void TestJsonReader::theLastOfEqualKeysCounts() {
    JsonDocument document;
    QVERIFY(document.parse(R"({"a":1,"\u0061":2})"));
    QCOMPARE(document.root()["a"].number().value_or(0), 2.0);
}

void TestJsonReader::halvesOfPairs() {
    JsonDocument document;
    QVERIFY(document.parse(R"(["\ud83d\ude00","\ud83d","\ude00","\ud83d\ud83d\ude00","\ud83dx"])"));
    std::vector<std::string> texts;
    std::vector<bool> halves;
    for (const JsonView element : document.root()) {
        texts.push_back(wtf8ToUtf8(element.text()));
        halves.push_back(element.halfPairs());
    }
    const std::vector<std::string> expected{"\U0001F600", "\uFFFD", "\uFFFD", "\uFFFD\U0001F600", "\uFFFDx"};
    QVERIFY(texts == expected);
    QVERIFY((halves == std::vector<bool>{false, true, true, true, true}));
    QVERIFY(!document.parse(R"("\ud83d\uZZZZ")"));
}

void TestJsonReader::depth() {
    JsonDocument document;
    const auto nested = [](int n) {
        return std::string(static_cast<std::size_t>(n), '[') + std::string(static_cast<std::size_t>(n), ']');
    };
    QVERIFY(document.parse(nested(63)));
    QVERIFY(document.parse(nested(64)));
    QVERIFY(!document.parse(nested(65)));
    QVERIFY(!document.parse(std::string(2'000'000, '[')));
    QVERIFY(!document.root());
}

void TestJsonReader::sourceText() {
    JsonDocument document;
    QVERIFY(document.parse(R"( {"a": {"b": [1, 2.50]}, "c" : "x\n"} )"));
    QVERIFY(document.root()["a"].source() == R"({"b": [1, 2.50]})");
    QVERIFY(document.root()["c"].source() == R"("x\n")");
}

void TestJsonReader::memoryIsUsedAgain() {
    JsonDocument document;
    QVERIFY(document.parse(R"({"a":"\u0041","b":[1,2,3]})"));
    QVERIFY(document.parse(R"("\u0042")"));
    QVERIFY(document.root().text() == "B");
    QVERIFY(!document.parse("{"));
    QVERIFY(!document.root().isObject());
}

QTEST_APPLESS_MAIN(TestJsonReader)
#include "tst_json_reader.moc"
