#pragma once

#include "ui/charts/time_chart.h"

namespace decodescope {

/// What only our own engine can tell of a stream, over time: how long a token was on its way from the sampler to this
/// window (the instrument's own check), or what a decode step read per second against what this machine can.
class EngineChart : public TimeChart {
    Q_OBJECT

public:
    explicit EngineChart(ViewState& view, QWidget* parent = nullptr);
    enum class Shows { lag, bandwidth };
    void setShows(Shows what);
    [[nodiscard]] QString sentence() const override;

protected:
    [[nodiscard]] QMarginsF plotMargins() const override { return {labelMargin(46), 18, 66, 22}; }
    void updateAxes() override;
    void paintPlot(QPainter& painter, const QRectF& plot) override;
    [[nodiscard]] bool hasData() const override;
    [[nodiscard]] QString emptyLine() const override;
    [[nodiscard]] std::vector<HeaderValue> headerValues() const override;
    [[nodiscard]] std::vector<LegendItem> legend() const override;
    [[nodiscard]] std::optional<TokenRef> tokenAt(QPointF at) const override;

private:
    [[nodiscard]] const MinMaxPyramid& values(const ChartLane& lane) const;
    /// Pixels of a value: seconds on the log axis, or GB/s.
    [[nodiscard]] double heightOf(double value) const;
    [[nodiscard]] std::optional<double> usual(const ChartLane& lane) const;
    [[nodiscard]] QString words(const std::optional<double>& value) const;
    void paintLane(QPainter& painter, const QRectF& plot, std::size_t index, std::vector<EndLabel>& labels);
    void paintCeiling(QPainter& painter, const QRectF& plot);

    Shows m_shows = Shows::lag;
    SteppedMax m_top;
    double m_lowMs = 0.01;
};

} // namespace decodescope
