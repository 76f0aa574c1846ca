#pragma once

#include <QPlainTextEdit>

namespace decodescope {

/// The prompt: one line high until it is opened, then several. Tab leaves it, Ctrl+Return asks to run.
class PromptField : public QPlainTextEdit {
    Q_OBJECT

public:
    explicit PromptField(QWidget* parent = nullptr);
    void setOpen(bool open);
    [[nodiscard]] bool isOpen() const { return m_open; }
    [[nodiscard]] bool hasSeveralLines() const { return document()->blockCount() > 1; }

signals:
    void runAsked();
    void openChanged(bool open);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void insertFromMimeData(const QMimeData* source) override;

private:
    bool m_open = false;
};

} // namespace decodescope
