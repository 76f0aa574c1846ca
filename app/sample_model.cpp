#include "app/sample_model.h"

#include "app/interrupt.h"
#include "app/terminal.h"
#include "app/user_folders.h"
#include "core/net/sample_fetcher.h"
#include "core/source/model_finder.h"

#include <QEventLoop>
#include <QTimer>
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <unistd.h>

namespace decodescope {

namespace {

constexpr std::chrono::milliseconds kCrank{50};

/// Each step once, and on a terminal how far a download has got.
class FetchLines {
public:
    void show(const SampleProgress& progress) {
        if (progress.what == "check" || progress.what == "done")
            return; // quickly over
        constexpr double kBytesPerMB = 1e6;
        const bool fresh = progress.what != m_step;
        m_step = progress.what;
        if (fresh)
            tell(fmt::format("The sample model is fetched: {}{}.", progress.what,
                             progress.totalBytes
                                 ? fmt::format(" of {:.0f} MB", static_cast<double>(*progress.totalBytes) / kBytesPerMB)
                                 : std::string()));
    }

private:
    std::string m_step;
};

} // namespace

Result<std::string> fetchSampleModel() {
    const InterruptGuard interrupt;
    SampleFetcher fetcher;
    FetchLines lines;
    std::optional<Result<std::string>> got;
    QEventLoop loop;
    QTimer crank;
    QObject::connect(&crank, &QTimer::timeout, &loop, [&] {
        if (interrupt.asked())
            fetcher.cancel();
    });
    crank.start(kCrank);
    fetcher.fetch([&lines](const SampleProgress& progress) { lines.show(progress); },
                  [&](const Result<std::string>& path) {
                      got = path;
                      loop.quit();
                  });
    loop.exec();
    if (!*got)
        return fail(ErrorCode::network, got->error().message, got->error().detail);
    return *got;
}

std::string fetchedSampleModel() {
    const std::string folder = ownModelFolder(environmentVariable);
    std::error_code ignored;
    const std::string file = folder + "/SmolLM2-135M-Instruct.Q4_1.gguf";
    return !folder.empty() && std::filesystem::is_regular_file(file, ignored) ? file : std::string();
}

} // namespace decodescope
