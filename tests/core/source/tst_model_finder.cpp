#include "core/source/model_finder.h"

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <map>

using namespace decodescope;

namespace {

class Disk {
public:
    [[nodiscard]] std::string path(const QString& name) const { return m_folder.filePath(name).toStdString(); }
    void file(const QString& name, const QByteArray& content = "GGUF....") {
        const QString full = m_folder.filePath(name);
        QDir().mkpath(QFileInfo(full).path());
        QFile f(full);
        if (f.open(QIODevice::WriteOnly))
            f.write(content);
    }
    void link(const QString& name, const QString& to) {
        const QString full = m_folder.filePath(name);
        QDir().mkpath(QFileInfo(full).path());
        QFile::link(m_folder.filePath(to), full);
    }

private:
    QTemporaryDir m_folder;
};

const FoundModel* named(const ModelSearch& search, const std::string& name) {
    const auto at =
        std::find_if(search.models.begin(), search.models.end(), [&](const auto& m) { return m.name == name; });
    return at == search.models.end() ? nullptr : &*at;
}

std::string reasonFor(const ModelSearch& search, const std::string& end) {
    for (const SkippedFile& skipped : search.skipped) {
        if (skipped.path.ends_with(end))
            return skipped.reason;
    }
    return {};
}

} // namespace

class ModelFinderTest : public QObject {
    Q_OBJECT

private slots:
    void filesAreFoundBelowTheirFolder() {
        Disk disk;
        disk.file("models/publisher/thing/Thing-Q4.gguf");
        disk.file("models/readme.txt", "nothing");
        const ModelSearch search = findModels({{disk.path("models"), "LM Studio"}, {disk.path("missing"), "nowhere"}});
        QCOMPARE(search.models.size(), 1U);
        QCOMPARE(search.models[0].name, std::string("Thing-Q4"));
        QCOMPARE(search.models[0].owner, std::string("LM Studio"));
        QCOMPARE(search.models[0].bytes, 8U);
        QVERIFY(search.skipped.empty());
        QCOMPARE(search.searched.size(), 1U);
    }

    void whatIsNoModelIsToldWithItsReason() {
        Disk disk;
        disk.file("m/a.gguf.incomplete");
        disk.file("m/0123abcd.incomplete"); // as download caches name them
        disk.file("m/mmproj-model-f16.gguf");
        disk.file("m/broken.gguf", "HTML");
        disk.file("m/empty.gguf", "");
        const ModelSearch search = findModels({{disk.path("m"), "x"}});
        QVERIFY(search.models.empty());
        QCOMPARE(search.skipped.size(), 5U);
        QVERIFY(reasonFor(search, "a.gguf.incomplete").starts_with("A download"));
        QVERIFY(reasonFor(search, "mmproj-model-f16.gguf").starts_with("A vision projector"));
        QVERIFY(reasonFor(search, "broken.gguf").starts_with("Not a GGUF"));
    }

    void partsAreOneModel() {
        Disk disk;
        disk.file("m/big-00002-of-00003.gguf");
        disk.file("m/big-00001-of-00003.gguf");
        disk.file("m/big-00003-of-00003.gguf");
        disk.file("m/half-00001-of-00002.gguf");
        const ModelSearch search = findModels({{disk.path("m"), "x"}});
        QCOMPARE(search.models.size(), 1U);
        QCOMPARE(search.models[0].name, std::string("big"));
        QCOMPARE(search.models[0].shards, 3);
        QCOMPARE(search.models[0].bytes, 24U);
        QVERIFY(search.models[0].path.ends_with("big-00001-of-00003.gguf"));
        QCOMPARE(reasonFor(search, "half-00001-of-00002.gguf"), std::string("Part 2 of 2 is missing."));
    }

    void ollamaManifestsNameBlobs() {
        Disk disk;
        const QByteArray manifest =
            R"({"layers":[{"mediaType":"application/vnd.ollama.image.template","digest":"sha256:aa"},
            {"mediaType":"application/vnd.ollama.image.model","digest":"sha256:beef"}]})";
        disk.file("o/manifests/registry.test/library/tiny/latest", manifest);
        disk.file("o/manifests/registry.test/library/again/1b", manifest); // the same blob
        disk.file("o/manifests/registry.test/library/gone/1b",
                  R"({"layers":[{"mediaType":"application/vnd.ollama.image.model","digest":"sha256:dead"}]})");
        disk.file("o/manifests/registry.test/library/evil/1b",
                  R"({"layers":[{"mediaType":"application/vnd.ollama.image.model","digest":"../../secret"}]})");
        disk.file("o/manifests/registry.test/library/odd/1b", "not json");
        disk.file("o/blobs/sha256-beef");
        const ModelSearch search = findModels({{disk.path("o"), "Ollama", ModelFolder::Layout::ollama}});
        QCOMPARE(search.models.size(), 1U);
        QVERIFY(named(search, "tiny:latest") || named(search, "again:1b"));
        QVERIFY(search.models[0].path.ends_with("/blobs/sha256-beef"));
        QCOMPARE(search.skipped.size(), 1U);
        QVERIFY(reasonFor(search, "gone/1b").find("sha256-dead") != std::string::npos);
    }

    void linksAreFollowedInsideTheCacheOnly() {
        Disk disk;
        disk.file("hub/models--a--b/blobs/77");
        disk.link("hub/models--a--b/snapshots/1/b.gguf", "hub/models--a--b/blobs/77");
        disk.file("elsewhere/private.gguf");
        disk.link("hub/models--a--b/snapshots/1/c.gguf", "elsewhere/private.gguf");
        const ModelSearch search = findModels({{disk.path("hub"), "Hugging Face"}});
        QCOMPARE(search.models.size(), 1U);
        QVERIFY(named(search, "b"));
        QVERIFY(reasonFor(search, "c.gguf").find("leads out") != std::string::npos);
    }

    void aFileInTwoFoldersIsToldOnce() {
        Disk disk;
        disk.file("m/sub/x.gguf");
        QCOMPARE(findModels({{disk.path("m"), "a"}, {disk.path("m/sub"), "b"}}).models.size(), 1U);
    }

    void theEnvironmentMovesFolders() {
        std::map<std::string, std::string> variables{
            {"HOME", "/home/u"}, {"OLLAMA_MODELS", "/big/ollama"}, {"HF_HOME", "/big/hf"}, {"XDG_DATA_HOME", "/data"}};
        const auto folders = modelFolders([&](const char* name) { return variables[name]; }, {"/mine"});
        const auto has = [&](const std::string& path) {
            return std::any_of(folders.begin(), folders.end(), [&](const auto& f) { return f.path == path; });
        };
        QVERIFY(has("/data/decodescope/models") && has("/home/u/.lmstudio/models") && has("/big/ollama") &&
                has("/big/hf/hub") && has("/home/u/.cache/llama.cpp") && has("/mine"));
        QVERIFY(!has("/usr/share/ollama/.ollama/models"));
        QCOMPARE(folders.back().owner, std::string("/mine"));
        variables.clear();
        QVERIFY(ownModelFolder([](const char*) { return std::string(); }).empty());
    }
};

QTEST_GUILESS_MAIN(ModelFinderTest)
#include "tst_model_finder.moc"
