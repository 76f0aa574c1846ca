#pragma once

#include <QStatusBar>

namespace decodescope {

class RoleLabel;
class RunController;

/// The status bar: which clock and how exact, our own hiccups and dropped frames, how the lanes were released and
/// ended, and the journal.
class StatusLine : public QStatusBar {
    Q_OBJECT

public:
    explicit StatusLine(QWidget* parent = nullptr);
    void advance(const RunController& runs, int droppedFrames);
    /// On the start page: two plain facts.
    void showStart();

private:
    RoleLabel* m_abnormal;
    RoleLabel* m_stopped;
    RoleLabel* m_clock;
    RoleLabel* m_hiccups;
    RoleLabel* m_release;
    RoleLabel* m_frames;
    RoleLabel* m_journal;
    RoleLabel* m_file;
};

} // namespace decodescope
