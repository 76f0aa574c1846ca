#include "ui/window/recordings_folder.h"

#include "core/record/hand_on.h"
#include "core/record/safe_file.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStorageInfo>

#include <algorithm>
#include <cctype>

namespace decodescope {

QString recordingName(const std::string& prompt, const QString& stamp) {
    QString slug;
    for (const char c : prompt) {
        if (slug.size() >= 28)
            break;
        const auto u = static_cast<unsigned char>(c);
        if (u < 0x80 && std::isalnum(u))
            slug.append(QLatin1Char(static_cast<char>(std::tolower(u))));
        else if (!slug.isEmpty() && !slug.endsWith(QLatin1Char('-')))
            slug.append(QLatin1Char('-'));
    }
    while (slug.endsWith(QLatin1Char('-')))
        slug.chop(1);
    if (slug.isEmpty())
        slug = QStringLiteral("race");
    return slug + QLatin1Char('-') + stamp;
}

Result<QString> newRecordingPath(const QString& folder, const QString& name) {
    if (const auto made = makePrivateFolder(folder.toStdString()); !made)
        return fail(ErrorCode::io, made.error().message + " Choose another one with Record elsewhere.");
    QString path = folder + QLatin1Char('/') + name + QStringLiteral(".decodescope");
    for (int n = 2; QFileInfo::exists(path); ++n)
        path = QStringLiteral("%1/%2-%3.decodescope").arg(folder, name, QString::number(n));
    return path;
}

qint64 freeBytes(const QString& folder) {
    QString existing = folder;
    while (!existing.isEmpty() && !QFileInfo::exists(existing)) {
        const QString parent = QFileInfo(existing).absolutePath();
        if (parent == existing)
            break;
        existing = parent;
    }
    const QStorageInfo storage(existing);
    return storage.isValid() ? storage.bytesAvailable() : -1;
}

QStringList shippedRecordings(const QString& folder) {
    QStringList paths;
    const QDir dir(folder);
    for (const QString& name : dir.entryList({QStringLiteral("*.decodescope")}, QDir::Files, QDir::Name))
        paths.append(dir.filePath(name));
    // The race is the one to begin with; the others follow by name.
    std::ranges::stable_partition(
        paths, [](const QString& path) { return QFileInfo(path).completeBaseName() == QStringLiteral("race"); });
    return paths;
}

Result<Recording> openRecordingFile(const QString& path) {
    if (!path.startsWith(QStringLiteral(":/")))
        return readRecording(path.toStdString());
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return fail(ErrorCode::io, "The shipped recording is missing: " + path.toStdString() + ".");
    const QByteArray bytes = file.readAll();
    return parseRecording(std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())),
                          QFileInfo(path).completeBaseName().toStdString());
}

Result<void> copyTo(const QString& recording, const QString& path) {
    if (!recording.startsWith(QStringLiteral(":/")))
        return copyRecording(recording.toStdString(), path.toStdString(), Existing::replace);
    QFile file(recording);
    if (!file.open(QIODevice::ReadOnly))
        return fail(ErrorCode::io, "The shipped recording is missing: " + recording.toStdString() + ".");
    return saveFile(path.toStdString(), file.readAll().toStdString());
}

std::shared_ptr<LaneRun> showableRun(const RecordedRun& run) {
    auto shown = std::make_shared<LaneRun>();
    shown->record = rebuild(run);
    shown->raw = std::make_shared<RawLog>();
    for (const ByteChunk& chunk : run.chunks)
        shown->raw->onChunk(chunk.at, chunk.read, chunk.bytes);
    shown->live.update(*shown->record);
    shown->summary = shown->live.summary(*shown->record);
    return shown;
}

std::vector<std::shared_ptr<LaneRun>> showableRuns(const Recording& recording) {
    std::vector<std::shared_ptr<LaneRun>> runs(recording.runs.size());
    sideBySide(runs.size(), [&](std::size_t i) { runs[i] = showableRun(*recording.runs[i]); });
    return runs;
}

Result<void> writeRuns(const Session& session, const RecordingHeader& header, const QString& path) {
    const QString written = path + QStringLiteral(".new");
    QFile::remove(written); // what a crash left
    auto journal = Journal::create(written.toStdString(), header);
    if (!journal)
        return tl::unexpected(journal.error());
    int index = 0;
    std::string cut; // a lane that is not whole
    for (const auto& lane : session.lanes()) {
        (*journal)->addLane({.lane = index++,
                             .name = lane->config().spec.laneName,
                             .spec = lane->config().spec,
                             .look = lane->config().look});
        for (const auto& run : lane->runs()) {
            if (run->record->outcome == Outcome::running)
                continue;
            handOn(*run->record, *run->raw, *(*journal)->openRun(*run->record));
            if (!run->raw->whole())
                cut = lane->config().spec.laneName;
        }
    }
    (*journal)->close();
    const JournalState state = (*journal)->state();
    const Result<void> placed = state.failure.empty() ? putInPlace(written.toStdString(), path.toStdString())
                                                      : fail(ErrorCode::io, state.failure);
    if (!placed) {
        QFile::remove(written);
        return placed;
    }
    if (!cut.empty())
        return fail(ErrorCode::io,
                    "The file is there, and holds a run of lane " + cut + " only as far as memory had kept it.");
    return {};
}

} // namespace decodescope
