#pragma once

#include "ui/lane/failure_words.h"

#include <QWidget>

class QPushButton;

namespace decodescope {

/// What happened to a lane that failed or was cut, in place of its text or in a band under it.
class FailurePanel : public QWidget {
    Q_OBJECT

public:
    explicit FailurePanel(QWidget* parent = nullptr);

    enum class Form { whole, band, line };
    void show(const FailureWords& words, Form form);
    void setForm(Form form);
    /// Of a band or a line. A band has one more line where a reason was told.
    [[nodiscard]] int heightOf(Form form) const;
    /// An opened recording's lane can neither be asked again nor get another key.
    void setRunnable(bool runnable);

signals:
    void changeKeyRequested();
    /// The certificate that was refused is to be trusted by its SHA-256.
    void trustRequested(const QString& fingerprint);
    void runRequested();
    void bytesRequested();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void showButtons();
    void place();
    void paintLine(QPainter& painter);
    void paintBand(QPainter& painter);
    qreal paintWrapped(QPainter& painter, const QString& text, qreal y, qreal bottom);
    qreal paintFact(QPainter& painter, const QString& value, qreal y, qreal bottom);
    void paintKept(QPainter& painter);
    void paintBody(QPainter& painter, qreal y, qreal bottom);
    /// Where the buttons begin.
    [[nodiscard]] int contentBottom() const;

    FailureWords m_words;
    Form m_form = Form::whole;
    QPushButton* m_changeKey = nullptr;
    QPushButton* m_trust = nullptr;
    QPushButton* m_runAgain = nullptr;
    QPushButton* m_bytes = nullptr;
    bool m_runnable = true;
    int m_buttonsEnd = 0; ///< x after the last button
};

} // namespace decodescope
