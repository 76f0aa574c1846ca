#include "core/record/journal.h"

#include "core/record/journal_writer.h"
#include "core/record/recording_format.h"

#include <system_error>
#include <utility>

namespace decodescope {
namespace {

/// One run's entry to the writer. Outlives the journal without harm: a closed writer drops what comes.
class RunSink final : public RawSink {
public:
    RunSink(std::shared_ptr<JournalWriter> writer, std::uint32_t run)
        : m_writer(std::move(writer))
        , m_run(run) {}

    void onChunk(Instant at, std::uint32_t read, std::string_view bytes) override {
        JournalEntry entry;
        entry.kind = JournalEntry::Kind::bytes;
        entry.read = read;
        entry.text = bytes;
        post(at, std::move(entry));
    }

    void onMilestone(Instant at, const Milestone& milestone) override {
        JournalEntry entry;
        entry.kind = JournalEntry::Kind::mark;
        entry.milestone = milestone;
        post(at, std::move(entry));
    }

    void onEnd(Instant at, ErrorKind kind, std::string_view message) override {
        JournalEntry entry;
        entry.kind = JournalEntry::Kind::end;
        entry.endKind = kind;
        entry.text = message;
        post(at, std::move(entry));
    }

    void onStamps(Instant at, const StampReport& stamps) override {
        JournalEntry entry;
        appendStampsLine(entry.text, m_run, at, stamps);
        m_writer->post(std::move(entry));
    }

    void onHiccup(const Hiccup& hiccup) override {
        JournalEntry entry;
        appendHiccupLine(entry.text, m_run, hiccup);
        m_writer->post(std::move(entry));
    }

private:
    void post(Instant at, JournalEntry entry) {
        entry.run = m_run;
        entry.at = at;
        m_writer->post(std::move(entry));
    }

    std::shared_ptr<JournalWriter> m_writer;
    std::uint32_t m_run;
};

class FileJournal final : public Journal {
public:
    explicit FileJournal(std::shared_ptr<JournalWriter> writer)
        : m_writer(std::move(writer)) {}
    ~FileJournal() override { m_writer->close(); }

    void addLane(const RecordedLane& lane) override {
        std::string line;
        appendLaneLine(line, lane);
        postLine(std::move(line));
    }

    std::shared_ptr<RawSink> openRun(const RunRecord& record) override {
        const std::uint32_t run = m_runs++;
        std::string line;
        appendRunLine(line, run, record);
        postLine(std::move(line));
        return std::make_shared<RunSink>(m_writer, run);
    }

    void finish() override { m_writer->finish(); }
    void close() override { m_writer->close(); }
    JournalState state() const override { return m_writer->state(); }

private:
    void postLine(std::string line) {
        JournalEntry entry;
        entry.text = std::move(line);
        m_writer->post(std::move(entry));
    }

    std::shared_ptr<JournalWriter> m_writer;
    std::uint32_t m_runs = 0;
};

} // namespace

Result<std::shared_ptr<Journal>> Journal::create(const std::string& path, const RecordingHeader& header,
                                                 std::shared_ptr<DiskCalls> calls) {
    std::string line;
    appendHeaderLine(line, header);
    auto file = AppendFile::create(path, line, calls ? std::move(calls) : systemDiskCalls());
    if (!file)
        return tl::unexpected(file.error());
    try {
        return std::make_shared<FileJournal>(std::make_shared<JournalWriter>(std::move(*file), path));
    } catch (const std::system_error& error) {
        return fail(ErrorCode::internal,
                    "No thread could be started for the recording. Close other programs and try "
                    "again.",
                    error.what());
    }
}

} // namespace decodescope
