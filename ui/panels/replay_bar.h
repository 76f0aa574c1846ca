#pragma once

#include <QWidget>

class QComboBox;
class QSlider;

namespace decodescope {

class ActionButton;
class ReplayController;
class RoleLabel;

/// Under the prompt while a recording is open: play, step, where we are, how fast, and the way back.
class ReplayBar : public QWidget {
    Q_OBJECT

public:
    explicit ReplayBar(ReplayController& replay, QWidget* parent = nullptr);
    void setTitle(const QString& title, const QString& detail);
    /// Moves hand and time; called with the frames.
    void advance();

signals:
    void showAllAsked();
    void adoptAsked();
    void closeAsked();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void refresh();

    ReplayController& m_replay;
    RoleLabel* m_title;
    RoleLabel* m_detail;
    ActionButton* m_play;
    ActionButton* m_step;
    QSlider* m_position;
    RoleLabel* m_time;
    QComboBox* m_speed;
    ActionButton* m_all;
};

} // namespace decodescope
