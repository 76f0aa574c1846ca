#include "engine/base/mapped_file.h"

#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>
#include <utility>

using namespace decodescope::engine;

class TestMappedFile : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::string put(const char* name, const QByteArray& text) const {
        QFile file(m_folder.filePath(name));
        if (file.open(QIODevice::WriteOnly))
            file.write(text);
        return m_folder.filePath(name).toStdString();
    }

private slots:
    void mapsWholeFiles();
    void movesItsMapping();
    void refusesWhatIsNoFile();
};

void TestMappedFile::mapsWholeFiles() {
    const QByteArray text(100'000, 'x');
    const auto file = MappedFile::open(put("text", text));
    QVERIFY(file.has_value());
    QVERIFY(QByteArray(reinterpret_cast<const char*>(file->bytes().data()), static_cast<int>(file->bytes().size())) ==
            text);
    file->willNeed();
    file->doneWith();
    QVERIFY(file->bytes()[99'999] == std::byte{'x'}); // read again from the disk
    const auto empty = MappedFile::open(put("empty", {}));
    QVERIFY(empty.has_value() && empty->bytes().empty());
    empty->willNeed();
    empty->doneWith();
}

void TestMappedFile::movesItsMapping() {
    auto one = MappedFile::open(put("one", "1"));
    auto two = MappedFile::open(put("two", "22"));
    QVERIFY(one && two);
    MappedFile moved = std::move(*one);
    QCOMPARE(moved.bytes().size(), std::size_t{1});
    moved = std::move(*two);
    QCOMPARE(moved.bytes().size(), std::size_t{2});
    QVERIFY(moved.bytes()[1] == std::byte{'2'});
}

void TestMappedFile::refusesWhatIsNoFile() {
    const auto absent = MappedFile::open(m_folder.filePath("absent\x1B[31m").toStdString());
    QVERIFY(!absent && absent.error().code == ErrorCode::disk);
    QVERIFY(absent.error().message.find("No such file") != std::string::npos);
    QVERIFY(absent.error().message.find('\x1B') == std::string::npos);
    QVERIFY(MappedFile::open(m_folder.path().toStdString()).error().code == ErrorCode::disk);
    QVERIFY(MappedFile::open("/dev/null").error().code == ErrorCode::disk);
    const std::string pipe = m_folder.filePath("pipe").toStdString();
    QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
    QVERIFY(MappedFile::open(pipe).error().code == ErrorCode::disk); // and does not wait for a writer
}

QTEST_APPLESS_MAIN(TestMappedFile)
#include "tst_mapped_file.moc"
