#pragma once

#include "core/source/run_spec.h"
#include "ui/window/local_models.h"

#include <QWidget>

#include <memory>

namespace decodescope {

class ActionButton;
class RoleLabel;
class ProgressLine;

/// The start page's row "Run the local model": fetches the sample model with progress, size and checksum when there
/// is none yet, then runs it. A failure stays in the row, with what to try.
class LocalModelDoor : public QWidget {
    Q_OBJECT

public:
    explicit LocalModelDoor(const LocalModelServices& services, QWidget* parent = nullptr);
    ~LocalModelDoor() override;
    /// Looks again whether the sample model is there.
    void refresh();
    [[nodiscard]] bool fetching() const { return m_fetch != nullptr; }

signals:
    /// The local model is to be raced at once, against the shipped race where there is one.
    void runAsked(const decodescope::RunSpec& lane);
    /// Another file is to be chosen: a lane to be edited first.
    void chooseAsked(const decodescope::RunSpec& lane);

private:
    void start();
    void showProgress(const SampleProgress& progress);
    void finished(const Result<std::string>& path);
    void layOut();

    const LocalModelServices& m_services;
    QString m_sample; ///< path; empty: not there
    std::unique_ptr<ModelFetch> m_fetch;
    RoleLabel* m_words;
    RoleLabel* m_amount;
    RoleLabel* m_step;
    ProgressLine* m_bar;
    QWidget* m_progress;
    ActionButton* m_choose;
    ActionButton* m_run;
    ActionButton* m_cancel;
};

/// A lane over a model file, named after it, with the defaults of the engine.
[[nodiscard]] RunSpec localLane(const QString& path);

} // namespace decodescope
