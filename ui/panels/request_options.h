#pragma once

#include "ui/window/race_settings.h"

#include <QFrame>

class QCheckBox;
class QComboBox;
class QLineEdit;
class QPlainTextEdit;

namespace decodescope {

/// The less common parts of a request: system text, seed, reasoning effort, end token, streaming, time-outs. A popup
/// under the prompt strip.
class RequestOptions : public QFrame {
    Q_OBJECT

public:
    explicit RequestOptions(QWidget* parent = nullptr);
    void show(const RaceSettings& race); ///< fills the fields, emits nothing
    void read(RaceSettings& race) const; ///< puts its fields into `race`, leaves the rest

signals:
    void edited();

private:
    QPlainTextEdit* m_system;
    QLineEdit* m_seed;
    QComboBox* m_effort;
    QCheckBox* m_ignoreEos;
    QCheckBox* m_whole;
    QLineEdit* m_connect;
    QLineEdit* m_firstToken;
    QLineEdit* m_idle;
    QLineEdit* m_total;
    bool m_quiet = false;
};

} // namespace decodescope
