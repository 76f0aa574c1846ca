#include "ui/panels/prompt_field.h"

#include <QKeyEvent>
#include <QMimeData>

namespace decodescope {
namespace {

constexpr int kClosedHeight = 28;
constexpr int kOpenHeight = 148;

} // namespace

PromptField::PromptField(QWidget* parent)
    : QPlainTextEdit(parent) {
    setTabChangesFocus(true);
    setAccessibleName(tr("Prompt"));
    setPlaceholderText(tr("What every lane is asked"));
    document()->setDocumentMargin(2);
    setOpen(false);
}

void PromptField::setOpen(bool open) {
    const bool changed = m_open != open;
    m_open = open;
    setFixedHeight(open ? kOpenHeight : kClosedHeight);
    setLineWrapMode(open ? WidgetWidth : NoWrap);
    setVerticalScrollBarPolicy(open ? Qt::ScrollBarAsNeeded : Qt::ScrollBarAlwaysOff);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    ensureCursorVisible();
    if (changed)
        emit openChanged(open);
}

void PromptField::keyPressEvent(QKeyEvent* event) {
    const bool isReturn = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (isReturn && event->modifiers().testFlag(Qt::ControlModifier)) {
        emit runAsked();
        return;
    }
    if (isReturn)
        setOpen(true); // a second line needs room
    if (event->key() == Qt::Key_Escape && m_open) {
        setOpen(false);
        return;
    }
    QPlainTextEdit::keyPressEvent(event);
}

void PromptField::insertFromMimeData(const QMimeData* source) {
    if (source->hasText()) {
        insertPlainText(source->text());
        if (hasSeveralLines())
            setOpen(true);
    }
}

} // namespace decodescope
