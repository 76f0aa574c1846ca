#include "core/base/redaction.h"
#include "core/record/journal.h"
#include "core/record/journal_writer.h"
#include "tests/core/record/failing_disk.h"
#include "tests/core/record/record_support.h"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>

#include <cerrno>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace decodescope;
using namespace decodescope::test;
using namespace std::chrono_literals;

namespace {

constexpr std::uint32_t kReads = 30;

std::string bytesOfRead(std::uint32_t read) {
    return "read " + std::to_string(read) + std::string(read % 7, '.');
}

void writeRun(Journal& journal, int lane) {
    const RunRecord asked = sampleAsked(lane);
    journal.addLane({lane, "lane", asked.spec});
    const auto sink = journal.openRun(asked);
    sink->onMilestone(instantFromNs(10), {Milestone::Kind::started});
    for (std::uint32_t read = 0; read < kReads; ++read)
        sink->onChunk(instantFromNs(20 + read), read, bytesOfRead(read));
    sink->onEnd(instantFromNs(1000), ErrorKind::none, "");
}

/// Waits for the writer: what the journal says of itself changes within a few batches.
template <class Predicate> bool eventually(Predicate predicate) {
    for (int i = 0; i < 400; ++i) {
        if (predicate())
            return true;
        std::this_thread::sleep_for(25ms);
    }
    return false;
}

} // namespace

class TestJournal : public QObject {
    Q_OBJECT

private slots:
    void init() { QVERIFY(m_dir.emplace().isValid()); }
    void holdsWhatWasHandedOver();
    void isReadableWhileItGrows();
    void refusesAnExistingFile();
    void refusesPlacesItCannotWriteTo();
    void refusesAReadOnlyFolder();
    void fileIsPrivate();
    void runsOfSeveralThreadsStayApart();
    void sinksOutliveTheJournal();
    void secretsStayOut();
    void anyFailureLeavesAValidFile_data();
    void anyFailureLeavesAValidFile();
    void interruptedWritesAreRepeated();
    void aFailureIsToldInWords();
    void aDeletedFileIsNoticed();
    void f47_aRemovedFolderIsNoticed();

private:
    std::string path() const { return m_dir->filePath("test.decodescope").toStdString(); }

    std::optional<QTemporaryDir> m_dir;
};

void TestJournal::holdsWhatWasHandedOver() {
    const auto journal = Journal::create(path(), sampleHeader());
    QVERIFY(journal.has_value());
    writeRun(**journal, 0);
    writeRun(**journal, 1);
    (*journal)->close();
    const JournalState state = (*journal)->state();
    QVERIFY(state.closed);
    QVERIFY(state.failure.empty());
    QVERIFY(state.lastSync.has_value());
    QCOMPARE(state.path, path());
    QCOMPARE(state.bytes, readAll(path()).size());
    const auto recording = readRecording(path());
    QVERIFY(recording.has_value());
    QCOMPARE(recording->droppedBytes, 0U);
    QCOMPARE(recording->header.app, sampleHeader().app);
    QCOMPARE(recording->runs.size(), 2U);
    for (const auto& run : recording->runs) {
        QCOMPARE(run->chunks.size(), kReads);
        for (std::uint32_t read = 0; read < kReads; ++read) {
            QCOMPARE(run->chunks[read].bytes, bytesOfRead(read));
            QCOMPARE(toNs(run->chunks[read].at), 20 + read);
        }
        QVERIFY(run->end.has_value());
    }
    QVERIFY(recording->runs[1]->asked.requestBody == sampleAsked().requestBody);
}

void TestJournal::isReadableWhileItGrows() {
    const auto journal = Journal::create(path(), sampleHeader());
    QVERIFY(readRecording(path()).has_value());
    const auto sink = (*journal)->openRun(sampleAsked());
    sink->onChunk(instantFromNs(1), 0, "HTTP/1.1 200 OK\r\n");
    const auto arrived = [&] {
        const auto recording = readRecording(path());
        return recording && recording->runs.size() == 1 && recording->runs[0]->chunks.size() == 1;
    };
    QVERIFY(eventually(arrived));
    const auto recording = readRecording(path());
    QVERIFY(!recording->runs[0]->end);
    // The first byte is worth a sync of its own.
    QVERIFY(eventually([&] { return (*journal)->state().lastSync.has_value(); }));
}

void TestJournal::refusesAnExistingFile() {
    QFile file(QString::fromStdString(path()));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("precious");
    file.close();
    const auto journal = Journal::create(path(), sampleHeader());
    QVERIFY(!journal);
    QVERIFY(journal.error().code == ErrorCode::io);
    QVERIFY(journal.error().message.find("exists already") != std::string::npos);
    QCOMPARE(readAll(path()), std::string("precious"));
}

void TestJournal::refusesPlacesItCannotWriteTo() {
    const auto nowhere = Journal::create(path() + "/none/x", sampleHeader());
    QVERIFY(!nowhere && nowhere.error().code == ErrorCode::io);
    const auto system = Journal::create("/proc/x.decodescope", sampleHeader());
    QVERIFY(!system && system.error().code == ErrorCode::io);
}

void TestJournal::refusesAReadOnlyFolder() {
    if (::geteuid() == 0)
        QSKIP("read-only folders do not stop the superuser");
    QVERIFY(::chmod(m_dir->path().toStdString().c_str(), 0500) == 0);
    const auto locked = Journal::create(path(), sampleHeader());
    QVERIFY(::chmod(m_dir->path().toStdString().c_str(), 0700) == 0);
    QVERIFY(!locked && locked.error().message.find("permission") != std::string::npos);
}

void TestJournal::fileIsPrivate() {
    const mode_t before = ::umask(0);
    const auto journal = Journal::create(path(), sampleHeader());
    ::umask(before);
    struct stat status {};
    QCOMPARE(::stat(path().c_str(), &status), 0);
    QCOMPARE(static_cast<int>(status.st_mode & 07777), 0600);
}

void TestJournal::runsOfSeveralThreadsStayApart() {
    constexpr std::uint32_t kThreads = 4;
    constexpr std::uint32_t kMany = 2000;
    const auto journal = Journal::create(path(), sampleHeader());
    std::vector<std::shared_ptr<RawSink>> sinks;
    for (std::uint32_t i = 0; i < kThreads; ++i)
        sinks.push_back((*journal)->openRun(sampleAsked(static_cast<int>(i))));
    std::vector<std::thread> threads;
    for (std::uint32_t i = 0; i < kThreads; ++i) {
        threads.emplace_back([sink = sinks[i], i] {
            for (std::uint32_t read = 0; read < kMany; ++read)
                sink->onChunk(instantFromNs(read), read, std::to_string(i) + bytesOfRead(read));
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    (*journal)->close();
    const auto recording = readRecording(path());
    QCOMPARE(recording->runs.size(), kThreads);
    for (std::uint32_t i = 0; i < kThreads; ++i) {
        const RecordedRun& run = *recording->runs[i];
        QCOMPARE(run.chunks.size(), kMany);
        for (std::uint32_t read = 0; read < kMany; ++read)
            QVERIFY(run.chunks[read].bytes == std::to_string(i) + bytesOfRead(read));
    }
}

void TestJournal::sinksOutliveTheJournal() {
    std::shared_ptr<RawSink> sink;
    {
        const auto journal = Journal::create(path(), sampleHeader());
        sink = (*journal)->openRun(sampleAsked());
    }
    const std::string before = readAll(path());
    sink->onChunk(instantFromNs(1), 0, "late");
    sink->onEnd(instantFromNs(2), ErrorKind::none, "");
    sink.reset();
    QCOMPARE(readAll(path()), before);
}

void TestJournal::secretsStayOut() {
    const std::string canary = "DSCANARY-7f3a";
    const auto journal = Journal::create(path(), sampleHeader());
    RunRecord asked = sampleAsked();
    asked.spec.key = std::make_shared<Secret>(canary);
    asked.spec.endpoint.url = "https://user:" + canary + "@h.example/v1?key=" + canary;
    asked.route = asked.spec.endpoint.url;
    keepOutOfTexts(*asked.spec.key); // as the session does with every lane's
    asked.spec.prompt = "What is \"" + canary + "\"?";
    asked.spec.system = canary;
    asked.spec.laneName = "of " + canary;
    asked.requestBody = R"({"prompt":"What is \"DSCANARY-\u0037f3a\"?"})";
    (*journal)->addLane({0, asked.spec.laneName, asked.spec});
    const auto sink = (*journal)->openRun(asked);
    sink->onMilestone(instantFromNs(1), {Milestone::Kind::started});
    const std::string answer = "HTTP/1.1 200 OK\r\nSet-Cookie: sid=" + canary + "\r\nX-Api-Key: " + canary +
                               "\r\nContent-Type: text/event-stream\r\n\r\ndata: hello\n\n";
    for (std::uint32_t read = 0; read < answer.size(); ++read)
        sink->onChunk(instantFromNs(2 + read), read, std::string_view(answer).substr(read, 1));
    sink->onEnd(instantFromNs(1000), ErrorKind::none, "");
    (*journal)->close();

    QVERIFY(readAll(path()).find(canary) == std::string::npos);
    const auto recording = readRecording(path());
    QCOMPARE(recording->runs.at(0)->asked.spec.prompt, "What is \"" + std::string(canary.size(), '*') + "\"?");
    QVERIFY(recording->runs[0]->asked.requestBody.find("DSCANARY") == std::string::npos);
    std::string decoded;
    for (const ByteChunk& chunk : recording->runs.at(0)->chunks)
        decoded += chunk.bytes;
    QVERIFY(decoded.find(canary) == std::string::npos);
    QCOMPARE(decoded.size(), answer.size());
    QVERIFY(decoded.find("data: hello") != std::string::npos);
    QVERIFY(recording->runs[0]->asked.spec.key == nullptr);
}

void TestJournal::anyFailureLeavesAValidFile_data() {
    QTest::addColumn<int>("error");
    QTest::newRow("full") << ENOSPC;
    QTest::newRow("broken") << EIO;
}

void TestJournal::anyFailureLeavesAValidFile() {
    QFETCH(int, error);
    int failures = 0;
    for (int n = 1; n < 1000; ++n) {
        QTemporaryDir dir;
        const std::string file = dir.filePath("x.decodescope").toStdString();
        auto disk = std::make_shared<FailingDisk>(n, error);
        disk->mostPerWrite = 97;
        const auto journal = Journal::create(file, sampleHeader(), disk);
        if (!journal) {
            QVERIFY(disk->failed());
            QVERIFY(QDir(dir.path()).isEmpty());
            ++failures;
            continue;
        }
        writeRun(**journal, 0);
        (*journal)->close();
        const auto recording = readRecording(file);
        QVERIFY(recording.has_value());
        QCOMPARE(recording->droppedBytes, 0U);
        if (!disk->failed()) {
            QVERIFY((*journal)->state().failure.empty());
            QCOMPARE(recording->runs.at(0)->chunks.size(), kReads);
            QVERIFY(failures > 20);
            return;
        }
        ++failures;
        QVERIFY(!(*journal)->state().failure.empty());
        QVERIFY((*journal)->state().closed);
        for (const auto& run : recording->runs) {
            for (std::uint32_t read = 0; read < run->chunks.size(); ++read)
                QCOMPARE(run->chunks[read].bytes, bytesOfRead(read));
        }
    }
    QFAIL("the failures never ended");
}

void TestJournal::interruptedWritesAreRepeated() {
    for (int n = 1; n < 30; n += 2) {
        QTemporaryDir dir;
        const std::string file = dir.filePath("x.decodescope").toStdString();
        auto disk = std::make_shared<FailingDisk>(n, EINTR);
        disk->mostPerWrite = 97;
        disk->writesOnly = true;
        const auto journal = Journal::create(file, sampleHeader(), disk);
        QVERIFY(journal.has_value());
        writeRun(**journal, 0);
        (*journal)->close();
        QVERIFY(disk->failed());
        QVERIFY((*journal)->state().failure.empty());
        QCOMPARE(readRecording(file)->runs.at(0)->chunks.size(), kReads);
    }
}

void TestJournal::aFailureIsToldInWords() {
    auto disk = std::make_shared<FailingDisk>(5, ENOSPC);
    const auto journal = Journal::create(path(), sampleHeader(), disk);
    QVERIFY(journal.has_value());
    const auto sink = (*journal)->openRun(sampleAsked());
    std::uint32_t read = 0;
    QVERIFY(eventually([&] {
        sink->onChunk(instantFromNs(read), read, "x");
        ++read;
        return !(*journal)->state().failure.empty();
    }));
    const std::string failure = (*journal)->state().failure;
    QVERIFY(failure.starts_with("The disk is full: the recording "));
    QVERIFY(failure.find(path()) != std::string::npos);
    QVERIFY(failure.find("The run goes on in memory") != std::string::npos);
    QVERIFY(!(*journal)->state().closed);
}

void TestJournal::aDeletedFileIsNoticed() {
    const auto journal = Journal::create(path(), sampleHeader());
    QCOMPARE(::unlink(path().c_str()), 0);
    writeRun(**journal, 0);
    (*journal)->close();
    QVERIFY((*journal)->state().failure.find("deleted") != std::string::npos);
}

void TestJournal::f47_aRemovedFolderIsNoticed() {
    QVERIFY(QDir(m_dir->path()).mkdir("sub"));
    const std::string file = m_dir->filePath("sub/x.decodescope").toStdString();
    const auto journal = Journal::create(file, sampleHeader());
    QVERIFY(journal.has_value());
    QVERIFY(QDir(m_dir->filePath("sub")).removeRecursively());
    const auto sink = (*journal)->openRun(sampleAsked());
    sink->onChunk(instantFromNs(1), 0, "x");
    QVERIFY(eventually([&] { return !(*journal)->state().failure.empty(); }));
    sink->onChunk(instantFromNs(2), 1, "y");
    (*journal)->close();
}

QTEST_APPLESS_MAIN(TestJournal)
#include "tst_journal.moc"
