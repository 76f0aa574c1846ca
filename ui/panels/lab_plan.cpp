#include "ui/panels/lab_plan.h"

#include "core/metrics/metrics.h"
#include "core/source/local_model.h"
#include "ui/lane/lane_words.h"

#include <QCoreApplication>
#include <QFileInfo>

#include <algorithm>
#include <functional>

namespace decodescope {
namespace {

constexpr int kLeastValues = 2;
constexpr int kMostValues = 8;
constexpr int kMostThreads = 256;
constexpr int kMostDepth = 1 << 20;
constexpr int kRoomForAnswer = 2048; // tokens of prompt and answer beside the filler

QString tr(const char* text) {
    return QCoreApplication::translate("Lab", text);
}

bool isOn(const QString& value) {
    return value == QLatin1String("on");
}

/// A value of a lever that counts something; nullopt and a reason when it is none.
QString faultOf(Lever lever, const QString& value) {
    const auto whole = [&](int least, int most) {
        bool good = false;
        const int number = value.toInt(&good);
        return good && number >= least && number <= most
                   ? QString()
                   : tr("“%1” is no whole number from %2 to %3.").arg(value).arg(least).arg(most);
    };
    switch (lever) {
    case Lever::file:
        return QFileInfo(value).isFile() ? QString() : tr("There is no file “%1”.").arg(value);
    case Lever::threads:
        return whole(1, kMostThreads);
    case Lever::batchMates:
        return whole(0, kMostBatchMates);
    case Lever::contextDepth:
        return whole(0, kMostDepth);
    case Lever::speculation:
    case Lever::prefixCache:
        break;
    }
    return value == QLatin1String("on") || value == QLatin1String("off")
               ? QString()
               : tr("It is “off” or “on”, not “%1”.").arg(value);
}

std::optional<double> median(const std::vector<const RunSummary*>& runs,
                             const std::function<std::optional<double>(const RunSummary&)>& figure) {
    std::vector<double> values;
    for (const RunSummary* run : runs)
        if (const auto value = figure(*run))
            values.push_back(*value);
    if (values.empty())
        return std::nullopt;
    std::sort(values.begin(), values.end());
    return quantileType7(values, 0.5);
}

} // namespace

QString leverName(Lever lever) {
    switch (lever) {
    case Lever::file:
        return tr("Model file");
    case Lever::threads:
        return tr("Threads");
    case Lever::batchMates:
        return tr("Batch-mates");
    case Lever::contextDepth:
        return tr("Context depth");
    case Lever::speculation:
        return tr("Speculation");
    case Lever::prefixCache:
        return tr("Prefix cache");
    }
    return {};
}

QString leverExample(Lever lever) {
    switch (lever) {
    case Lever::file:
        return tr("model-Q4_0.gguf; model-Q8_0.gguf");
    case Lever::threads:
        return QStringLiteral("1, 2");
    case Lever::batchMates:
        return QStringLiteral("0, 1, 3, 7");
    case Lever::contextDepth:
        return QStringLiteral("0, 512, 1024");
    case Lever::speculation:
    case Lever::prefixCache:
        return QStringLiteral("off, on");
    }
    return {};
}

QString leverHelp(Lever lever) {
    switch (lever) {
    case Lever::file:
        return tr("The same model in other quantisations: fewer bytes a token, more tokens a second.");
    case Lever::threads:
        return tr("Decoding is bound by memory: beyond what fills it, threads add nothing.");
    case Lever::batchMates:
        return tr("Further requests decode in the same steps: each slows a little, together they are faster.");
    case Lever::contextDepth:
        return tr("Filler before the prompt: keys and values of every position are read for every token.");
    case Lever::speculation:
        return tr(
            "Prompt lookup drafts tokens from the text so far and checks them in one step. The text is the same.");
    case Lever::prefixCache:
        return tr(
            "A second request over the same prompt starts without computing it again: TTFT changes, TPS does not.");
    }
    return {};
}

Result<QStringList> leverValues(Lever lever, const QString& typed) {
    const QChar separator = lever == Lever::file ? QLatin1Char(';') : QLatin1Char(',');
    QStringList values;
    for (const QString& part : typed.split(separator)) {
        const QString value = part.trimmed();
        if (value.isEmpty() || values.contains(value))
            continue;
        if (const QString fault = faultOf(lever, value); !fault.isEmpty())
            return fail(ErrorCode::usage, fault.toStdString());
        values.append(value);
    }
    if (values.size() < kLeastValues || values.size() > kMostValues)
        return fail(ErrorCode::usage,
                    tr("Give two to eight different values, as in: %1").arg(leverExample(lever)).toStdString());
    return values;
}

std::vector<RunSpec> labLanes(const RunSpec& base, Lever lever, const QStringList& values) {
    int deepest = 0; // one engine serves all depths: it is large enough for this one
    if (lever == Lever::contextDepth)
        for (const QString& value : values)
            deepest = std::max(deepest, value.toInt());
    std::vector<RunSpec> lanes;
    for (const QString& value : values) {
        RunSpec lane = base;
        LocalModelSpec& local = lane.local.emplace(base.local.value_or(LocalModelSpec{}));
        local.prefixCache = false;
        QString name = QStringLiteral("%1 %2").arg(leverName(lever).toLower(), value);
        switch (lever) {
        case Lever::file:
            local.path = value.toStdString();
            name = QString::fromStdString(modelFileName(local));
            break;
        case Lever::threads:
            local.threads = value.toInt();
            break;
        case Lever::batchMates:
            lane.batchMates = value.toInt();
            local.parallel = kMostBatchMates + 1; // one engine for all values: only the batch differs
            break;
        case Lever::contextDepth:
            lane.contextDepth = value.toInt();
            local.contextLength = std::max(local.contextLength, deepest + kRoomForAnswer);
            break;
        case Lever::speculation:
            local.speculative = isOn(value);
            break;
        case Lever::prefixCache:
            local.prefixCache = isOn(value);
            break;
        }
        lane.laneName = name.toStdString();
        lanes.push_back(std::move(lane));
    }
    return lanes;
}

std::vector<LabRow> labRows(const Session& session) {
    std::vector<LabRow> rows;
    for (const auto& lane : session.lanes()) {
        LabRow row;
        row.lane = lane->config().id;
        row.look = lane->config().look;
        row.value = laneName(lane->config());
        std::vector<const RunSummary*> counted;
        std::optional<RunSummary> live;
        for (const auto& run : lane->runs())
            if (run->summary && run->summary->inStats)
                counted.push_back(&*run->summary);
        if (counted.empty() && lane->current() && lane->state() == LaneState::running)
            counted.push_back(&live.emplace(lane->current()->live.summary(*lane->current()->record, lane->now())));
        row.ttftS = median(counted, [](const RunSummary& run) { return run.ttft; });
        row.tps = median(counted, [](const RunSummary& run) { return run.decodeTps; });
        row.aggregateTps = median(counted, [](const RunSummary& run) -> std::optional<double> {
            if (!run.decodeTps || !run.engine || !run.engine->meanBatch)
                return std::nullopt;
            return *run.decodeTps * *run.engine->meanBatch;
        });
        row.gbPerS = median(
            counted, [](const RunSummary& run) { return run.engine ? run.engine->gbPerS : std::optional<double>(); });
        if (counted.empty()) {
            const LaneRun* current = lane->current();
            LaneShot shot{&lane->config(), lane->state(), current ? current->record : nullptr,
                          nullptr,         lane->now(),   lane->inFlight()};
            row.state = stateWords(shot, std::nullopt).words;
        }
        rows.push_back(std::move(row));
    }
    for (LabRow& row : rows)
        if (row.tps && rows.front().tps)
            row.ratio = *row.tps / *rows.front().tps;
    return rows;
}

} // namespace decodescope
