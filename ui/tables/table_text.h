#pragma once

#include <QString>

class QAbstractItemModel;

namespace decodescope {

enum class TableFormat { tsv, markdown };

/// A model's display texts as a table for the clipboard, header included. Tabs, line ends and bars inside cells are
/// made harmless.
[[nodiscard]] QString tableText(const QAbstractItemModel& model, TableFormat format);
void copyTable(const QAbstractItemModel& model, TableFormat format);

} // namespace decodescope
