#pragma once

#include "ui/charts/chart_panel.h"

#include <array>

namespace decodescope {

/// The way to the first token, a bar a lane: connect, send, wait for the first byte, first byte to token; the total
/// at its end, all phases in words below. Lanes without a token say why.
class FirstTokenChart : public ChartPanel {
    Q_OBJECT

public:
    explicit FirstTokenChart(ViewState& view, QWidget* parent = nullptr);
    [[nodiscard]] QString sentence() const override;

protected:
    [[nodiscard]] QMarginsF plotMargins() const override { return {30, 8, 56, 22}; }
    void updateAxes() override;
    void paintPlot(QPainter& painter, const QRectF& plot) override;
    [[nodiscard]] bool hasData() const override;
    [[nodiscard]] QString emptyLine() const override;
    [[nodiscard]] std::vector<LegendItem> legend() const override;

private:
    /// Ends of connect, send, wait and first byte to token in seconds from t0, as far as they are known, each at
    /// least the one before.
    struct Phases {
        std::array<std::optional<double>, 4> ends;
        [[nodiscard]] double reached() const;
    };
    [[nodiscard]] static Phases phasesOf(const ChartLane& lane);
    [[nodiscard]] QString words(const ChartLane& lane, const Phases& phases) const;
    [[nodiscard]] QString reason(const ChartLane& lane) const;
    void paintRow(QPainter& painter, const QRectF& plot, const ChartLane& lane, double top, double height);

    SteppedMax m_stepped;
};

} // namespace decodescope
