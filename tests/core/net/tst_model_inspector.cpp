#include "core/net/model_inspector.h"
#include "core/net/sample_fetcher.h"
#include "tests/support/test_paths.h"

#include <QtTest>

#include <optional>

using namespace decodescope;

class ModelInspectorTest : public QObject {
    Q_OBJECT

    static Result<ModelDetails> inspect() {
        ModelInspector inspector;
        std::optional<Result<ModelDetails>> got;
        inspector.inspect("/models/x.gguf", [&](const Result<ModelDetails>& details) { got = details; });
        if (!QTest::qWaitFor([&] { return got.has_value(); }, 20000))
            return fail(ErrorCode::internal, "no answer");
        return *got;
    }

private slots:
    void init() {
        qputenv("DECODESCOPE_ENGINE", QByteArray::fromStdString(test::supportFile("fake_engine")));
        qunsetenv("DECODESCOPE_FAKE_STATUS");
        qunsetenv("DECODESCOPE_FAKE_SAMPLE");
    }
    void cleanupTestCase() { qunsetenv("DECODESCOPE_ENGINE"); }

    void detailsAreRead() {
        qputenv("DECODESCOPE_FAKE_INSPECT",
                "{'supported':true,'reason':null,'architecture':'llama','name':'Tiny','types':{'F32':61,'Q4_1':40,'Q6_"
                "K':3},"
                "'parameters_total':135000000,'context':2048,'vocabulary':49152,'chat_template':'chatml'}");
        QByteArray json = qgetenv("DECODESCOPE_FAKE_INSPECT");
        qputenv("DECODESCOPE_FAKE_INSPECT", json.replace('\'', '"'));
        const Result<ModelDetails> details = inspect();
        QVERIFY(details);
        QVERIFY(details->supported && details->chatTemplate);
        QCOMPARE(details->quantization, std::string("Q4_1"));
        QCOMPARE(details->parametersTotal, std::optional<std::uint64_t>(135'000'000));
        QVERIFY(!details->parametersActive);
    }

    void aBrokenFileIsASentence() {
        qputenv("DECODESCOPE_FAKE_STATUS", "5");
        const Result<ModelDetails> details = inspect();
        QVERIFY(!details);
        QVERIFY(details.error().code == ErrorCode::malformed);
        QCOMPARE(details.error().message, std::string("tensor 3 lies outside the file."));
    }

    void nonsenseIsNoDetails() {
        for (const char* text : {"", "[]", "nonsense"})
            QVERIFY(!modelDetailsFromJson(text));
        const Result<ModelDetails> odd = modelDetailsFromJson("{\"supported\":1,\"context\":-4,\"types\":7}");
        QVERIFY(odd);
        QVERIFY(!odd->supported && !odd->context);
    }

    void aMissingEngineIsSaid() {
        qputenv("DECODESCOPE_ENGINE", "/nowhere");
        const Result<ModelDetails> details = inspect();
        QVERIFY(!details);
        QVERIFY(details.error().code == ErrorCode::unsupported);
    }

    void theSampleIsFetchedWithProgress() {
        qputenv("DECODESCOPE_FAKE_SAMPLE", "/data/sample.gguf");
        SampleFetcher fetcher;
        std::vector<SampleProgress> progress;
        std::optional<Result<std::string>> got;
        fetcher.fetch([&](const SampleProgress& p) { progress.push_back(p); },
                      [&](const Result<std::string>& path) { got = path; });
        QVERIFY(fetcher.busy());
        std::optional<Result<std::string>> second;
        fetcher.fetch({}, [&](const Result<std::string>& path) { second = path; });
        QVERIFY(QTest::qWaitFor([&] { return got && second; }, 20000));
        QCOMPARE(**got, std::string("/data/sample.gguf"));
        QVERIFY(!*second && second->error().code == ErrorCode::usage);
        QCOMPARE(progress.size(), 2U);
        QCOMPARE(progress[1].doneBytes, 60U);
        QCOMPARE(progress[1].totalBytes, std::optional<std::uint64_t>(100));
        QVERIFY(!fetcher.busy());
    }

    void aFetchThatFailsSaysWhy() {
        SampleFetcher fetcher;
        std::optional<Result<std::string>> got;
        fetcher.fetch({}, [&](const Result<std::string>& path) { got = path; });
        QVERIFY(QTest::qWaitFor([&] { return got.has_value(); }, 20000));
        QVERIFY(!*got);
        QVERIFY(got->error().message.find("package index cannot be reached") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(ModelInspectorTest)
#include "tst_model_inspector.moc"
