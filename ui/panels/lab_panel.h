#pragma once

#include "core/session/session.h"
#include "ui/panels/lab_plan.h"

#include <QAbstractTableModel>
#include <QElapsedTimer>
#include <QWidget>

#include <optional>

class QComboBox;
class QLineEdit;
class QTableView;

namespace decodescope {

class ActionButton;
class PanelHeader;
class RoleLabel;

/// The rows of the Lab's table.
class LabModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { valueColumn, ttftColumn, rateColumn, aggregateColumn, bandwidthColumn, ratioColumn, columns };
    static constexpr int lookRole = Qt::UserRole;

    using QAbstractTableModel::QAbstractTableModel;
    void setRows(std::vector<LabRow> rows);
    [[nodiscard]] const std::vector<LabRow>& rows() const { return m_rows; }
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<LabRow> m_rows;
};

/// The Lab: one lever of the local engine with its values. Run makes a labelled lane of each value and asks all of
/// them the same, one after another; the table under it compares them.
class LabPanel : public QWidget {
    Q_OBJECT

public:
    explicit LabPanel(QWidget* parent = nullptr);

    /// The lane that is varied; nullopt: there is no local lane yet.
    void setBase(const std::optional<RunSpec>& base);
    void setRunning(bool running);
    /// Called by the window's tick; looks a few times a second.
    void advance(const Session& session);

    [[nodiscard]] const LabModel& model() const { return m_model; }
    void pick(Lever lever);

signals:
    void runAsked(decodescope::Lever lever, const std::vector<decodescope::RunSpec>& lanes);
    /// There is no local lane to vary: one is to be made.
    void localLaneAsked();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void leverPicked();
    void run();
    void say(const QString& sentence, bool good);
    void refresh();
    [[nodiscard]] Lever lever() const;

    std::optional<RunSpec> m_base;
    bool m_running = false;
    LabModel m_model;
    PanelHeader* m_header;
    RoleLabel* m_baseName;
    QComboBox* m_lever;
    QLineEdit* m_values;
    ActionButton* m_run;
    RoleLabel* m_help;
    QTableView* m_table;
    QElapsedTimer m_sinceTaken;
};

} // namespace decodescope
