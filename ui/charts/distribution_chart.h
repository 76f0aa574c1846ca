#pragma once

#include "ui/charts/chart_panel.h"

namespace decodescope {

/// How the gaps are spread: a histogram over 48 logarithmic bins or the cumulative share; above it a row a lane
/// with p50, p90, p99 and the ends. Cut, failed and cancelled lanes are left out and named.
class DistributionChart : public ChartPanel {
    Q_OBJECT

public:
    explicit DistributionChart(ViewState& view, QWidget* parent = nullptr);

    [[nodiscard]] bool cumulative() const { return m_cumulative; }
    void setCumulative(bool cumulative);
    [[nodiscard]] QString sentence() const override;

protected:
    [[nodiscard]] QMarginsF plotMargins() const override;
    void updateAxes() override;
    void paintPlot(QPainter& painter, const QRectF& plot) override;
    [[nodiscard]] bool hasData() const override;
    [[nodiscard]] QString emptyLine() const override;
    [[nodiscard]] std::vector<HeaderValue> headerValues() const override;
    [[nodiscard]] std::vector<LegendItem> legend() const override;
    void hover(QPointF at) override;
    void unhover() override;
    [[nodiscard]] std::optional<double> cursorOnAxis() const override { return m_cursor; }
    [[nodiscard]] QString cursorFlag() const override;

private:
    /// Lanes that belong into a distribution, in order.
    [[nodiscard]] std::vector<std::size_t> counted() const;
    /// Shares of the shown bins of one lane, summing to 1.
    [[nodiscard]] std::vector<double> shares(const ChartLane& lane) const;
    [[nodiscard]] double rowHeight() const;
    void paintRow(QPainter& painter, const QRectF& plot, const ChartLane& lane, double middle);
    void paintHistogram(QPainter& painter, const QRectF& plot, const ChartLane& lane);
    void paintCumulative(QPainter& painter, const ChartLane& lane);

    bool m_cumulative = false;
    int m_firstDecade = 0, m_decades = 3; ///< of milliseconds
    SteppedMax m_top;
    std::optional<double> m_cursor; ///< log10 of milliseconds under the mouse
};

} // namespace decodescope
