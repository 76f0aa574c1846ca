#pragma once

#include "ui/charts/chart_panel.h"

namespace decodescope {

/// Rate at position: how fast the run was around each token, and with it whether it decays with the context.
class RateChart : public ChartPanel {
    Q_OBJECT

public:
    explicit RateChart(ViewState& view, QWidget* parent = nullptr);
    [[nodiscard]] QString sentence() const override;

public slots:
    void fit() override;

protected:
    [[nodiscard]] QMarginsF plotMargins() const override { return {labelMargin(38), 10, 66, 22}; }
    void updateAxes() override;
    void paintPlot(QPainter& painter, const QRectF& plot) override;
    [[nodiscard]] bool hasData() const override;
    [[nodiscard]] QString emptyLine() const override;
    [[nodiscard]] std::vector<HeaderValue> headerValues() const override;
    [[nodiscard]] std::vector<LegendItem> legend() const override;
    void hover(QPointF at) override;
    void unhover() override;
    void click(QPointF at) override;
    void wheel(QPointF at, double notches, Qt::KeyboardModifiers modifiers) override;
    bool key(int key, Qt::KeyboardModifiers modifiers) override;
    void drag(QPointF from, QPointF to, Qt::KeyboardModifiers modifiers, bool ended) override;
    [[nodiscard]] std::optional<double> cursorOnAxis() const override { return m_cursor; }
    [[nodiscard]] QString cursorFlag() const override;
    [[nodiscard]] std::optional<QPointF> hoveredSpot() const override;

private:
    void paintLane(QPainter& painter, const QRectF& plot, std::size_t index, std::vector<EndLabel>& labels);
    /// What the memory allows at each position, for lanes of our own engine: dashed, under the curves.
    void paintBounds(QPainter& painter, const QRectF& plot);
    void paintBursts(QPainter& painter, const QRectF& plot, const ChartLane& lane);
    void paintStallTicks(QPainter& painter, const QRectF& plot);
    /// The rate to print at the end of a lane's curve, in the shown unit.
    [[nodiscard]] std::optional<double> runRate(const ChartLane& lane) const;
    [[nodiscard]] std::optional<TokenRef> tokenAt(QPointF at) const;
    /// Index in rates() of a position; nullopt outside of the lane's curve.
    [[nodiscard]] static std::optional<std::size_t> rateIndex(const ChartLane& lane, double position);
    /// The position of a lane that the cursor means: the one under the mouse, or the one the lane had reached at the
    /// time cursor of the other charts.
    [[nodiscard]] std::optional<double> cursorPosition(const ChartLane& lane) const;
    void zoom(double factor, double around);
    void setRange(double from, double to);

    SteppedMax m_stepped, m_top;
    double m_everything = 100;
    std::optional<std::pair<double, double>> m_range; // positions in view; all when absent
    std::optional<double> m_cursor;                   // position under the mouse
    std::optional<std::pair<double, double>> m_panFrom;
    std::vector<QRectF> m_burstWords;
};

} // namespace decodescope
