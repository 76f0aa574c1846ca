#pragma once

#include "ui/charts/gap_stalls.h"
#include "ui/charts/time_chart.h"

namespace decodescope {

/// Gap between tokens over time: every gap drawn over its own duration at its own height, so that a stall is a
/// plateau; stalls boxed and named.
class GapChart : public TimeChart {
    Q_OBJECT

public:
    explicit GapChart(ViewState& view, QWidget* parent = nullptr);

    [[nodiscard]] bool logarithmic() const { return m_log; }
    void setLogarithmic(bool log);
    [[nodiscard]] QString sentence() const override;

protected:
    [[nodiscard]] QMarginsF plotMargins() const override { return {54, 22, 14, 22}; }
    void updateAxes() override;
    void paintPlot(QPainter& painter, const QRectF& plot) override;
    [[nodiscard]] bool hasData() const override;
    [[nodiscard]] QString emptyLine() const override;
    [[nodiscard]] std::vector<HeaderValue> headerValues() const override;
    [[nodiscard]] std::vector<LegendItem> legend() const override;
    [[nodiscard]] std::optional<TokenRef> tokenAt(QPointF at) const override;
    [[nodiscard]] std::optional<QPointF> hoveredSpot() const override;

private:
    /// Pixel height of a gap in seconds.
    [[nodiscard]] double heightOf(double gapS) const;
    [[nodiscard]] std::vector<SeenStall> seenStalls(const QRectF& plot) const;
    void paintLine(QPainter& painter, const ChartLane& lane, double shift);
    /// Our own hiccups, as far as they fell into the stream: a hatched band on the base line.
    void paintHiccups(QPainter& painter, const QRectF& plot);
    void paintStallMarkers(QPainter& painter, const QRectF& plot, const std::vector<SeenStall>& stalls);
    void paintEnd(QPainter& painter, const QRectF& plot, const ChartLane& lane, double shift,
                  std::vector<TopWord>& words);
    void paintSelected(QPainter& painter);
    /// The stretch of the gap line that a token was waited for.
    [[nodiscard]] std::optional<QLineF> plateauOf(const TokenRef& token) const;

    bool m_log = true;
    SteppedMax m_linearTop;
    double m_lowMs = 1, m_highMs = 1000;
};

} // namespace decodescope
