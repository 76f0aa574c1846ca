#pragma once

#include "core/base/error.h"
#include "core/session/session.h"

#include <QString>
#include <QStringList>

#include <optional>
#include <vector>

/// One thing changed, everything else held: what the Lab runs and what it makes of it.
namespace decodescope {

/// What may be changed of a local lane.
enum class Lever { file, threads, batchMates, contextDepth, speculation, prefixCache };
inline constexpr int kLevers = 6;

[[nodiscard]] QString leverName(Lever lever);
/// What its values look like: "1, 2, 4".
[[nodiscard]] QString leverExample(Lever lever);
/// What it is about, in a sentence.
[[nodiscard]] QString leverHelp(Lever lever);

/// The values typed for a lever, with commas (files: with semicolons) between them. ErrorCode::usage says which value
/// it cannot take and why; between two and eight different values are wanted.
[[nodiscard]] Result<QStringList> leverValues(Lever lever, const QString& typed);

/// One lane a value, named after it; everything else is the base lane's. Prompts reuse nothing of one another unless
/// that is the lever.
[[nodiscard]] std::vector<RunSpec> labLanes(const RunSpec& base, Lever lever, const QStringList& values);

/// What the table under the lever says of one lane; absent: not known (yet).
struct LabRow {
    LaneId lane = 0;
    int look = 0;
    QString value;
    std::optional<double> ttftS;
    std::optional<double> tps;          ///< of one request
    std::optional<double> aggregateTps; ///< times the sequences that shared its steps, on average
    std::optional<double> gbPerS;
    std::optional<double> ratio; ///< tps against the first row's
    QString state;               ///< why there are no figures: "waiting", "failed", ...
};
/// Medians over the runs of each lane that count.
[[nodiscard]] std::vector<LabRow> labRows(const Session& session);

} // namespace decodescope
