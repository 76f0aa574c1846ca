#include "engine/cli/facts_report.h"
#include "tests/engine/support/random_blocks.h"
#include "tests/engine/support/tiny_model.h"

#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

using namespace decodescope::engine;
using namespace decodescope::engine::test;

class TestFactsReport : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    ModelFacts facts(const GgufWriter& writer) const {
        const std::string path = m_folder.filePath("model.gguf").toStdString();
        if (!writer.write(path))
            return {};
        const auto file = GgufFile::open(path);
        return file ? collectFacts(**file) : ModelFacts{};
    }

private slots:
    void tellsASupportedModel();
    void countsTheEmbeddingTableWhenItIsTheHead();
    void countsExpertsThatWork();
    void tellsWhyNot_data();
    void tellsWhyNot();
    void makesTextVisible();
    void writesNumbersInWords();
};

void TestFactsReport::tellsASupportedModel() {
    TinyModel model = TinyModel::of("llama", TensorType::q4_0);
    GgufWriter writer = model.writer();
    writer.text("general.license", "mit");
    const ModelFacts made = facts(writer);
    const auto json = nlohmann::json::parse(factsAsJson(made));
    QVERIFY2(json["supported"] == true, json.dump().c_str());
    QVERIFY(json["reason"].is_null());
    QVERIFY(json["architecture"] == "llama" && json["name"] == "Tiny llama" && json["license"] == "mit");
    QVERIFY(json["context"] == 512 && json["vocabulary"] == model.vocabulary.tokens.size());
    QVERIFY(json["types"] == (nlohmann::json{{"Q4_0", 2 + 2 * 7}, {"F32", 1 + 2 * 2}}));
    const std::uint64_t vocabulary = model.vocabulary.tokens.size();
    const std::uint64_t matrices = 2 * (64 * 64 * 2 + 64 * 32 * 2 + 3 * 64 * 128);
    const std::uint64_t norms = 64 * (1 + 2 * 2);
    QVERIFY(json["parameters_total"] == matrices + norms + 2 * 64 * vocabulary);
    QVERIFY(json["parameters_active"] == json["parameters_total"]);
    QVERIFY(json["bytes_per_token"] == (matrices + 64 * vocabulary) * 18 / 32 + norms * 4);
    QVERIFY(json["kv_bytes_per_token"] == 2 * 2 * 2 * 16 * 2);
    const std::string page = factsAsPage(made);
    QVERIFY(page.find("Supported         yes\n") != std::string::npos);
    QVERIFY(page.find("2 layers, width 64, 4 heads over 2") != std::string::npos);
}

void TestFactsReport::countsTheEmbeddingTableWhenItIsTheHead() {
    TinyModel model = TinyModel::of("llama", TensorType::f16);
    const ModelFacts own = facts(model.writer());
    model.head = HeadKind::tied;
    const ModelFacts tied = facts(model.writer());
    QCOMPARE(tied.bytesPerToken, own.bytesPerToken);
    QCOMPARE(own.parametersTotal - tied.parametersTotal, model.vocabulary.tokens.size() * 64);
}

void TestFactsReport::countsExpertsThatWork() {
    GgufWriter writer;
    writer.text("general.architecture", "qwen3moe");
    writer.u32("qwen3moe.expert_count", 8);
    writer.u32("qwen3moe.expert_used_count", 2);
    writer.tensor("blk.0.ffn_up_exps.weight", TensorType::f16, {4, 4, 8}, std::string(256, 'x'));
    writer.tensor("output.weight", TensorType::f16, {4, 4}, std::string(32, 'x'));
    const ModelFacts made = facts(writer);
    QCOMPARE(made.parametersTotal, std::uint64_t{144});
    QCOMPARE(made.parametersActive, std::uint64_t{48});
    QCOMPARE(made.bytesPerToken, std::uint64_t{96});
    QVERIFY(!made.supported() && made.refusal->code == ErrorCode::unsupported);
    QVERIFY(made.refusal->message.find("qwen3moe") != std::string::npos);
}

void TestFactsReport::tellsWhyNot_data() {
    QTest::addColumn<std::uint32_t>("type");
    QTest::addColumn<QByteArray>("shown");
    QTest::newRow("Q2_K") << 10U << QByteArray("Q2_K");
    QTest::newRow("IQ4_NL") << 20U << QByteArray("IQ4_NL");
    QTest::newRow("unknown") << 4'711U << QByteArray("type 4711");
}

void TestFactsReport::tellsWhyNot() {
    QFETCH(std::uint32_t, type);
    QFETCH(QByteArray, shown);
    const TensorTypeInfo* const info = tensorTypeInfo(type);
    GgufWriter writer;
    writer.text("general.architecture", "mamba");
    writer.tensor("x", type, {256},
                  std::string(info != nullptr ? 256 / info->blockElements * info->blockBytes : 8, 'x'));
    const auto json = nlohmann::json::parse(factsAsJson(facts(writer)));
    QVERIFY(json["supported"] == false);
    QVERIFY(json["reason"].get<std::string>().find("mamba") != std::string::npos);
    QVERIFY(json["types"].contains(shown.toStdString()));
}

void TestFactsReport::makesTextVisible() {
    GgufWriter writer;
    writer.text("general.architecture", "evil\x1B]8;;http://x\x07");
    writer.text("general.name", "\x1B[2J\xE2\x80\xAEreversed\xFF");
    writer.text("general.license", std::string(100'000, 'L'));
    const ModelFacts made = facts(writer);
    for (const std::string& text : {factsAsPage(made), factsAsJson(made)}) {
        QVERIFY(text.find('\x1B') == std::string::npos && text.find('\x07') == std::string::npos);
        QVERIFY(text.find("\xE2\x80\xAE") == std::string::npos && text.find('\xFF') == std::string::npos);
        QVERIFY(text.size() < 4'000);
    }
    QVERIFY(factsAsPage(made).find("\\x1B[2J\\u{202E}reversed\\xFF") != std::string::npos);
}

void TestFactsReport::writesNumbersInWords() {
    QCOMPARE(bytesInWords(0), std::string("0 B"));
    QCOMPARE(bytesInWords(999), std::string("999 B"));
    QCOMPARE(bytesInWords(1'000), std::string("1.00 kB"));
    QCOMPARE(bytesInWords(98'362'432), std::string("98.4 MB"));
    QCOMPARE(bytesInWords(999'900), std::string("1.00 MB"));
    QCOMPARE(bytesInWords(~0ULL), std::string("18447 PB"));
    QCOMPARE(countInWords(134'515'008), std::string("135 M"));
    QCOMPARE(countInWords(12), std::string("12"));
}

QTEST_APPLESS_MAIN(TestFactsReport)
#include "tst_facts_report.moc"
