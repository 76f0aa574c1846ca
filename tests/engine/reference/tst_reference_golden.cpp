#include "engine/reference/reference_backend.h"
#include "tests/engine/support/random_blocks.h"
#include "tests/engine/support/tiny_model.h"
#include "tests/engine/support/written_model.h"
#include "tests/support/test_paths.h"

#include <QTest>
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>

using namespace decodescope::engine;
using namespace decodescope::engine::test;

namespace {

/// What tests/engine/support/golden_forward.py computed.
nlohmann::json golden() {
    std::ifstream in(decodescope::test::testData("engine/golden_logits.json"));
    return nlohmann::json::parse(in);
}

std::string fnv1a(const std::string& bytes) {
    std::uint64_t value = 0xCBF29CE484222325;
    for (const char byte : bytes)
        value = (value ^ static_cast<unsigned char>(byte)) * 0x100000001B3;
    return QByteArray::number(static_cast<qulonglong>(value), 16).rightJustified(16, '0').toStdString();
}

TensorType typeNamed(const std::string& name) {
    for (const TensorType type : supportedTypes())
        if (tensorTypeInfo(type).name == name)
            return type;
    return TensorType::f32;
}

} // namespace

/// Logits of tiny models against a computation with whole matrices in f64, written once by a script that shares
/// nothing with the engine.
class TestReferenceGolden : public QObject {
    Q_OBJECT
private slots:
    void logits_data();
    void logits();
};

void TestReferenceGolden::logits_data() {
    QTest::addColumn<int>("index");
    int index = 0;
    const nlohmann::json all = golden();
    for (const auto& model : all["models"])
        QTest::newRow((model["architecture"].get<std::string>() + " " + model["type"].get<std::string>()).c_str())
            << index++;
    QVERIFY(index >= 12);
}

void TestReferenceGolden::logits() {
    QFETCH(int, index);
    const nlohmann::json all = golden();
    const nlohmann::json& expected = all["models"][static_cast<std::size_t>(index)];
    const auto tokens = all["tokens"].get<std::vector<TokenId>>();
    const auto stride = all["stride"].get<std::size_t>();
    const TinyModel tiny =
        TinyModel::of(expected["architecture"].get<std::string>(), typeNamed(expected["type"].get<std::string>()));
    QVERIFY2(fnv1a(tiny.bytes()) == expected["fnv1a"].get<std::string>(),
             "The tiny models have changed: run tests/engine/support/golden_forward.py again.");

    const WrittenModel written(tiny.writer());
    const auto plan = written.plan();
    QVERIFY(plan);
    const auto backend = makeReferenceBackend(*plan, BackendOptions{}, {});
    QVERIFY(backend);
    const std::vector<std::uint32_t> blocks{3, 1};
    const SequenceSlice slice{tokens, 0, blocks, 0};
    const auto step = (*backend)->step({&slice, 1});
    QVERIFY(step);
    QCOMPARE(step->logits.size(), tokens.size() * plan->vocabulary);
    double worst = 0;
    double largest = 0;
    for (const auto& row : expected["rows"]) {
        const auto got = step->logits.subspan(row["row"].get<std::size_t>() * plan->vocabulary, plan->vocabulary);
        const auto values = row["logits"].get<std::vector<double>>();
        QCOMPARE(values.size(), (plan->vocabulary + stride - 1) / stride);
        for (std::size_t i = 0; i < values.size(); ++i) {
            worst = std::max(worst, std::abs(got[i * stride] - values[i]));
            largest = std::max(largest, std::abs(values[i]));
        }
    }
    QVERIFY(largest > 1); // logits that say something
    QVERIFY2(worst < 1e-4, std::to_string(worst).c_str());
}

QTEST_GUILESS_MAIN(TestReferenceGolden)
#include "tst_reference_golden.moc"
