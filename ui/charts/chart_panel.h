#pragma once

#include "ui/charts/axis_ticks.h"
#include "ui/charts/chart_header.h"
#include "ui/charts/chart_lane.h"
#include "ui/charts/chart_marks.h"
#include "ui/charts/curve_points.h"
#include "ui/view_state.h"

#include <QWidget>

#include <optional>
#include <vector>

class QKeyEvent;
class QMouseEvent;
class QPainter;
class QWheelEvent;

namespace decodescope {

class CursorOverlay;
class PlotView;

/// A chart with its header: the base of all charts. It pulls: the window's tick calls advance() for one group of
/// charts after the other. A call repaints at most once, and not at all when nothing changed.
///
/// To write another chart: derive, set m_x and m_y in updateAxes(), draw in paintPlot(), say in words what is there
/// in sentence(). Everything else has a default.
class ChartPanel : public QWidget {
    Q_OBJECT

public:
    ~ChartPanel() override;

    /// Takes in what is new in the session's lanes.
    void advance(const Session& session);
    /// The same from ready snapshots.
    void showLanes(const std::vector<ChartLane>& lanes);

    [[nodiscard]] const std::vector<ChartLane>& lanes() const { return m_lanes; }
    [[nodiscard]] const QString& title() const { return m_title; }
    /// The plot's rectangle in this widget's coordinates.
    [[nodiscard]] QRectF plotRectInPanel() const;
    [[nodiscard]] const PlotAxis& xAxis() const { return m_x; }
    [[nodiscard]] const PlotAxis& yAxis() const { return m_y; }
    /// Vertices drawn by the latest painting, and paintings so far: for tests and benchmarks.
    [[nodiscard]] std::size_t drawnPoints() const { return m_points; }
    [[nodiscard]] std::size_t paintings() const { return m_paintings; }
    /// The widget that takes mouse and keys.
    [[nodiscard]] QWidget* plotWidget() const;
    /// What the header shows of the lanes at the moment.
    [[nodiscard]] const std::vector<HeaderValue>& shownValues() const { return m_header->values(); }
    /// What the chart shows, in one sentence: also its accessible description once a run is over.
    [[nodiscard]] virtual QString sentence() const = 0;

    [[nodiscard]] QSize sizeHint() const override { return {420, 250}; }

public slots:
    /// Everything in view.
    virtual void fit() {}
    /// Hides title and switches, for a window that shows panels as tabs.
    void setHeaderVisible(bool visible);

signals:
    void maximiseRequested();

protected:
    ChartPanel(ViewState& view, const QString& title, QWidget* parent);

    /// Plot margins from the panel's edges, below the header (look.md 41).
    [[nodiscard]] virtual QMarginsF plotMargins() const = 0;
    virtual void updateAxes() = 0;
    virtual void paintPlot(QPainter& painter, const QRectF& plot) = 0;
    [[nodiscard]] virtual bool hasData() const = 0;
    /// What will appear here, while there is nothing; or why nothing will.
    [[nodiscard]] virtual QString emptyLine() const = 0;
    /// Whether every lane that ran has ended: what has not come by now does not come any more.
    [[nodiscard]] bool allOver() const;
    [[nodiscard]] virtual std::vector<HeaderValue> headerValues() const { return {}; }
    [[nodiscard]] virtual std::vector<LegendItem> legend() const { return {}; }
    /// Cursor on this chart's x axis and the words on its flag; nullopt: this chart has no such axis.
    [[nodiscard]] virtual std::optional<double> cursorOnAxis() const { return std::nullopt; }
    [[nodiscard]] virtual QString cursorFlag() const { return {}; }
    /// What a pointer that rests here is told, in plain text; empty: nothing.
    [[nodiscard]] virtual QString tipAt(QPointF) const { return {}; }

    /// Where the hovered token (ViewState::hovered) stands in this plot.
    [[nodiscard]] virtual std::optional<QPointF> hoveredSpot() const { return std::nullopt; }
    /// The lane shown here that a token belongs to, and the token's arrival; nullopt: not shown.
    [[nodiscard]] std::optional<std::pair<const ChartLane*, std::size_t>> arrivalOf(const TokenRef& token) const;

    virtual void hover(QPointF) {}
    virtual void unhover() {}
    virtual void click(QPointF) {}
    virtual void wheel(QPointF, double, Qt::KeyboardModifiers) {}
    /// A drag from `from`, now at `to`; `ended` with the release.
    virtual void drag(QPointF, QPointF, Qt::KeyboardModifiers, bool) {}
    virtual bool key(int, Qt::KeyboardModifiers) { return false; }

    /// Lays out and draws anew at the next paint event.
    void refresh();
    /// Only the cursor moved.
    void refreshCursor();

    [[nodiscard]] AxisMap xMap() const;
    [[nodiscard]] AxisMap yMap() const;
    /// In the plot widget's coordinates.
    [[nodiscard]] QRectF plotRect() const;
    [[nodiscard]] double dpr() const;
    /// Drawing order: the lane brought to the front last.
    [[nodiscard]] std::vector<std::size_t> order() const;
    /// 1, or less for lanes behind the one brought to the front.
    [[nodiscard]] double opacityOf(const ChartLane& lane) const;
    /// 1.5, 2 for the lane at the front or from the ninth on.
    [[nodiscard]] double curveWidth(const ChartLane& lane) const;
    /// Draws a smooth curve in the lane's dash.
    void drawCurve(QPainter& painter, const ChartLane& lane, const std::vector<QPointF>& vertices);
    /// End labels, remembered for hovering.
    void drawEndLabels(QPainter& painter, std::vector<EndLabel> labels, const QRectF& bounds);
    void countPoints(std::size_t points) { m_points += points; }
    /// A left margin of at least `least` that holds the y labels.
    [[nodiscard]] double labelMargin(double least) const;
    [[nodiscard]] QString letterOf(const ChartLane& lane) const;

    ViewState& m_view;
    ChartHeader* m_header = nullptr;
    CursorOverlay* m_overlay = nullptr;
    std::vector<ChartLane> m_lanes;
    PlotAxis m_x, m_y;

    void paintEvent(QPaintEvent* event) override;

private:
    friend class PlotView;
    void paintItem(QPainter& painter);
    void paintLabels(QPainter& painter, const QRectF& plot);
    void moveOnPlot(const QMouseEvent& event);
    void pressOnPlot(const QMouseEvent& event);
    void releaseOnPlot(const QMouseEvent& event);
    void wheelOnPlot(const QWheelEvent& event);
    bool keyOnPlot(const QKeyEvent& event);
    void leavePlot();
    void hoverLane(int index);

    QString m_title;
    PlotView* m_plot = nullptr;
    std::vector<EndLabel> m_ends;
    std::vector<QRectF> m_labelRects;
    std::size_t m_points = 0;
    std::size_t m_paintings = 0;
    std::optional<QPointF> m_pressed;
    bool m_dragging = false;
    bool m_hoveringChip = false;
};

} // namespace decodescope
