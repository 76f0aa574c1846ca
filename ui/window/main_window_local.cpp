#include "core/record/recording_shelf.h"
#include "ui/panels/lab_panel.h"
#include "ui/panels/local_model_door.h"
#include "ui/panels/prompt_strip.h"
#include "ui/panels/start_page.h"
#include "ui/panels/tool_strip.h"
#include "ui/window/main_window.h"
#include "ui/window/recordings_folder.h"

#include <algorithm>

/// What the window does with the local engine: the race from the start page, and the Lab.
namespace decodescope {

void MainWindow::connectLocal() {
    connect(m_start, &StartPage::localRaceAsked, this, &MainWindow::raceLocally);
    if (m_lab) {
        connect(m_lab, &LabPanel::runAsked, this, &MainWindow::runLab);
        connect(m_lab, &LabPanel::localLaneAsked, this,
                [this] { editSpec(localLane(m_runs.services().localModels.sample()), 0); });
    }
}

void MainWindow::raceLocally(const RunSpec& local) {
    m_runs.closeRecording();
    std::vector<RunSpec> lanes{local};
    RaceSettings race = m_runs.race();
    const QStringList shipped = shippedRecordings(m_runs.services().shippedFolder);
    if (!shipped.isEmpty()) {
        const Result<Recording> recorded = openRecordingFile(shipped.constFirst());
        const int count = recorded ? static_cast<int>(recorded->lanes.size()) : 0;
        for (int i = 0; i < count; ++i) {
            Result<RunSpec> lane = recordedLaneSpec(*recorded, {shipped.constFirst().toStdString(), i});
            if (!lane)
                continue;
            if (lanes.size() == 1) { // the local lane answers what the recorded ones were asked
                race.prompt = lane->prompt;
                race.system = lane->system;
                race.sampling = lane->sampling;
            }
            lanes.push_back(*std::move(lane));
        }
    }
    race.plan = RunPlan{};
    race.uniquePrefix = false;
    m_runs.setRace(race);
    m_prompt->show(race);
    m_runs.lanes().replaceAll(lanes, tr("Race the local model"));
    showRace();
    m_runs.run();
}

void MainWindow::runLab(Lever lever, const std::vector<RunSpec>& lanes) {
    readRace();
    RaceSettings race = m_runs.race();
    race.plan.sequential = true; // lanes on one machine must not disturb one another
    race.plan.warmups = std::max(race.plan.warmups, 1);
    race.sampling.temperature = 0; // the same text from every value, as far as the arithmetic allows
    race.uniquePrefix = race.uniquePrefix && lever != Lever::prefixCache;
    m_runs.setRace(race);
    m_prompt->show(race);
    m_tools->setPlan(race.plan.repeats, race.plan.warmups);
    m_runs.lanes().replaceAll(lanes, tr("Lab: %1").arg(leverName(lever)));
    m_runs.run();
}

} // namespace decodescope
