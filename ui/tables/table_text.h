#pragma once

#include <QString>

class QAbstractItemModel;
class QTableView;

namespace decodescope {

class PanelHeader;

enum class TableFormat { tsv, markdown };

/// A model's display texts as a table for the clipboard, header included. Tabs, line ends and bars inside cells are
/// made harmless.
[[nodiscard]] QString tableText(const QAbstractItemModel& model, TableFormat format);
void copyTable(const QAbstractItemModel& model, TableFormat format);

/// Gives a panel's table its ways to be copied: actions of the context menu (Ctrl+C in the panel) and a button in its
/// head that goes by `name`.
void addCopyActions(QTableView& table, PanelHeader& header, const QString& name);

} // namespace decodescope
