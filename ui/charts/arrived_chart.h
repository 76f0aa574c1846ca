#pragma once

#include "ui/charts/time_chart.h"

namespace decodescope {

/// Tokens arrived over time: the race itself. Counts events where nothing tells tokens.
class ArrivedChart : public TimeChart {
    Q_OBJECT

public:
    explicit ArrivedChart(ViewState& view, QWidget* parent = nullptr);
    [[nodiscard]] QString sentence() const override;

protected:
    [[nodiscard]] QMarginsF plotMargins() const override { return {labelMargin(38), 8, 60, 22}; }
    void updateAxes() override;
    void paintPlot(QPainter& painter, const QRectF& plot) override;
    [[nodiscard]] bool hasData() const override;
    [[nodiscard]] QString emptyLine() const override;
    [[nodiscard]] std::vector<HeaderValue> headerValues() const override;
    [[nodiscard]] std::vector<LegendItem> legend() const override;
    [[nodiscard]] std::optional<TokenRef> tokenAt(QPointF at) const override;
    [[nodiscard]] std::optional<QPointF> hoveredSpot() const override;

private:
    void paintLane(QPainter& painter, const QRectF& plot, std::size_t index, std::vector<EndLabel>& labels);
    [[nodiscard]] double amountAt(const ChartLane& lane, std::size_t arrival) const;

    SteppedMax m_top;
};

} // namespace decodescope
