#pragma once

#include "ui/charts/axis_ticks.h"

#include <QRectF>
#include <QtCharts/QChartView>

class QChart;
class QLineSeries;
class QValueAxis;

namespace decodescope {

class ChartPanel;

/// The plot of a panel: Qt Charts gives the frame (plot area, base line, ticks, major grid), one graphics item of
/// ours inside it draws curves and words from the panel. The item's picture is cached: what moves over it (cursor)
/// or beside it does not draw the curves again. Mouse and keys go to the panel.
class PlotView : public QChartView {
    Q_OBJECT

public:
    explicit PlotView(ChartPanel& panel);
    ~PlotView() override;

    /// Lays out and draws anew at the next paint. Axes are only touched where they differ.
    void refresh(const PlotAxis& x, const PlotAxis& y, const QRectF& plot);
    /// Colours anew.
    void restyle();

protected:
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    class Item;
    static void setAxis(QValueAxis& axis, const PlotAxis& wanted);

    ChartPanel& m_panel;
    QChart* m_chart = nullptr;
    QValueAxis* m_x = nullptr;
    QValueAxis* m_y = nullptr;
    Item* m_item = nullptr;
};

} // namespace decodescope
