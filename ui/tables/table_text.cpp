#include "ui/tables/table_text.h"

#include "core/base/visible_text.h"
#include "ui/tables/panel_header.h"

#include <QAbstractItemModel>
#include <QAction>
#include <QClipboard>
#include <QCoreApplication>
#include <QGuiApplication>
#include <QMenu>
#include <QRegularExpression>
#include <QStringList>
#include <QTableView>
#include <QToolButton>

namespace decodescope {
namespace {

/// Whether a spreadsheet would compute this cell when it is pasted. A plain number with its unit is none.
bool looksLikeFormula(const QString& cell) {
    static const QString kFirst = QStringLiteral("=+-@\uFF1D\uFF0B\uFF0D\uFF20");
    static const QRegularExpression kNumber(QStringLiteral("^[+-][0-9][0-9.,]*( ?[\\p{L}%/]+)?$"));
    const QString bare = cell.trimmed();
    return !bare.isEmpty() && kFirst.contains(bare.front()) && !kNumber.match(bare).hasMatch();
}

QString cleaned(const QString& cell, TableFormat format) {
    const std::string visible = visibleText(cell.toStdString(), LineBreaks::asSpaces);
    const QString text = QString::fromStdString(visible);
    if (format == TableFormat::tsv)
        return looksLikeFormula(text) ? QLatin1Char('\'') + text : text;
    static const QString kMarks = QStringLiteral("\\`*_[]<>|&~");
    QString escaped;
    for (const QChar c : text) {
        if (kMarks.contains(c))
            escaped += QLatin1Char('\\');
        escaped += c;
    }
    return escaped;
}

QString line(const QStringList& cells, TableFormat format) {
    if (format == TableFormat::tsv)
        return cells.join(QLatin1Char('\t')) + QLatin1Char('\n');
    return QStringLiteral("| ") + cells.join(QStringLiteral(" | ")) + QStringLiteral(" |\n");
}

} // namespace

QString tableText(const QAbstractItemModel& model, TableFormat format) {
    const int columns = model.columnCount();
    QStringList cells;
    for (int c = 0; c < columns; ++c)
        cells << cleaned(model.headerData(c, Qt::Horizontal).toString(), format);
    QString text = line(cells, format);
    if (format == TableFormat::markdown)
        text += QLatin1Char('|') + QStringLiteral("---|").repeated(columns) + QLatin1Char('\n');
    for (int r = 0; r < model.rowCount(); ++r) {
        cells.clear();
        for (int c = 0; c < columns; ++c)
            cells << cleaned(model.index(r, c).data(Qt::DisplayRole).toString(), format);
        text += line(cells, format);
    }
    return text;
}

void copyTable(const QAbstractItemModel& model, TableFormat format) {
    QGuiApplication::clipboard()->setText(tableText(model, format));
}

void addCopyActions(QTableView& table, PanelHeader& header, const QString& name) {
    const auto action = [&table, panel = header.parentWidget()](const char* words, TableFormat format) {
        auto* made = new QAction(QCoreApplication::translate("Tables", words), panel);
        QObject::connect(made, &QAction::triggered, &table, [&table, format] { copyTable(*table.model(), format); });
        table.addAction(made);
        return made;
    };
    QAction* tsv = action("Copy as text (TSV)", TableFormat::tsv);
    tsv->setShortcut(QKeySequence::Copy);
    tsv->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    QAction* markdown = action("Copy as Markdown", TableFormat::markdown);
    table.setContextMenuPolicy(Qt::ActionsContextMenu);
    QToolButton* button = header.addButton(QStringLiteral("copy"), name);
    button->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(button);
    menu->addActions({tsv, markdown});
    button->setMenu(menu);
}

} // namespace decodescope
