#include "engine/cpu/cpu_backend.h"
#include "engine/server/backend_choice.h"
#include "engine/server/loaded_model.h"
#include "tests/engine/support/tiny_model.h"
#include "tests/support/test_paths.h"

#include <QTemporaryDir>
#include <QtTest>

using namespace decodescope::engine;
using decodescope::test::builtFile;
using decodescope::test::testData;
using Kind = DeviceName::Kind;

class TestBackendChoice : public QObject {
    Q_OBJECT

private slots:
    void devicesHaveNames() {
        const auto is = [](const char* text, Kind kind, std::uint32_t index) {
            const auto name = parseDeviceName(text);
            return name && name->kind == kind && name->index == index;
        };
        QVERIFY(is("auto", Kind::automatic, 0));
        QVERIFY(is("cpu", Kind::cpu, 0));
        QVERIFY(is("cuda", Kind::cuda, 0));
        QVERIFY(is("cuda:0", Kind::cuda, 0));
        QVERIFY(is("cuda:63", Kind::cuda, 63));
        QVERIFY(is("reference", Kind::reference, 0));
        for (const char* text :
             {"", "CPU", "cuda:", "cuda:-1", "cuda:64", "cuda:1x", "cuda:99999999999", "gpu", "\x1b[31m"}) {
            const auto name = parseDeviceName(text);
            QVERIFY2(!name && name.error().code == ErrorCode::usage, text);
            QVERIFY(name.error().message.find('\x1b') == std::string::npos);
        }
    }
    void withoutALibraryThereIsTheProcessor() {
        QVERIFY(*backendFor("auto") == &makeCpuBackend);
        QVERIFY(*backendFor("cpu") == &makeCpuBackend);
        const auto cuda = backendFor("cuda:0");
        QVERIFY(!cuda && cuda.error().code == ErrorCode::memory);
        QVERIFY(cuda.error().message.find("--device cpu") != std::string::npos);
    }
    void aLibraryOfThisVersionIsOpened() {
        const auto library = openBackendLibrary(builtFile("tests/libmade_backend.so"));
        QVERIFY2(library, library ? "" : library.error().message.c_str());
        QCOMPARE(library->devices, 2U);
        QTemporaryDir folder;
        const std::string path = folder.filePath("tiny.gguf").toStdString();
        QVERIFY(test::TinyModel::of("llama").write(path));
        const auto file = GgufFile::open(path);
        QVERIFY(file);
        const auto plan = buildPlan(**file);
        QVERIFY(plan);
        BackendOptions options;
        options.kvBlocks = 1;
        const auto backend = library->make(*plan, options, {});
        QVERIFY(backend);
        const std::vector<TokenId> tokens{1, 2, 3};
        const std::vector<std::uint32_t> blocks{0};
        const SequenceSlice slice{tokens, 0, blocks, 2};
        const auto output = (*backend)->step({&slice, 1});
        QVERIFY(output);
        QCOMPARE(output->logits.size(), std::size_t{plan->vocabulary});
    }
    void othersAreRefusedByTheirFault_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("named");
        QTest::newRow("absent") << "/nowhere/libdecodescope-cuda.so"
                                << "cannot be opened";
        QTest::newRow("no library") << QString::fromStdString(testData("wirecases/cases.json")) << "cannot be opened";
        QTest::newRow("another library") << "libm.so.6"
                                         << "no backend";
        QTest::newRow("another version") << QString::fromStdString(builtFile("tests/libmade_backend_old.so"))
                                         << "another version";
        QTest::newRow("no device") << QString::fromStdString(builtFile("tests/libmade_backend_none.so"))
                                   << "made without devices";
    }
    void othersAreRefusedByTheirFault() {
        QFETCH(QString, path);
        QFETCH(QString, named);
        const auto library = openBackendLibrary(path.toStdString());
        QVERIFY(!library);
        QVERIFY(library.error().code == ErrorCode::memory);
        QVERIFY2(library.error().message.find(named.toStdString()) != std::string::npos,
                 library.error().message.c_str());
    }
};

QTEST_GUILESS_MAIN(TestBackendChoice)
#include "tst_backend_choice.moc"
