#include "ui/panels/status_line.h"

#include "core/record/instrument.h"
#include "ui/panels/controls.h"
#include "ui/theme/format.h"
#include "ui/theme/plain_tip.h"
#include "ui/window/run_controller.h"

#include <QFileInfo>

#include <algorithm>
#include <optional>
#include <vector>

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

/// "3 lanes stopped": nobody's fault but what the person wanted; empty when none was.
QString stoppedWords(const Session& session) {
    const auto stopped = std::count_if(session.lanes().begin(), session.lanes().end(),
                                       [](const auto& lane) { return lane->state() == LaneState::cancelled; });
    if (stopped == 0)
        return {};
    return stopped == 1 ? StatusLine::tr("1 lane stopped") : StatusLine::tr("%1 lanes stopped").arg(stopped);
}

/// What the instrument knows of its own errors in the runs that are shown.
std::optional<InstrumentReport> instrumentOf(const Session& session) {
    std::vector<const RunRecord*> runs;
    for (const auto& lane : session.lanes()) {
        if (lane->current())
            runs.push_back(lane->current()->record.get());
    }
    auto report = instrumentReport(runs);
    if (!report && !runs.empty()) { // nothing has come yet: what it will be stamped by
        report.emplace();
        report->clock = runs.front()->clock;
    }
    return report;
}

QString clockText(const InstrumentReport& instrument) {
    const QString clock = StatusLine::tr("Clock: %1").arg(clockWords(instrument.clock));
    if (!instrument.errorBound)
        return clock;
    const bool precise = instrument.clock == ClockSource::kernel;
    return clock +
           StatusLine::tr(", right to %1").arg(formatErrorBound(toSeconds(*instrument.errorBound), precise).joined());
}

/// "Own hiccups: 3, largest 12 ms"; empty without any.
QString hiccupText(const InstrumentReport& instrument) {
    if (!instrument.largestHiccup)
        return {};
    return StatusLine::tr("Own hiccups: %1, largest %2")
        .arg(formatCount(static_cast<double>(instrument.hiccups)),
             formatDuration(toSeconds(*instrument.largestHiccup)).joined());
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
    m_stopped = made(&Colours::ink2);
    m_clock = made(&Colours::ink2);
    setPlainTip(m_clock,
                tr("Where the times of arrival come from, and how far they can be wrong in the runs that are "
                   "shown, as far as this machine can tell.\nHelp, Measure this machine: what it can do at best."));
    m_hiccups = made(&Colours::ink2);
    setPlainTip(m_hiccups,
                tr("Times in which this program, or the machine, did not run for 5 ms or more when it should have"));
    m_release = made(&Colours::ink2);
    m_frames = made(&Colours::ink2);
    m_journal = made(&Colours::ink2);
    m_file = made(&Colours::ink2);
    m_file->setElided(Qt::ElideMiddle);
    for (RoleLabel* label : {m_abnormal, m_stopped, m_clock, m_hiccups, m_release, m_frames})
        addWidget(label);
    addPermanentWidget(m_journal);
    addPermanentWidget(m_file);
}

void StatusLine::showStart() {
    for (RoleLabel* label : {m_abnormal, m_stopped, m_hiccups, m_release, m_frames, m_journal})
        put(label, {});
    put(m_clock, tr("No account, no telemetry, no update check"));
    put(m_file, {});
}

void StatusLine::advance(const RunController& runs, int droppedFrames) {
    const Session& session = runs.session();
    put(m_abnormal, abnormalWords(session));
    put(m_stopped, stoppedWords(session));

    const auto instrument = instrumentOf(session);
    put(m_clock, instrument ? clockText(*instrument) : QString());
    put(m_hiccups, instrument ? hiccupText(*instrument) : QString());
    const auto spread = session.releaseSpread();
    put(m_release,
        spread ? tr("Lanes released within %1").arg(formatErrorBound(toSeconds(*spread), true).joined()) : QString());
    put(m_frames, tr("Dropped frames: %1").arg(droppedFrames));

    if (runs.shown() == RunController::Shown::recording) {
        const QFileInfo file(runs.recordingPath());
        put(m_journal, tr("Recording, read only"));
        put(m_file, file.fileName());
        setPlainTip(m_file, runs.recordingPath());
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
    setPlainTip(m_file, path);
}

} // namespace decodescope
