#include "ui/panels/status_line.h"

#include "ui/panels/controls.h"
#include "ui/theme/format.h"
#include "ui/window/run_controller.h"

#include <QFileInfo>

namespace decodescope {
namespace {

QString clockWords(ClockSource clock) {
    switch (clock) {
    case ClockSource::kernel:
        return StatusLine::tr("kernel receive stamp");
    case ClockSource::user:
        return StatusLine::tr("user space, right after the read");
    case ClockSource::engine:
        return StatusLine::tr("engine");
    case ClockSource::synthetic:
        return StatusLine::tr("synthetic");
    case ClockSource::replay:
        return StatusLine::tr("not told by the file");
    }
    return {};
}

QString endWord(LaneState state) {
    switch (state) {
    case LaneState::failed:
        return StatusLine::tr("failed");
    case LaneState::cut:
        return StatusLine::tr("cut");
    case LaneState::cancelled:
        return StatusLine::tr("stopped");
    default:
        return {};
    }
}

/// "2 of 3 lanes ended abnormally: B failed, C cut"; empty when none did.
QString abnormalWords(const Session& session) {
    QStringList ends;
    for (const auto& lane : session.lanes()) {
        if (const QString word = endWord(lane->state()); !word.isEmpty())
            ends.append(Look::instance().lane(lane->config().look).letter + QLatin1Char(' ') + word);
    }
    if (ends.isEmpty())
        return {};
    return StatusLine::tr("%1 of %2 lanes ended abnormally: %3")
        .arg(ends.size())
        .arg(session.lanes().size())
        .arg(ends.join(QStringLiteral(", ")));
}

void put(RoleLabel* label, const QString& text) {
    if (label->text() != text)
        label->setText(text);
    label->setVisible(!text.isEmpty());
}

} // namespace

StatusLine::StatusLine(QWidget* parent)
    : QStatusBar(parent) {
    setSizeGripEnabled(false);
    setFixedHeight(24);
    setContentsMargins(8, 0, 8, 0);
    const auto made = [this](QColor Colours::*role) {
        auto* label = new RoleLabel({}, role, Type::small, this);
        label->setContentsMargins(4, 0, 8, 0);
        return label;
    };
    m_abnormal = made(&Colours::fail);
    m_clock = made(&Colours::ink2);
    m_release = made(&Colours::ink2);
    m_frames = made(&Colours::ink2);
    m_journal = made(&Colours::ink2);
    m_file = made(&Colours::ink2);
    m_file->setElided(Qt::ElideMiddle);
    for (RoleLabel* label : {m_abnormal, m_clock, m_release, m_frames})
        addWidget(label);
    addPermanentWidget(m_journal);
    addPermanentWidget(m_file);
}

void StatusLine::showStart() {
    for (RoleLabel* label : {m_abnormal, m_release, m_frames, m_journal})
        put(label, {});
    put(m_clock, tr("No account, no telemetry, no update check"));
    put(m_file, {});
}

void StatusLine::advance(const RunController& runs, int droppedFrames) {
    const Session& session = runs.session();
    put(m_abnormal, abnormalWords(session));

    QString clock;
    for (const auto& lane : session.lanes()) {
        if (lane->current()) {
            clock = tr("Clock: %1").arg(clockWords(lane->current()->record->clock));
            break;
        }
    }
    put(m_clock, clock);
    const auto spread = session.releaseSpread();
    put(m_release,
        spread ? tr("Lanes released within %1 ms").arg(QString::number(toMilliseconds(*spread), 'f', 1)) : QString());
    put(m_frames, tr("Dropped frames: %1").arg(droppedFrames));

    if (runs.shown() == RunController::Shown::recording) {
        const QFileInfo file(runs.recordingPath());
        put(m_journal, tr("Recording, read only"));
        put(m_file, file.fileName());
        m_file->setToolTip(runs.recordingPath());
        return;
    }
    const auto journal = runs.journalState();
    if (!journal) {
        put(m_journal, {});
        put(m_file, {});
        return;
    }
    if (!journal->failure.empty())
        put(m_journal, tr("Not recorded"));
    else if (journal->closed)
        put(m_journal, tr("Recorded, %1").arg(formatBytes(static_cast<double>(journal->bytes))));
    else
        put(m_journal, tr("Recording, %1").arg(formatBytes(static_cast<double>(journal->bytes))));
    m_journal->setRole(journal->failure.empty() ? &Colours::ink2 : &Colours::fail);
    const QString path = QString::fromStdString(journal->path);
    put(m_file, QFileInfo(path).fileName());
    m_file->setToolTip(path);
}

} // namespace decodescope
