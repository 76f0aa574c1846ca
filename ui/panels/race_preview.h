#pragma once

#include "core/base/error.h"
#include "core/record/recording.h"

#include <QPointF>
#include <QString>
#include <QWidget>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace decodescope {

/// One lane of a recording in a few figures: its first run that counts.
struct PreviewLane {
    QString name, place;
    int look = 0;
    std::optional<double> ttftS, tps, totalS;
    double tokens = 0;
    std::vector<std::uint8_t> stops;                      ///< heat stop of each token event
    std::vector<std::pair<std::uint32_t, double>> stalls; ///< token event and length in seconds
    QString stallWords;                                   ///< "1 generation stall, 642 ms", "no stall"
    std::vector<QPointF> arrived;                         ///< seconds from the start, tokens so far
};

/// A recording at a glance. Plain data: made on any thread.
struct RacePreview {
    QString path, title, note;
    QString question; ///< what was asked, on one line; empty without a run
    std::vector<PreviewLane> lanes;
    std::size_t runs = 0;
    double durationS = 0;
    double tokens = 0;
    bool onePrompt = true; ///< all lanes were asked the same
};

[[nodiscard]] RacePreview previewOf(const Recording& recording, const QString& path);
[[nodiscard]] Result<RacePreview> loadPreview(const QString& path);

/// The lanes as rows: swatch, name, TTFT, rate, strip.
class PreviewRows : public QWidget {
    Q_OBJECT

public:
    explicit PreviewRows(QWidget* parent = nullptr);
    void show(const RacePreview& race);
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    RacePreview m_race;
};

/// Tokens arrived over time, small.
class PreviewCurves : public QWidget {
    Q_OBJECT

public:
    explicit PreviewCurves(QWidget* parent = nullptr);
    void show(const RacePreview& race);
    [[nodiscard]] QSize sizeHint() const override { return {330, 240}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    RacePreview m_race;
};

/// The lanes' strips alone, for the recent list.
class PreviewStrips : public QWidget {
    Q_OBJECT

public:
    explicit PreviewStrips(QWidget* parent = nullptr);
    void show(const RacePreview& race);
    [[nodiscard]] QSize sizeHint() const override { return {90, 36}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    RacePreview m_race;
};

} // namespace decodescope
