#pragma once

#include "core/metrics/metrics.h"

#include <QWidget>

class QSpinBox;

namespace decodescope {

/// A reader's speed and how the stream keeps up with it: lead, starved time, perceived rate.
class ReadingRow : public QWidget {
    Q_OBJECT

public:
    explicit ReadingRow(QWidget* parent = nullptr);

    [[nodiscard]] int wordsPerMinute() const;
    void setWordsPerMinute(int wpm);
    /// nullopt: no run yet.
    void show(const std::optional<ReadingState>& state);
    [[nodiscard]] const QString& words() const { return m_words; }

signals:
    void wordsPerMinuteChanged(int wpm);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QSpinBox* m_speed = nullptr;
    QString m_lead, m_starved, m_perceived;
    QString m_words; // all of it, for the screen reader
    bool m_isStarved = false;
};

} // namespace decodescope
