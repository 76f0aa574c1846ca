#pragma once

#include <QString>

#include <utility>
#include <vector>

class QDialog;
class QWidget;

namespace decodescope {

/// Keys and what they do, in two columns. Non-modal, deletes itself.
[[nodiscard]] QDialog* shortcutsDialog(const std::vector<std::pair<QString, QString>>& keys, QWidget* parent);

/// Name, version, licence, and what the program never does.
[[nodiscard]] QDialog* aboutDialog(const QString& version, QWidget* parent);

} // namespace decodescope
