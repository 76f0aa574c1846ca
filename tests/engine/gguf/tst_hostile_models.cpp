#include "tests/engine/gguf/allocation_count.h"
#include "tests/engine/support/hostile_models.h"
#include "tests/engine/support/memory_file.h"
#include "tests/engine/support/random_blocks.h"
#include "tests/engine/support/survey.h"

#include <QTest>

#include <ctime>

using namespace decodescope::engine;
using namespace decodescope::engine::test;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double kMostMs = 4'000; // sanitizers make everything ten times slower, and some things more
#else
constexpr double kMostMs = 200;
#endif

double processorMs() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

bool clean(const std::string& text) {
    for (const char c : text)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
            return false;
    return !text.empty() && text.find('\x9B') == std::string::npos && text.back() == '.';
}

} // namespace

/// What files from strangers may do to us: nothing, in bounded time and memory.
class TestHostileModels : public QObject {
    Q_OBJECT

    MemoryFile m_file{""};

    /// Everything that is done with a file, watched. Empty: all is well.
    std::string fault(const std::string& bytes, Survey& out) {
        m_file.put(bytes);
        AllocationCount::reset();
        const double begin = processorMs();
        out = surveyed(m_file.path());
        const double tookMs = processorMs() - begin;
        if (AllocationCount::peakBytes() > 64 << 20)
            return "took " + std::to_string(AllocationCount::peakBytes()) + " bytes of memory";
        if (tookMs > kMostMs)
            return "took " + std::to_string(tookMs) + " ms";
        for (const std::optional<Error>* error : {&out.opening, &out.plan, &out.tokenizer, &out.chat})
            if (*error && !clean((*error)->message))
                return "said: " + (*error)->message;
        return {};
    }

private slots:
    void validModelsRun();
    void everyRowOfTheTable();
    void everyFieldOfTheHeader_data();
    void everyFieldOfTheHeader();
    void truncationAtEveryByte_data();
    void truncationAtEveryByte();
    void flippedBits_data();
    void flippedBits();
    void manyKeysAndTensors();
    void longestArrays();
    void largestVocabulary();
};

void TestHostileModels::validModelsRun() {
    for (const TokenizerFamily family : {TokenizerFamily::spm, TokenizerFamily::bpe}) {
        const TinyModel model = smallestModel(family);
        QVERIFY(model.bytes().size() < 10'000);
        Survey survey;
        const std::string bad = fault(model.bytes(), survey);
        QVERIFY2(bad.empty(), bad.c_str());
        const std::string why = survey.plan ? survey.plan->message : survey.tokenizer ? survey.tokenizer->message : "";
        QVERIFY2(survey.runs(), why.c_str());
        QVERIFY(survey.tokens > 10);
    }
}

void TestHostileModels::everyRowOfTheTable() {
    for (const HostileModel& model : hostileModels()) {
        Survey survey;
        const std::string bad = fault(model.bytes, survey);
        QVERIFY2(bad.empty(), (model.name + ": " + bad).c_str());
        switch (model.fate) {
        case Fate::notOpened:
            QVERIFY2(survey.opening.has_value(), model.name.c_str());
            break;
        case Fate::noPlan:
            QVERIFY2(!survey.opening, (model.name + ": " + survey.opening.value_or(Error{}).message).c_str());
            QVERIFY2(survey.plan.has_value(), model.name.c_str());
            break;
        case Fate::noTokenizer:
            QVERIFY2(!survey.opening, (model.name + ": " + survey.opening.value_or(Error{}).message).c_str());
            QVERIFY2(survey.tokenizer.has_value(), model.name.c_str());
            break;
        case Fate::survives:
            break;
        }
    }
}

void TestHostileModels::everyFieldOfTheHeader_data() {
    QTest::addColumn<int>("family");
    QTest::newRow("spm") << static_cast<int>(TokenizerFamily::spm);
    QTest::newRow("bpe") << static_cast<int>(TokenizerFamily::bpe);
}

void TestHostileModels::everyFieldOfTheHeader() {
    QFETCH(int, family);
    int refused = 0;
    const std::vector<HostileModel> models =
        fieldMutations(smallestModel(static_cast<TokenizerFamily>(family)).writer());
    for (const HostileModel& model : models) {
        Survey survey;
        const std::string bad = fault(model.bytes, survey);
        QVERIFY2(bad.empty(), (model.name + ": " + bad).c_str());
        refused += survey.runs() ? 0 : 1;
    }
    QVERIFY(models.size() > 3'000);
    QVERIFY2(refused > static_cast<int>(models.size()) / 2, std::to_string(refused).c_str());
}

void TestHostileModels::truncationAtEveryByte_data() {
    everyFieldOfTheHeader_data();
}

void TestHostileModels::truncationAtEveryByte() {
    QFETCH(int, family);
    const std::string whole = smallestModel(static_cast<TokenizerFamily>(family)).bytes();
    // The last tensor's data may be followed by padding, which nobody needs.
    for (std::size_t size = 0; size + 32 < whole.size(); ++size) {
        Survey survey;
        const std::string bad = fault(whole.substr(0, size), survey);
        QVERIFY2(bad.empty(), (std::to_string(size) + " bytes: " + bad).c_str());
        QVERIFY2(survey.opening.has_value(), std::to_string(size).c_str());
    }
}

void TestHostileModels::flippedBits_data() {
    everyFieldOfTheHeader_data();
}

void TestHostileModels::flippedBits() {
    QFETCH(int, family);
    const GgufWriter writer = smallestModel(static_cast<TokenizerFamily>(family)).writer();
    const std::string whole = writer.bytes();
    const WrittenField last = writer.fields().back();
    const std::size_t header = last.offset + last.size;
    RandomBits random(5);
    for (int round = 0; round < 4'000; ++round) {
        std::string damaged = whole;
        const std::uint64_t flips = 1 + random.below(3);
        for (std::uint64_t i = 0; i < flips; ++i) {
            const std::size_t at = random.below(header);
            damaged[at] = static_cast<char>(damaged[at] ^ (1 << random.below(8)));
        }
        Survey survey;
        const std::string bad = fault(damaged, survey);
        QVERIFY2(bad.empty(), ("round " + std::to_string(round) + ": " + bad).c_str());
    }
}

void TestHostileModels::manyKeysAndTensors() {
    GgufWriter writer;
    for (int i = 0; i < 65'536; ++i)
        writer.u32("key." + std::to_string(i * 7'919 % 65'537), 1);
    for (int i = 0; i < 65'536; ++i)
        writer.tensor("t" + std::to_string(i * 7'919 % 65'537), 0U, {1}, "1234");
    Survey survey;
    const std::string bad = fault(writer.bytes(), survey);
    QVERIFY2(bad.empty(), bad.c_str());
    QVERIFY2(!survey.opening, survey.opening.value_or(Error{}).message.c_str());
}

void TestHostileModels::longestArrays() {
    constexpr std::uint64_t kCount = 4ULL << 20;
    GgufWriter writer;
    writer.text("general.architecture", "llama");
    writer.text("tokenizer.ggml.model", "llama");
    writer.array("tokenizer.ggml.tokens", ValueType::string, kCount + 1, std::string((kCount + 1) * 8, '\0'));
    writer.array("tokenizer.ggml.scores", ValueType::u8, kCount, std::string(kCount, '\1'));
    Survey survey;
    const std::string bad = fault(writer.bytes(), survey);
    QVERIFY2(bad.empty(), bad.c_str());
    QVERIFY(!survey.opening && survey.plan && survey.tokenizer);
}

void TestHostileModels::largestVocabulary() {
    constexpr std::uint64_t kCount = 768ULL << 10;
    std::string tokens;
    for (std::uint64_t i = 0; i < kCount; ++i) {
        std::string name;
        for (std::uint64_t rest = i; rest > 0; rest /= 26)
            name += static_cast<char>('a' + rest % 26);
        tokens += rawText(name + "_");
    }
    GgufWriter writer;
    writer.text("general.architecture", "llama");
    writer.text("tokenizer.ggml.model", "llama");
    writer.array("tokenizer.ggml.tokens", ValueType::string, kCount, tokens);
    writer.array("tokenizer.ggml.scores", ValueType::f32, kCount, std::string(kCount * 4, '\0'));
    writer.array("tokenizer.ggml.token_type", ValueType::u8, kCount, std::string(kCount, '\1'));
    m_file.put(writer.bytes());
    AllocationCount::reset();
    const Survey survey = surveyed(m_file.path());
    QVERIFY2(!survey.tokenizer, survey.tokenizer.value_or(Error{}).message.c_str());
    QVERIFY2(AllocationCount::peakBytes() < 64 << 20, std::to_string(AllocationCount::peakBytes()).c_str());
}

QTEST_APPLESS_MAIN(TestHostileModels)
#include "tst_hostile_models.moc"
