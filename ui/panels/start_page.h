#pragma once

#include "ui/panels/race_preview.h"
#include "ui/window/window_services.h"

#include <QStringList>
#include <QWidget>

class QVBoxLayout;

namespace decodescope {

class ActionButton;
class LocalModelDoor;
class RoleLabel;

/// What a fresh start shows: a recorded race to watch, the local model, an endpoint, a recording to open. Nothing is
/// contacted before Test is pressed.
class StartPage : public QWidget {
    Q_OBJECT

public:
    explicit StartPage(const WindowServices& services, QWidget* parent = nullptr);
    void setRecent(const QStringList& paths);
    /// The user's own lanes, kept from before: a door back to them; empty: no such door.
    void setLanes(const QStringList& names);
    /// Shows the first shipped recording's preview and those of the recent ones; called after the first paint.
    void loadPreviews();

signals:
    void watchAsked(const QString& path);
    void openAsked();
    void lanesAsked();
    void recentAsked(const QString& path);
    void laneAsked(const decodescope::RunSpec& spec);
    void editAsked(const decodescope::RunSpec& spec);
    /// The local model is to run now, beside the lanes of the shipped race.
    void localRaceAsked(const decodescope::RunSpec& lane);
    void shortcutsAsked();

protected:
    void showEvent(QShowEvent* event) override;

private:
    [[nodiscard]] QWidget* buildRace();
    [[nodiscard]] QWidget* buildLanes();
    [[nodiscard]] QWidget* buildOpen();
    [[nodiscard]] QWidget* buildOffered();
    [[nodiscard]] QWidget* buildRecent();

    const WindowServices& m_services;
    QStringList m_shipped, m_recentPaths;
    ActionButton* m_watch = nullptr;
    ActionButton* m_others = nullptr;
    RoleLabel* m_raceNote = nullptr;
    RoleLabel* m_howMade = nullptr;
    RoleLabel* m_laneNames = nullptr;
    QWidget* m_lanesDoor = nullptr;
    LocalModelDoor* m_local = nullptr; ///< null: nothing local is offered
    PreviewRows* m_rows = nullptr;
    PreviewCurves* m_curves = nullptr;
    QWidget* m_recent = nullptr;
    QVBoxLayout* m_recentRows = nullptr;
    bool m_loaded = false;
};

} // namespace decodescope
