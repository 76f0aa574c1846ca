#include "ui/lane/engine_words.h"

#include <QCoreApplication>
#include <QStringList>

#include <cmath>

namespace decodescope {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("LaneCard", text);
}

} // namespace

QString localWords(const LocalModelSpec& local) {
    QStringList words{tr("local")};
    if (local.device != "auto" && local.device != "cpu")
        words << QString::fromStdString(local.device);
    if (local.threads > 0)
        words << (local.threads == 1 ? tr("1 thread") : tr("%1 threads").arg(local.threads));
    if (local.kvType != "f16")
        words << tr("%1 cache").arg(QString::fromStdString(local.kvType));
    if (local.speculative)
        words << tr("prompt lookup");
    return words.join(QStringLiteral(", "));
}

std::optional<LaneBadge> engineBadge(const RunRecord& record, const RunSummary& summary) {
    if (!summary.engine || !summary.engine->gbPerS || !record.engine)
        return std::nullopt;
    const EngineSummary& engine = *summary.engine;
    const EngineFacts& facts = *record.engine;
    LaneBadge badge;
    badge.words = tr("%1 GB/s").arg(*engine.gbPerS, 0, 'f', 1);
    if (engine.bandwidthFraction)
        badge.words += tr(", %1 of the memory").arg(formatPercent(*engine.bandwidthFraction));
    QStringList lines{tr("%1, %2 on %3")
                          .arg(QString::fromStdString(facts.architecture), QString::fromStdString(facts.quantization),
                               QString::fromStdString(facts.device)),
                      tr("Weights read a step: %1").arg(formatBytes(static_cast<double>(facts.weightBytes)))};
    if (engine.kvBytes)
        lines << tr("Keys and values at the end: %1").arg(formatBytes(static_cast<double>(*engine.kvBytes)));
    if (engine.bandwidthGBps)
        lines << tr("Read rate of the memory: %1 GB/s (measured at load, or the fastest step seen)")
                     .arg(*engine.bandwidthGBps, 0, 'f', 1);
    if (engine.predictedTpsFirst && engine.predictedTpsLast)
        lines << tr("The memory allows %1 tok/s at the first token, %2 at the last")
                     .arg(formatRate(engine.predictedTpsFirst), formatRate(engine.predictedTpsLast));
    if (engine.deliveryLag)
        lines << tr("Sampled to arrived: p50 %1 µs, p99 %2 µs")
                     .arg(std::round(engine.deliveryLag->p50 * 1e6))
                     .arg(std::round(engine.deliveryLag->p99 * 1e6));
    if (engine.acceptance)
        lines << tr("Prompt lookup: %1 of %2 drafted tokens were right (%3)")
                     .arg(engine.accepted)
                     .arg(engine.drafted)
                     .arg(formatPercent(*engine.acceptance));
    badge.tip = lines.join(QLatin1Char('\n'));
    return badge;
}

} // namespace decodescope
