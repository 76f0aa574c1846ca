#include "tests/core/wire/decode_helper.h"

#include <QtTest>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <random>

using namespace decodescope;
using namespace decodescope::test;

/// Thousands of damaged responses: no crash, one end, valid text, bounded memory, and the same result for every cut.
/// DECODESCOPE_FUZZ_ROUNDS and DECODESCOPE_FUZZ_SEED take it further.
class TestStreamDecoderFuzz : public QObject {
    Q_OBJECT

private slots:
    void damagedResponses();
    void inputsThatOnceDependedOnTheCut();
};

namespace {

using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t n) {
    return n == 0 ? 0 : static_cast<std::size_t>(random() % n);
}

constexpr std::array<std::string_view, 40> kWords{"\r",
                                                  "\n",
                                                  "\r\n",
                                                  "\n\n",
                                                  "data: ",
                                                  "data:",
                                                  "data",
                                                  "event: error\n",
                                                  "error: {\"message\":\"x\"}",
                                                  ": c\n",
                                                  "[DONE]",
                                                  "data: [DONE]\n\n",
                                                  "\xEF\xBB\xBF",
                                                  "\xED\xA0\xBD",
                                                  "\\ud83d",
                                                  "\\ude00",
                                                  "\xFF",
                                                  "\xC3",
                                                  "\0",
                                                  "null",
                                                  "{",
                                                  "}",
                                                  "[",
                                                  "]",
                                                  "\"",
                                                  "\\",
                                                  "\"error\":{\"message\":5},",
                                                  "\"usage\":{\"completion_tokens\":3},",
                                                  "\"token_ids\":[1,2],",
                                                  "<think>",
                                                  "</think>",
                                                  "HTTP/1.1 100 Continue\r\n\r\n",
                                                  "Content-Encoding: gzip\r\n",
                                                  "Transfer-Encoding: chunked\r\n",
                                                  "Content-Length: 5\r\n",
                                                  "0\r\n\r\n",
                                                  "ffffffffffffffff\r\n",
                                                  "\"index\":1",
                                                  "1e999",
                                                  "<html><title>x</title>"};

void mutate(std::string& bytes, const std::string& other, Random& random) {
    const std::size_t at = below(random, bytes.size() + 1);
    const std::size_t length = std::min(below(random, 40), bytes.size() - at);
    switch (below(random, 8)) {
    case 0:
        if (at < bytes.size())
            bytes[at] = static_cast<char>(random());
        break;
    case 1:
        if (at < bytes.size())
            bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(random, 8)));
        break;
    case 2:
        bytes.erase(at, length);
        break;
    case 3:
        bytes.insert(at, bytes.substr(at, length));
        break;
    case 4:
        bytes.resize(at);
        break;
    case 5: {
        const std::size_t from = below(random, other.size());
        bytes.insert(at, other.substr(from, below(random, 300)));
        break;
    }
    default:
        bytes.insert(at, kWords[below(random, kWords.size())]);
        break;
    }
}

std::vector<std::size_t> someCuts(std::size_t size, Random& random) {
    std::vector<std::size_t> cuts;
    for (std::size_t at = 0; at < size;) {
        at += 1 + below(random, 1 + below(random, 200));
        cuts.push_back(at);
    }
    return cuts;
}

std::uint64_t fromEnvironment(const char* name, std::uint64_t otherwise) {
    const char* const text = std::getenv(name);
    return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

DecoderOptions someOptions(const std::string& bytes, Random& random) {
    DecoderOptions options = optionsFor(bytes);
    static const std::vector<std::string_view> protocols = knownProtocols();
    options.protocol = protocols[below(random, protocols.size())];
    options.thinkTags = below(random, 3) == 0;
    options.cumulative = below(random, 5) == 0;
    options.streamRequested = below(random, 4) != 0;
    if (below(random, 4) == 0) {
        options.limits.headerBytes = 40 + below(random, 300);
        options.limits.eventBytes = 20 + below(random, 400);
        options.limits.bodyBytes = 100 + below(random, 2000);
        options.limits.messages = 1 + below(random, 6);
        options.limits.errorBodyBytes = below(random, 80);
        options.limits.jsonDepth = static_cast<int>(1 + below(random, 6));
    }
    return options;
}

} // namespace

void TestStreamDecoderFuzz::damagedResponses() {
    std::vector<std::string> seeds;
    for (auto& [name, bytes] : rawResponses()) {
        if (bytes.size() < 8000)
            seeds.push_back(std::move(bytes));
    }
    QVERIFY(seeds.size() > 30);
    const std::uint64_t rounds = fromEnvironment("DECODESCOPE_FUZZ_ROUNDS", 4000);
    const std::uint64_t firstSeed = fromEnvironment("DECODESCOPE_FUZZ_SEED", 1);
    for (std::uint64_t round = 0; round < rounds; ++round) {
        Random random(firstSeed * 1'000'003 + round);
        std::string bytes = seeds[below(random, seeds.size())];
        for (std::size_t n = 1 + below(random, 6); n > 0; --n)
            mutate(bytes, seeds[below(random, seeds.size())], random);
        const DecoderOptions options = someOptions(bytes, random);

        const auto whole = decode(bytes, options);
        const std::string broken = brokenPromise(whole);
        QVERIFY2(broken.empty(), qPrintable(QString("round %1: %2").arg(round).arg(broken.c_str())));
        const std::string expected = described(whole);
        QVERIFY(expected.size() < 64 * bytes.size() + 100'000);
        std::vector<std::size_t> everyByte(bytes.size());
        std::iota(everyByte.begin(), everyByte.end(), 1);
        for (const auto& cuts : {everyByte, someCuts(bytes.size(), random), someCuts(bytes.size(), random)}) {
            const auto cut = decode(bytes, options, cuts);
            const std::string cutBroken = brokenPromise(cut);
            QVERIFY2(cutBroken.empty(), qPrintable(QString("round %1, cut: %2").arg(round).arg(cutBroken.c_str())));
            if (described(cut) != expected) {
                qWarning("whole:\n%s\ncut:\n%s", expected.c_str(), described(cut).c_str());
                QFAIL(qPrintable(QString("round %1: the result depends on the cut").arg(round)));
            }
        }
    }
}

void TestStreamDecoderFuzz::inputsThatOnceDependedOnTheCut() {
    const auto event = [](int choice, const char* text, const char* finish, int tokens) {
        return QStringLiteral("data: {\"index\":%1,\"text\":\"%2\",\"meta_info\":{\"finish_reason\":%3,"
                              "\"completion_tokens\":%4}}\n\n")
            .arg(QString::number(choice), QString::fromUtf8(text), QString::fromUtf8(finish), QString::number(tokens))
            .toStdString();
    };
    // Text of the last message is held to the end, which comes in the same read or in a later one.
    const std::string held = event(0, "A", "null", 1) + event(1, "B", "null", 1) +
                             event(0, "A1", "{\"type\":\"stop\"}", 2) + event(1, "B2", "{\"type\":\"length\"}", 2) +
                             "data: a_info\"\n";
    DecoderOptions options = bareBody();
    options.protocol = "sglang-generate";
    const std::string expected = described(decode(held, options));
    for (std::size_t cut = 1; cut < held.size(); ++cut)
        QCOMPARE(described(decode(held, options, {cut})), expected);

    // An array with too many elements, and more behind it: what comes after the failure is not looked at.
    const std::string endless = "[{},{},{},{}] {\"more\":1}";
    options.protocol = "gemini-array";
    options.limits.messages = 3;
    const std::string failed = described(decode(endless, options));
    for (std::size_t cut = 1; cut < endless.size(); ++cut)
        QCOMPARE(described(decode(endless, options, {cut})), failed);
}

QTEST_APPLESS_MAIN(TestStreamDecoderFuzz)
#include "tst_stream_decoder_fuzz.moc"
