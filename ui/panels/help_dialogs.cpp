#include "ui/panels/help_dialogs.h"

#include "ui/panels/controls.h"

#include <QCoreApplication>
#include <QDialog>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QVBoxLayout>

namespace decodescope {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("HelpDialogs", text);
}

QDialog* emptyDialog(const QString& title, QWidget* parent) {
    auto* dialog = new QDialog(parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(title);
    auto* column = new QVBoxLayout(dialog);
    column->setContentsMargins(18, 16, 18, 16);
    column->setSpacing(8);
    return dialog;
}

void addClose(QDialog* dialog) {
    auto* row = new QHBoxLayout;
    auto* close = new ActionButton({}, tr("Close"), tr("Esc"), dialog);
    close->setDefault(true);
    QObject::connect(close, &QPushButton::clicked, dialog, &QDialog::accept);
    row->addStretch(1);
    row->addWidget(close);
    static_cast<QVBoxLayout*>(dialog->layout())->addLayout(row);
}

} // namespace

QDialog* shortcutsDialog(const std::vector<std::pair<QString, QString>>& keys, QWidget* parent) {
    QDialog* dialog = emptyDialog(tr("Shortcuts"), parent);
    auto* column = static_cast<QVBoxLayout*>(dialog->layout());
    column->addWidget(new RoleLabel(tr("Shortcuts"), &Colours::ink, Type::heading, dialog));
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(14);
    grid->setVerticalSpacing(5);
    const int rows = (static_cast<int>(keys.size()) + 1) / 2;
    for (int i = 0; i < static_cast<int>(keys.size()); ++i) {
        const auto& [key, meaning] = keys[static_cast<std::size_t>(i)];
        const int column0 = i < rows ? 0 : 2;
        auto* keyLabel = new RoleLabel(key, &Colours::ink, Type::title, dialog);
        keyLabel->setContentsMargins(column0 == 0 ? 0 : 24, 0, 0, 0);
        grid->addWidget(keyLabel, i % rows, column0);
        grid->addWidget(new RoleLabel(meaning, &Colours::ink2, Type::body, dialog), i % rows, column0 + 1);
    }
    column->addLayout(grid);
    addClose(dialog);
    return dialog;
}

QDialog* aboutDialog(const QString& version, QWidget* parent) {
    QDialog* dialog = emptyDialog(tr("About Decodescope"), parent);
    auto* column = static_cast<QVBoxLayout*>(dialog->layout());
    column->addWidget(new RoleLabel(QStringLiteral("Decodescope ") + version, &Colours::ink, Type::heading, dialog));
    const QStringList lines = {
        tr("An oscilloscope for language-model decoding."),
        tr("No account, no telemetry, no update check. Only the endpoints that you name are contacted."),
        tr("Free software under the GNU General Public License, version 3 or later, with an additional permission for "
           "NVIDIA's CUDA run-time libraries."),
        tr("Made with Qt, Qt Charts, Boost, fmt, nlohmann json, tl expected, xxHash, zlib and OpenSSL. Typefaces: "
           "Inter "
           "(as Decodescope Sans) and JetBrains Mono."),
    };
    for (const QString& line : lines) {
        auto* label = new RoleLabel(line, &Colours::ink2, Type::body, dialog);
        label->setWordWrap(true);
        label->setMinimumWidth(440);
        column->addWidget(label);
    }
    addClose(dialog);
    return dialog;
}

} // namespace decodescope
