#include "core/record/journal.h"
#include "tests/core/record/record_support.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <random>
#include <sched.h>
#include <string>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

/// What happens to a recording when the program dies, or the disk ends. The program that dies is this very file,
/// started again with an argument.
using namespace decodescope;
using namespace decodescope::test;
using namespace std::chrono_literals;

namespace {

constexpr std::uint32_t kMostReads = 200'000;

/// Shared with the parent and outliving the child: when each read was handed to the journal.
struct Handed {
    std::atomic<std::int64_t> atNs[kMostReads];
};

Handed* mapHanded(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || ::ftruncate(fd, sizeof(Handed)) != 0)
        return nullptr;
    void* memory = ::mmap(nullptr, sizeof(Handed), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    ::close(fd);
    return memory == MAP_FAILED ? nullptr : static_cast<Handed*>(memory);
}

std::string bytesOfRead(std::uint32_t read) {
    return "data: {\"n\":" + std::to_string(read) + "}" + std::string(read % 300, '.');
}

/// Writes until it is killed.
int writeUntilKilled(const std::string& path) {
    Handed* handed = mapHanded(path + ".handed");
    const auto journal = Journal::create(path, sampleHeader());
    if (handed == nullptr || !journal)
        return 3;
    (*journal)->addLane({0, "lane", sampleAsked().spec});
    const auto sink = (*journal)->openRun(sampleAsked());
    const SteadyClock clock;
    for (std::uint32_t read = 0; read < kMostReads; ++read) {
        const Instant now = clock.now();
        sink->onChunk(now, read, bytesOfRead(read));
        handed->atNs[read].store(toNs(now), std::memory_order_release);
        if (read % 8 == 0)
            std::this_thread::sleep_for(500us);
    }
    std::this_thread::sleep_for(60s);
    return 4;
}

/// Writes until the journal gives up, then says why. 0: it did, and the file is sound up to there.
int writeUntilRefused(const std::string& path) {
    const auto journal = Journal::create(path, sampleHeader());
    if (!journal)
        return 3;
    const auto sink = (*journal)->openRun(sampleAsked());
    std::uint32_t read = 0;
    while ((*journal)->state().failure.empty() && read < kMostReads) {
        sink->onChunk(instantFromNs(read), read, bytesOfRead(read));
        if (++read % 50 == 0)
            std::this_thread::sleep_for(1ms);
    }
    (*journal)->close();
    std::puts((*journal)->state().failure.c_str());
    const auto recording = readRecording(path);
    if (!recording || recording->runs.size() != 1 || recording->droppedBytes != 0)
        return 5;
    const auto& chunks = recording->runs[0]->chunks;
    for (std::uint32_t i = 0; i < chunks.size(); ++i) {
        if (chunks[i].bytes != bytesOfRead(i))
            return 6;
    }
    return chunks.size() < 100 || chunks.size() >= read ? 7 : 0;
}

/// A disk of 256 KiB that only this process sees.
int writeOnSmallDisk(const std::string& folder) {
    if (::unshare(::geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) != 0 ||
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=256k") != 0) {
        std::perror("no small disk could be mounted");
        return 77;
    }
    return writeUntilRefused(folder + "/full.decodescope");
}

int writeUnderSizeLimit(const std::string& path) {
    const rlimit limit{100'000, 100'000};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0)
        return 3;
    return writeUntilRefused(path);
}

QString self() {
    return QFile::symLinkTarget(QStringLiteral("/proc/self/exe"));
}

} // namespace

class TestJournalCrash : public QObject {
    Q_OBJECT

private slots:
    void killedAtAnyTimeItHoldsAllButTheLastSecond();
    void aSizeLimitStopsTheRecordingOnly();
    void aFullDiskStopsTheRecordingOnly();
};

void TestJournalCrash::killedAtAnyTimeItHoldsAllButTheLastSecond() {
    constexpr int kKills = 50;
    constexpr int kAtOnce = 5;
    std::mt19937 random(42);
    QTemporaryDir dir;
    for (int batch = 0; batch < kKills / kAtOnce; ++batch) {
        std::vector<std::unique_ptr<QProcess>> children;
        for (int i = 0; i < kAtOnce; ++i) {
            const QString path = dir.filePath(QString("%1-%2.decodescope").arg(batch).arg(i));
            children.push_back(std::make_unique<QProcess>());
            children.back()->start(self(), {"--until-killed", path});
        }
        for (int i = 0; i < kAtOnce; ++i) {
            const std::string path = dir.filePath(QString("%1-%2.decodescope").arg(batch).arg(i)).toStdString();
            QVERIFY(children[static_cast<std::size_t>(i)]->waitForStarted());
            // One in five lives long enough for the promise to bind.
            const bool longLived = i == 0;
            QTest::qWait(static_cast<int>(random() % 60) + (longLived ? 1300 : 0));
            const Instant killed = SteadyClock().now();
            children[static_cast<std::size_t>(i)]->kill();
            QVERIFY(children[static_cast<std::size_t>(i)]->waitForFinished());

            if (!QFile::exists(QString::fromStdString(path)))
                continue; // killed before it began to record
            const auto recording = readRecording(path);
            if (!recording) { // killed while it wrote the very first line
                QVERIFY(!longLived);
                continue;
            }
            const std::size_t kept = recording->runs.empty() ? 0 : recording->runs[0]->chunks.size();
            for (std::uint32_t read = 0; read < kept; ++read)
                QCOMPARE(recording->runs[0]->chunks[read].bytes, bytesOfRead(read));
            const Handed* handed = mapHanded(path + ".handed");
            QVERIFY(handed != nullptr);
            std::size_t owed = 0;
            while (owed < kMostReads && handed->atNs[owed] != 0 && handed->atNs[owed] < toNs(killed - 1s))
                ++owed;
            QVERIFY2(kept >= owed, qPrintable(QString("%1 of %2").arg(kept).arg(owed)));
            if (longLived)
                QVERIFY(kept > 0);
            ::munmap(const_cast<Handed*>(handed), sizeof(Handed));
        }
    }
}

void TestJournalCrash::aSizeLimitStopsTheRecordingOnly() {
    QTemporaryDir dir;
    QProcess child;
    child.start(self(), {"--size-limit", dir.filePath("limited.decodescope")});
    QVERIFY(child.waitForFinished(60'000));
    const QByteArray said = child.readAllStandardOutput();
    QCOMPARE(child.exitStatus(), QProcess::NormalExit);
    QCOMPARE(child.exitCode(), 0);
    QVERIFY2(said.contains("size limit"), said.constData());
}

void TestJournalCrash::aFullDiskStopsTheRecordingOnly() {
    QTemporaryDir dir;
    QProcess child;
    child.start(self(), {"--small-disk", dir.path()});
    QVERIFY(child.waitForFinished(60'000));
    if (child.exitCode() == 77)
        QSKIP(child.readAllStandardError().trimmed().constData());
    const QByteArray said = child.readAllStandardOutput();
    QCOMPARE(child.exitStatus(), QProcess::NormalExit);
    QCOMPARE(child.exitCode(), 0);
    QVERIFY2(said.startsWith("The disk is full: the recording "), said.constData());
}

int main(int argc, char** argv) {
    const std::string mode = argc == 3 ? argv[1] : "";
    if (mode == "--until-killed")
        return writeUntilKilled(argv[2]);
    if (mode == "--size-limit")
        return writeUnderSizeLimit(argv[2]);
    if (mode == "--small-disk")
        return writeOnSmallDisk(argv[2]);
    QCoreApplication app(argc, argv);
    TestJournalCrash test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_journal_crash.moc"
