#pragma once

#include "ui/charts/chart_panel.h"

namespace decodescope {

/// A chart whose x axis is the shared time axis: zoom, pan, measure, cursor and stalls behave the same in all of
/// them. t = 0 is the start of the request or the first token (ViewState::origin).
class TimeChart : public ChartPanel {
    Q_OBJECT

public slots:
    /// Centres on the selected token; again, or with none selected: everything in view.
    void fit() override;

protected:
    using ChartPanel::ChartPanel;

    /// Seconds between a lane's t0 and the axis' zero; nullopt: the lane has no place on the axis yet.
    [[nodiscard]] std::optional<double> shiftOf(const ChartLane& lane) const;
    /// Where a lane's stream ends on the axis.
    [[nodiscard]] std::optional<double> endOf(const ChartLane& lane) const;
    /// Sets m_x from the lanes and the zoom.
    void updateTimeAxis();
    /// The stalls under an x position, the shortest first where several lie on one another.
    [[nodiscard]] std::vector<StallRef> stallsAt(double px) const;
    /// The lane and arrival gap nearest to a point; decides by `distancePx`.
    [[nodiscard]] virtual std::optional<TokenRef> tokenAt(QPointF at) const = 0;
    /// The first event after the gap that covers `cursor` on a lane.
    [[nodiscard]] static TokenRef tokenOf(const ChartLane& lane, std::size_t arrival);
    /// Axis time of a token of a lane shown here.
    [[nodiscard]] std::optional<double> timeOf(const TokenRef& token) const;

    [[nodiscard]] std::optional<double> cursorOnAxis() const override { return m_view.cursorS(); }
    [[nodiscard]] QString cursorFlag() const override;
    [[nodiscard]] QString tipAt(QPointF at) const override;
    void hover(QPointF at) override;
    void unhover() override;
    void click(QPointF at) override;
    void wheel(QPointF at, double notches, Qt::KeyboardModifiers modifiers) override;
    void drag(QPointF from, QPointF to, Qt::KeyboardModifiers modifiers, bool ended) override;
    bool key(int key, Qt::KeyboardModifiers modifiers) override;

private:
    void zoom(double factor, double around);
    void pan(double seconds);
    void setRange(double from, double to);

    SteppedMax m_stepped;
    double m_everything = 10; // far end of the axis when nothing is zoomed
    std::optional<std::pair<double, double>> m_panFrom;
};

} // namespace decodescope
