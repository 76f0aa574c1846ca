#pragma once

#include "ui/window/window_services.h"

#include <QDialog>

class QPlainTextEdit;

namespace decodescope {

class ActionButton;
class RoleLabel;

/// Measures what this machine can measure at best, and shows what `decodescope doctor` prints. Closing it ends the
/// measurement.
class MachineDialog : public QDialog {
    Q_OBJECT

public:
    MachineDialog(MeasureMachine measure, QWidget* parent = nullptr);
    ~MachineDialog() override;

    [[nodiscard]] QString shownText() const;

private:
    void measureNow();
    void told(const Result<std::string>& result);

    MeasureMachine m_measure;
    std::function<void()> m_cancel; ///< empty while nothing is measured
    QString m_found;                ///< all that doctor printed
    RoleLabel* m_state;
    QPlainTextEdit* m_text;
    ActionButton* m_again;
    ActionButton* m_copy;
};

} // namespace decodescope
