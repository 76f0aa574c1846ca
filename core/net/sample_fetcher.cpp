#include "core/net/sample_fetcher.h"

#include "core/net/engine_call.h"

#include <QTimer>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <string_view>
#include <utility>

namespace decodescope {

namespace {

using nlohmann::json;

/// A line of --progress-json; nothing for any other line.
std::optional<SampleProgress> progressIn(const QByteArray& line) {
    const json told = json::parse(line.begin(), line.end(), nullptr, false);
    if (!told.is_object())
        return std::nullopt;
    SampleProgress progress;
    if (const auto step = told.find("step"); step != told.end() && step->is_string())
        progress.what = step->get<std::string>();
    const auto count = [&](const char* name) -> std::uint64_t {
        const auto found = told.find(name);
        return found != told.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
    };
    progress.doneBytes = count("bytes");
    if (const std::uint64_t total = count("total"); total > 0)
        progress.totalBytes = total;
    return progress;
}

Result<std::string> judge(const Result<EngineCall::Ended>& ended) {
    if (!ended)
        return tl::unexpected(ended.error());
    const QByteArray path = ended->output.trimmed();
    if (ended->exitCode != 0 || path.isEmpty() || path.contains('\n')) {
        constexpr std::string_view kSpeaker = "decodescope-engine: "; // who says it is no part of the sentence
        std::string_view word = ended->lastWord;
        if (word.starts_with(kSpeaker))
            word.remove_prefix(kSpeaker.size());
        return fail(ErrorCode::network,
                    word.empty()
                        ? fmt::format("The sample model could not be fetched; the engine ended with exit status {}.",
                                      ended->exitCode)
                        : fmt::format("The sample model could not be fetched: {}", word));
    }
    return path.toStdString();
}

} // namespace

SampleFetcher::~SampleFetcher() = default;

void SampleFetcher::fetch(Progress progress, Answer answer) {
    if (busy()) {
        QTimer::singleShot(0, this, [answer = std::move(answer)] {
            answer(fail(ErrorCode::usage, "The sample model is being fetched already."));
        });
        return;
    }
    m_call = new EngineCall({QStringLiteral("fetch-sample"), QStringLiteral("--progress-json")}, this);
    if (progress) {
        m_call->onErrorLine = [progress = std::move(progress)](const QByteArray& line) {
            if (const auto told = progressIn(line))
                progress(*told);
        };
    }
    m_call->start([this, answer = std::move(answer)](const Result<EngineCall::Ended>& ended) {
        m_call->deleteLater();
        m_call.clear();
        answer(judge(ended));
    });
}

void SampleFetcher::cancel() {
    if (m_call)
        m_call->stop("Fetching the sample model was stopped.");
}

} // namespace decodescope
