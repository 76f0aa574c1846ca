#pragma once

#include "core/base/error.h"
#include "core/record/journal.h"
#include "core/record/recording.h"
#include "core/session/session.h"

#include <QString>
#include <QStringList>

#include <memory>
#include <string>
#include <vector>

namespace decodescope {

/// Under this much free space a run is recorded, with a warning (reliability.md section 9).
constexpr qint64 kLowSpaceBytes = 256LL << 20;

/// "Explain why a database..." at a given time -> "explain-why-a-database-20261129-134102": lower-case ASCII letters,
/// digits and hyphens, never empty, never a path.
[[nodiscard]] QString recordingName(const std::string& prompt, const QString& stamp);

/// Makes the folder (mode 0700) when it is missing and a path in it that no file has yet.
[[nodiscard]] Result<QString> newRecordingPath(const QString& folder, const QString& name);

/// Free bytes where the folder lies; -1 when that cannot be told.
[[nodiscard]] qint64 freeBytes(const QString& folder);

/// The shipped recordings, in order of their names; empty when none are there.
[[nodiscard]] QStringList shippedRecordings(const QString& folder);

/// Opens a recording from a file or from the program's resources (a path that begins with ":/").
[[nodiscard]] Result<Recording> openRecordingFile(const QString& path);

/// The finished run of a lane as the views show it: decoded again, with its raw reads and its summary.
[[nodiscard]] std::shared_ptr<LaneRun> showableRun(const RecordedRun& run);
/// All runs of a recording in their order, made side by side on the processors there are.
[[nodiscard]] std::vector<std::shared_ptr<LaneRun>> showableRuns(const Recording& recording);

/// Copies a recording, a shipped one too; a file at `path` is replaced.
[[nodiscard]] Result<void> copyTo(const QString& recording, const QString& path);

/// Writes what is held in memory to a new recording: for "Record elsewhere" after a disk was full. Runs in flight
/// are left out.
[[nodiscard]] Result<void> writeRuns(const Session& session, const RecordingHeader& header, const QString& path);

} // namespace decodescope
