#include "tests/support/shown_texts.h"

#include <QAbstractItemView>
#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QGraphicsScene>
#include <QGraphicsSimpleTextItem>
#include <QGraphicsView>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMetaProperty>
#include <QMimeData>
#include <QRegularExpression>
#include <QTextDocument>
#include <QWidget>

#include <algorithm>

namespace decodescope::test {

namespace {

constexpr int kRoles = 24; ///< from the display role on; the roles of our models come after the user role
constexpr int kMostCells = 5000;
constexpr int kDeepest = 24;

void add(QByteArray& out, const QVariant& value) {
    if (value.typeId() == QMetaType::QStringList)
        out += value.toStringList().join(QLatin1Char('\n')).toUtf8() + '\n';
    else if (value.typeId() == QMetaType::QByteArray)
        out += value.toByteArray() + '\n';
    else if (value.canConvert<QString>())
        out += value.toString().toUtf8() + '\n';
}

void addProperties(QByteArray& out, const QObject& object) {
    const auto* line = qobject_cast<const QLineEdit*>(&object);
    const bool hides = line != nullptr && line->echoMode() != QLineEdit::Normal;
    const QMetaObject& meta = *object.metaObject();
    for (int i = 0; i < meta.propertyCount(); ++i) {
        const QMetaProperty property = meta.property(i);
        if (!hides || qstrcmp(property.name(), "text") != 0)
            add(out, property.read(&object));
    }
    for (const QByteArray& name : object.dynamicPropertyNames())
        add(out, object.property(name));
}

void addModel(QByteArray& out, const QAbstractItemModel& model) {
    const auto roles = [&out](auto read) {
        for (int role = 0; role < kRoles; ++role) {
            add(out, read(role));
            add(out, read(Qt::UserRole + role));
        }
    };
    const int columns = model.columnCount();
    for (int c = 0; c < columns; ++c)
        roles([&](int role) { return model.headerData(c, Qt::Horizontal, role); });
    const int rows = columns > 0 ? std::min(model.rowCount(), kMostCells / columns) : 0;
    for (int r = 0; r < rows; ++r) {
        roles([&](int role) { return model.headerData(r, Qt::Vertical, role); });
        for (int c = 0; c < columns; ++c)
            roles([&](int role) { return model.index(r, c).data(role); });
    }
}

void addScene(QByteArray& out, const QGraphicsScene& scene) {
    for (const QGraphicsItem* item : scene.items()) {
        out += item->toolTip().toUtf8() + '\n';
        if (const auto* text = dynamic_cast<const QGraphicsSimpleTextItem*>(item))
            out += text->text().toUtf8() + '\n';
        if (const auto* text = dynamic_cast<const QGraphicsTextItem*>(item))
            out += text->toHtml().toUtf8() + '\n';
    }
}

void addAccessible(QByteArray& out, QAccessibleInterface* told, int depth) {
    if (told == nullptr || !told->isValid() || depth > kDeepest)
        return;
    for (const auto what :
         {QAccessible::Name, QAccessible::Description, QAccessible::Value, QAccessible::Help, QAccessible::Accelerator})
        out += told->text(what).toUtf8() + '\n';
    if (QAccessibleTextInterface* text = told->textInterface())
        out += text->text(0, text->characterCount()).toUtf8() + '\n';
    for (int i = 0; i < std::min(told->childCount(), kMostCells); ++i)
        addAccessible(out, told->child(i), depth + 1);
}

} // namespace

QByteArray shownTexts() {
    QByteArray out;
    for (const QWidget* top : QApplication::topLevelWidgets()) {
        addProperties(out, *top);
        for (const QObject* child : top->findChildren<QObject*>()) {
            addProperties(out, *child);
            if (const auto* view = qobject_cast<const QAbstractItemView*>(child); view != nullptr && view->model())
                addModel(out, *view->model());
            if (const auto* box = qobject_cast<const QComboBox*>(child))
                addModel(out, *box->model());
            if (const auto* view = qobject_cast<const QGraphicsView*>(child); view != nullptr && view->scene())
                addScene(out, *view->scene());
        }
        addAccessible(out, QAccessible::queryAccessibleInterface(const_cast<QWidget*>(top)), 0);
    }
    return out;
}

QStringList markupShown() {
    QStringList found;
    const auto tip = [&found](const QString& text, const char* where) {
        if (!Qt::mightBeRichText(text))
            return;
        static const QRegularExpression kFrame(QStringLiteral("^<span style='white-space:pre-wrap'>[^<]*</span>$"));
        if (!kFrame.match(text).hasMatch())
            found << QLatin1String(where) + QStringLiteral(": ") + text.left(200);
    };
    for (const QWidget* top : QApplication::topLevelWidgets()) {
        QObjectList all(top->findChildren<QObject*>());
        all.append(const_cast<QWidget*>(top));
        for (const QObject* object : all) {
            tip(object->property("toolTip").toString(), object->metaObject()->className());
            tip(object->property("whatsThis").toString(), object->metaObject()->className());
            const auto* label = qobject_cast<const QLabel*>(object);
            const bool qtsOwn =
                label != nullptr && (qobject_cast<QComboBox*>(label->parent()) || label->inherits("QTipLabel"));
            if (label != nullptr && !qtsOwn && label->textFormat() != Qt::PlainText)
                found << QStringLiteral("a label that guesses: ") + label->text();
            const auto* view = qobject_cast<const QAbstractItemView*>(object);
            if (view == nullptr || view->model() == nullptr)
                continue;
            const QAbstractItemModel& model = *view->model();
            for (int c = 0; c < model.columnCount(); ++c) {
                tip(model.headerData(c, Qt::Horizontal, Qt::ToolTipRole).toString(), "a header");
                for (int r = 0; r < std::min(model.rowCount(), kMostCells); ++r)
                    tip(model.index(r, c).data(Qt::ToolTipRole).toString(), "a cell");
            }
        }
    }
    return found;
}

QByteArray clipboardTexts() {
    QByteArray out;
    const QClipboard* clipboard = QApplication::clipboard();
    for (const auto mode : {QClipboard::Clipboard, QClipboard::Selection}) {
        if (const QMimeData* data = clipboard->mimeData(mode)) {
            for (const QString& format : data->formats())
                out += format.toUtf8() + '\n' + data->data(format) + '\n';
        }
    }
    return out;
}

} // namespace decodescope::test
