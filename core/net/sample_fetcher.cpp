#include "core/net/sample_fetcher.h"

#include "core/net/engine_call.h"
#include "core/net/told_json.h"

#include <QTimer>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

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
    progress.what = textIn(told, "step");
    progress.doneBytes = countIn(told, "bytes").value_or(0);
    if (const auto total = countIn(told, "total"); total && *total > 0)
        progress.totalBytes = total;
    return progress;
}

Result<std::string> judge(const Result<EngineCall::Ended>& ended) {
    if (!ended)
        return tl::unexpected(ended.error());
    const QByteArray path = ended->output.trimmed();
    if (ended->exitCode != 0 || path.isEmpty() || path.contains('\n')) {
        const std::string& word = ended->lastWord;
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
    m_call =
        new EngineCall({QStringLiteral("fetch-sample"), QStringLiteral("--progress-json")}, EngineTask::fetch, this);
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
