#include "core/record/safe_file.h"
#include "tests/core/record/failing_disk.h"
#include "tests/core/record/record_support.h"
#include "tests/support/file_size_limit.h"

#include <QDir>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QtTest>

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace decodescope;
using namespace decodescope::test;

namespace {

int modeOf(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 ? static_cast<int>(status.st_mode & 07777) : -1;
}

} // namespace

class TestSafeFile : public QObject {
    Q_OBJECT

private slots:
    void savesWholeFilesPrivately();
    void keepsOneBackup();
    void savesThroughALink();
    void savesThroughALinkToNothing();
    void devicesAndPipesAreNotReplaced();
    void aFullDiskAtEveryByteLeavesTheOldFile();
    void anyFailureLeavesTheOldFile_data();
    void anyFailureLeavesTheOldFile();
    void interruptedAndShortWritesAreCompleted();
    void aFullDeviceIsNoticed();
    void aMissingFolderIsNamed();
    void copiesEndWithAWholeLine();
    void copiesRefuseOrReplace();
    void freeSpaceIsTold();
};

void TestSafeFile::savesWholeFilesPrivately() {
    QTemporaryDir dir;
    const std::string path = dir.filePath("settings.ini").toStdString();
    QVERIFY(saveFile(path, "one").has_value());
    QCOMPARE(readAll(path), std::string("one"));
    QCOMPARE(modeOf(path), 0600);
    const std::string large(300'000, 'x');
    QVERIFY(saveFile(path, large).has_value());
    QCOMPARE(readAll(path), large);
    QCOMPARE(QDir(dir.path()).entryList(QDir::Files).size(), 1);
}

void TestSafeFile::keepsOneBackup() {
    QTemporaryDir dir;
    const std::string path = dir.filePath("settings.ini").toStdString();
    for (const char* content : {"one", "two", "three"})
        QVERIFY(saveFile(path, content, Backup::keepOne).has_value());
    QCOMPARE(readAll(path), std::string("three"));
    QCOMPARE(readAll(path + ".bak"), std::string("two"));
    QCOMPARE(QDir(dir.path()).entryList(QDir::Files).size(), 2);
}

void TestSafeFile::savesThroughALink() {
    QTemporaryDir dir;
    const std::string target = dir.filePath("target").toStdString();
    const std::string link = dir.filePath("link").toStdString();
    QVERIFY(saveFile(target, "old").has_value());
    QCOMPARE(::symlink(target.c_str(), link.c_str()), 0);
    QVERIFY(saveFile(link, "new").has_value());
    QCOMPARE(readAll(target), std::string("new"));
    QVERIFY(QFileInfo(QString::fromStdString(link)).isSymLink());
}

void TestSafeFile::savesThroughALinkToNothing() {
    QTemporaryDir dir;
    QVERIFY(QDir(dir.path()).mkdir("real"));
    const std::string link = dir.filePath("link").toStdString();
    QCOMPARE(::symlink("real/file", link.c_str()), 0); // relative to the link's own folder
    QVERIFY(saveFile(link, "new").has_value());
    QCOMPARE(readAll(dir.filePath("real/file").toStdString()), std::string("new"));
    QVERIFY(QFileInfo(QString::fromStdString(link)).isSymLink());
    const std::string ring = dir.filePath("ring").toStdString();
    QCOMPARE(::symlink("ring", ring.c_str()), 0);
    (void)saveFile(ring, "x"); // ends, whatever it does with a name that leads to itself
}

void TestSafeFile::devicesAndPipesAreNotReplaced() {
    QTemporaryDir dir;
    const std::string pipe = dir.filePath("pipe").toStdString();
    QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
    const auto nobody = saveFile(pipe, "x");
    QVERIFY(!nobody && nobody.error().code == ErrorCode::io); // nobody reads it; it does not wait for one
    const FileDescriptor reader(::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    QVERIFY(saveFile(pipe, "through").has_value());
    char got[16]{};
    QCOMPARE(::read(reader.get(), got, sizeof got), ssize_t(7));
    QCOMPARE(std::string(got), std::string("through"));
    struct stat status {};
    QVERIFY(::stat(pipe.c_str(), &status) == 0 && S_ISFIFO(status.st_mode));
    // A link stands for the device, so that a fault here replaces the link alone.
    const std::string null = dir.filePath("null").toStdString();
    QCOMPARE(::symlink("/dev/null", null.c_str()), 0);
    QVERIFY(saveFile(null, "x", Backup::none).has_value());
    QVERIFY(::stat("/dev/null", &status) == 0 && S_ISCHR(status.st_mode));
    const std::string recording = dir.filePath("r").toStdString();
    QVERIFY(saveFile(recording, "line\n").has_value());
    QVERIFY(!copyRecording(recording, null, Existing::replace));
    QVERIFY(!copyRecording("/dev/zero", recording, Existing::replace));
    QVERIFY(!copyRecording(dir.path().toStdString(), recording, Existing::replace));
    QCOMPARE(readAll(recording), std::string("line\n"));
}

void TestSafeFile::aFullDiskAtEveryByteLeavesTheOldFile() {
    QTemporaryDir dir;
    const std::string path = dir.filePath("file").toStdString();
    const std::string copied = dir.filePath("copy").toStdString();
    const std::string content = "first line\nsecond line\n";
    QVERIFY(saveFile(path, content).has_value());
    QVERIFY(saveFile(copied, "good").has_value());
    for (std::size_t room = 0; room < content.size(); ++room) {
        const FileSizeLimit limit(room);
        for (const auto& failed : {saveFile(copied, content), saveFile(copied, content, Backup::keepOne),
                                   copyRecording(path, copied, Existing::replace)}) {
            QVERIFY(!failed);
            QVERIFY2(failed.error().message.find("What was there before is unchanged") != std::string::npos,
                     failed.error().message.c_str());
            QCOMPARE(readAll(copied), std::string("good"));
        }
        QCOMPARE(QDir(dir.path()).entryList(QDir::Files | QDir::Hidden).size(), 2);
    }
    const FileSizeLimit limit(content.size());
    QVERIFY(copyRecording(path, copied, Existing::replace).has_value());
    QCOMPARE(readAll(copied), content);
}

void TestSafeFile::anyFailureLeavesTheOldFile_data() {
    QTest::addColumn<int>("error");
    QTest::newRow("full") << ENOSPC;
    QTest::newRow("broken") << EIO;
    QTest::newRow("quota") << EDQUOT;
}

void TestSafeFile::anyFailureLeavesTheOldFile() {
    QFETCH(int, error);
    const std::string content(1000, 'n');
    bool failedOnce = false;
    for (int n = 1; n < 100; ++n) {
        QTemporaryDir dir;
        const std::string path = dir.filePath("file").toStdString();
        QVERIFY(saveFile(path, "good").has_value());
        auto disk = std::make_shared<FailingDisk>(n, error);
        disk->mostPerWrite = 100;
        const auto saved = saveFile(path, content, Backup::none, disk);
        if (!disk->failed()) {
            QVERIFY(saved.has_value());
            QCOMPARE(readAll(path), content);
            QVERIFY(failedOnce);
            return;
        }
        failedOnce = true;
        QVERIFY(!saved);
        QVERIFY(saved.error().code == ErrorCode::io);
        // The last call is the sync of the directory: by then the new file is in place, and whole.
        const std::string now = readAll(path);
        QVERIFY(now == "good" || now == content);
        QCOMPARE(QDir(dir.path()).entryList(QDir::Files | QDir::Hidden).size(), 1);
    }
    QFAIL("the failures never ended");
}

void TestSafeFile::interruptedAndShortWritesAreCompleted() {
    QTemporaryDir dir;
    const std::string path = dir.filePath("file").toStdString();
    const std::string content(1000, 'n');
    for (int n = 1; n < 30; ++n) {
        auto disk = std::make_shared<FailingDisk>(n, EINTR);
        disk->mostPerWrite = 64;
        disk->writesOnly = true;
        QVERIFY(saveFile(path, content, Backup::none, disk).has_value());
        QCOMPARE(readAll(path), content);
    }
}

void TestSafeFile::aFullDeviceIsNoticed() {
    const FileDescriptor full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
    if (!full.open())
        QSKIP("/dev/full cannot be opened here");
    std::size_t written = 7;
    QCOMPARE(writeFully(*systemDiskCalls(), full.get(), "content", written), ENOSPC);
    QCOMPARE(written, 0U);
    QCOMPARE(diskReason(ENOSPC), std::string("the disk is full"));
}

void TestSafeFile::aMissingFolderIsNamed() {
    QTemporaryDir dir;
    const auto saved = saveFile(dir.filePath("none/file").toStdString(), "x");
    QVERIFY(!saved);
    QVERIFY(saved.error().message.find("the folder does not exist") != std::string::npos);
}

void TestSafeFile::copiesEndWithAWholeLine() {
    QTemporaryDir dir;
    const std::string from = dir.filePath("from.decodescope").toStdString();
    const std::string to = dir.filePath("to.decodescope").toStdString();
    std::string whole = sampleRecording();
    while (whole.size() < (3U << 20)) // more than one piece
        appendBytesLine(whole, 9, instantFromNs(1), 0, std::string(100'000, 'x'));
    QVERIFY(saveFile(from, whole + "a line that is still being wri").has_value());
    QVERIFY(copyRecording(from, to, Existing::refuse).has_value());
    QCOMPARE(readAll(to), whole);
    QCOMPARE(modeOf(to), 0600);
}

void TestSafeFile::copiesRefuseOrReplace() {
    QTemporaryDir dir;
    const std::string from = dir.filePath("from").toStdString();
    const std::string to = dir.filePath("to").toStdString();
    QVERIFY(saveFile(from, "new\n").has_value());
    QVERIFY(saveFile(to, "old\n").has_value());
    const auto refused = copyRecording(from, to, Existing::refuse);
    QVERIFY(!refused);
    QVERIFY(refused.error().message.find("exists already") != std::string::npos);
    QCOMPARE(readAll(to), std::string("old\n"));
    QVERIFY(copyRecording(from, to, Existing::replace).has_value());
    QCOMPARE(readAll(to), std::string("new\n"));
    QVERIFY(!copyRecording(dir.filePath("none").toStdString(), to, Existing::replace));
    QCOMPARE(readAll(to), std::string("new\n"));
    QCOMPARE(QDir(dir.path()).entryList(QDir::Files | QDir::Hidden).size(), 2);
}

void TestSafeFile::freeSpaceIsTold() {
    QTemporaryDir dir;
    const auto there = freeDiskBytes(dir.path().toStdString());
    QVERIFY(there.has_value());
    QVERIFY(freeDiskBytes(dir.filePath("a file to come").toStdString()).has_value());
    QVERIFY(!freeDiskBytes("/no/such/folder/file"));
}

QTEST_APPLESS_MAIN(TestSafeFile)
#include "tst_safe_file.moc"
