#include "core/record/recording.h"

#include "core/record/disk.h"
#include "core/record/recording_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <set>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace decodescope {
namespace {

constexpr std::uint64_t kLargestFile = std::uint64_t{4} << 30;
constexpr std::size_t kLongestLine = std::size_t{64} << 20;
constexpr std::size_t kReadAtOnce = std::size_t{1} << 20;

template <class... F> struct Overloaded : F... { using F::operator()...; };
template <class... F> Overloaded(F...) -> Overloaded<F...>;

/// Takes a recording's bytes in pieces and keeps what stands before the first bad line.
class RecordingReader {
public:
    void feed(std::string_view bytes) {
        m_total += bytes.size();
        if (m_bad)
            return;
        while (!bytes.empty()) {
            const void* lineFeed = std::memchr(bytes.data(), '\n', bytes.size());
            if (lineFeed == nullptr) {
                m_torn.append(bytes);
                m_bad = m_torn.size() > kLongestLine;
                return;
            }
            const auto length = static_cast<std::size_t>(static_cast<const char*>(lineFeed) - bytes.data());
            std::string_view line = bytes.substr(0, length);
            if (!m_torn.empty()) {
                m_torn.append(line);
                line = m_torn;
            }
            auto parsed = parseRecordingLine(line);
            if (!parsed || (!m_hasHeader && !std::holds_alternative<HeaderLine>(*parsed))) {
                m_bad = true;
                return;
            }
            take(std::move(*parsed));
            m_good += line.size() + 1;
            m_torn.clear();
            bytes.remove_prefix(length + 1);
        }
    }

    [[nodiscard]] Result<Recording> finish(const std::string& name) {
        if (!m_hasHeader)
            return fail(ErrorCode::malformed, fmt::format("{} is not a recording of Decodescope, or its first line is "
                                                          "damaged. Nothing in it could be read.",
                                                          name));
        m_recording.path = name;
        m_recording.droppedBytes = m_total - m_good;
        for (const auto& run : m_runs)
            std::stable_sort(run->hiccups.begin(), run->hiccups.end(),
                             [](const Hiccup& a, const Hiccup& b) { return a.woke < b.woke; });
        m_recording.runs.assign(m_runs.begin(), m_runs.end());
        return std::move(m_recording);
    }

private:
    void take(RecordingLine&& line) {
        std::visit(Overloaded{
                       [](UnknownLine&) {},
                       [this](HeaderLine& header) {
                           if (std::exchange(m_hasHeader, true))
                               return;
                           m_recording.header = std::move(header.header);
                           m_recording.schema = header.schema;
                       },
                       [this](LaneLine& lane) { addLane(std::move(lane.lane)); },
                       [this](RunLine& run) { addRun(std::move(run)); },
                       [this](MarkLine& mark) {
                           if (RecordedRun* run = openRun(mark.run))
                               run->milestones.emplace_back(mark.at, mark.milestone);
                       },
                       [this](BytesLine& bytes) { addChunk(std::move(bytes)); },
                       [this](StampsLine& stamps) {
                           if (RecordedRun* run = openRun(stamps.run))
                               run->stamps = stamps.stamps;
                       },
                       [this](HiccupLine& hiccup) {
                           if (hiccup.run < m_runs.size())
                               m_runs[hiccup.run]->hiccups.push_back(hiccup.hiccup);
                       },
                       [this](EndLine& end) {
                           if (RecordedRun* run = openRun(end.run))
                               run->end = std::move(end.end);
                       },
                   },
                   line);
    }

    void addLane(RecordedLane&& lane) {
        for (RecordedLane& known : m_recording.lanes) {
            if (known.lane == lane.lane) {
                known = std::move(lane);
                return;
            }
        }
        m_recording.lanes.push_back(std::move(lane));
    }

    void addRun(RunLine&& run) {
        if (run.run != m_runs.size())
            return;
        const bool laneKnown = std::any_of(m_recording.lanes.begin(), m_recording.lanes.end(),
                                           [&](const RecordedLane& l) { return l.lane == run.asked.lane; });
        if (!laneKnown)
            m_recording.lanes.push_back({run.asked.lane, run.asked.spec.laneName, run.asked.spec});
        auto recorded = std::make_shared<RecordedRun>();
        recorded->asked = std::move(run.asked);
        m_runs.push_back(std::move(recorded));
    }

    void addChunk(BytesLine&& bytes) {
        RecordedRun* run = openRun(bytes.run);
        if (run == nullptr)
            return;
        if (!run->chunks.empty()) {
            const ByteChunk& last = run->chunks.back();
            if (bytes.chunk.read <= last.read)
                return;
            bytes.chunk.at = std::max(bytes.chunk.at, last.at); // time never runs back, whoever wrote the file
        }
        run->chunks.push_back(std::move(bytes.chunk));
    }

    /// The run of that number if it is known and not over.
    RecordedRun* openRun(std::uint32_t run) {
        return run < m_runs.size() && !m_runs[run]->end ? m_runs[run].get() : nullptr;
    }

    Recording m_recording;
    std::vector<std::shared_ptr<RecordedRun>> m_runs;
    std::string m_torn; // the beginning of a line whose end has not come yet
    std::uint64_t m_total = 0;
    std::uint64_t m_good = 0;
    bool m_hasHeader = false;
    bool m_bad = false;
};

tl::unexpected<Error> cannotRead(const std::string& path, int error) {
    return fail(ErrorCode::io, fmt::format("The recording {} could not be read: {}.", path, diskReason(error)),
                fmt::format("errno {}", error));
}

tl::unexpected<Error> tooLarge(const std::string& path) {
    return fail(ErrorCode::io, fmt::format("The recording {} is larger than 4 GiB, which is more than Decodescope "
                                           "opens at once.",
                                           path));
}

} // namespace

Instant RecordedRun::begin() const {
    Instant first = Instant::max();
    for (const auto& [at, milestone] : milestones)
        first = std::min(first, at);
    if (!chunks.empty())
        first = std::min(first, chunks.front().at);
    if (end)
        first = std::min(first, end->at);
    return first == Instant::max() ? Instant{} : first;
}

Instant RecordedRun::lastStamp() const {
    Instant last{};
    for (const auto& [at, milestone] : milestones)
        last = std::max(last, at);
    if (!chunks.empty())
        last = std::max(last, chunks.back().at);
    return end ? std::max(last, end->at) : last;
}

std::vector<int> looksOf(const Recording& recording) {
    std::set<int> taken;
    std::vector<int> looks;
    for (const RecordedLane& lane : recording.lanes)
        looks.push_back(lane.look && taken.insert(*lane.look).second ? *lane.look : -1);
    int next = 0;
    for (int& look : looks) {
        if (look >= 0)
            continue;
        while (!taken.insert(next).second)
            ++next;
        look = next;
    }
    return looks;
}

std::string questionOf(const Recording& recording, const RecordedRun& run) {
    const std::string& prompt = run.asked.spec.prompt;
    // The lane's line holds the prompt as it was written, the run's what was sent.
    for (const RecordedLane& lane : recording.lanes)
        if (lane.lane == run.asked.lane && !lane.spec.prompt.empty() && prompt.ends_with(lane.spec.prompt))
            return lane.spec.prompt;
    return prompt;
}

std::string newerVersionNote(const Recording& recording) {
    if (recording.schema <= kRecordingSchema)
        return {};
    return fmt::format(
        "The recording is of a newer version of this program (format {}; this one knows {}): what the newer "
        "one added is not shown. A copy of it keeps everything.",
        recording.schema, kRecordingSchema);
}

Result<Recording> readRecording(const std::string& path) {
    const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!fd.open())
        return cannotRead(path, errno);
    struct stat status {};
    if (::fstat(fd.get(), &status) != 0)
        return cannotRead(path, errno);
    if (S_ISDIR(status.st_mode))
        return cannotRead(path, EISDIR);
    if (static_cast<std::uint64_t>(status.st_size) > kLargestFile)
        return tooLarge(path);
    RecordingReader reader;
    std::string buffer(kReadAtOnce, '\0');
    std::uint64_t total = 0;
    while (true) {
        const ssize_t got = ::read(fd.get(), buffer.data(), buffer.size());
        if (got == 0)
            return reader.finish(path);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return cannotRead(path, errno);
        total += static_cast<std::uint64_t>(got);
        if (total > kLargestFile)
            return tooLarge(path);
        reader.feed(std::string_view(buffer).substr(0, static_cast<std::size_t>(got)));
    }
}

Result<Recording> parseRecording(std::string_view bytes, const std::string& name) {
    if (bytes.size() > kLargestFile)
        return tooLarge(name);
    RecordingReader reader;
    reader.feed(bytes);
    return reader.finish(name);
}

} // namespace decodescope
