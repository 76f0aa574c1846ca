#include "ui/charts/plot_view.h"

#include "ui/charts/chart_panel.h"
#include "ui/theme/look.h"
#include "ui/theme/plain_tip.h"

#include <QGraphicsItem>
#include <QGraphicsLayout>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>
#include <QtCharts/QChart>
#include <QtCharts/QLineSeries>
#include <QtCharts/QValueAxis>

namespace decodescope {

class PlotView::Item : public QGraphicsItem {
public:
    Item(ChartPanel& panel, QGraphicsItem* parent)
        : QGraphicsItem(parent)
        , m_panel(panel) {
        setZValue(100); // above Qt Charts' grid
        setCacheMode(DeviceCoordinateCache);
        setAcceptedMouseButtons(Qt::NoButton);
    }
    void setSize(const QSizeF& size) {
        if (size != m_size) {
            prepareGeometryChange();
            m_size = size;
        }
    }
    [[nodiscard]] QRectF boundingRect() const override { return {QPointF(0, 0), m_size}; }
    void paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) override { m_panel.paintItem(*painter); }

private:
    ChartPanel& m_panel;
    QSizeF m_size;
};

PlotView::PlotView(ChartPanel& panel)
    : QChartView(&panel)
    , m_panel(panel) {
    m_chart = chart();
    m_chart->legend()->hide();
    m_chart->setAnimationOptions(QChart::NoAnimation);
    m_chart->setMargins(QMargins());
    m_chart->setBackgroundRoundness(0);
    m_chart->setDropShadowEnabled(false);
    m_chart->layout()->setContentsMargins(0, 0, 0, 0);
    m_x = new QValueAxis(m_chart);
    m_y = new QValueAxis(m_chart);
    for (QValueAxis* axis : {m_x, m_y}) {
        axis->setLabelsVisible(false); // own labels: units, minor steps, what the cursor's flag covers
        axis->setTickType(QValueAxis::TicksDynamic);
        axis->setTickAnchor(0);
        axis->setMinorGridLineVisible(false);
        axis->setGridLineVisible(false);
    }
    m_x->setLineVisible(true);
    m_y->setLineVisible(false);
    m_chart->addAxis(m_x, Qt::AlignBottom);
    m_chart->addAxis(m_y, Qt::AlignLeft);
    m_item = new Item(panel, m_chart);

    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setViewportUpdateMode(QGraphicsView::MinimalViewportUpdate);
    setOptimizationFlags(QGraphicsView::DontAdjustForAntialiasing);
    setCacheMode(QGraphicsView::CacheNone);
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(120, 60);
    restyle();
}

PlotView::~PlotView() = default;

void PlotView::setAxis(QValueAxis& axis, const PlotAxis& wanted) {
    // The order keeps the number of ticks small at every moment between the two calls.
    if (wanted.step >= axis.tickInterval()) {
        axis.setTickInterval(wanted.step);
        axis.setRange(wanted.min, wanted.max);
    } else {
        axis.setRange(wanted.min, wanted.max);
        axis.setTickInterval(wanted.step);
    }
    axis.setGridLineVisible(wanted.grid);
}

void PlotView::refresh(const PlotAxis& x, const PlotAxis& y, const QRectF& plot) {
    if (m_chart->plotArea() != plot) {
        m_chart->setPlotArea(plot);
        // Now, not with some later event: the frame must never lag behind the curves.
        m_chart->layout()->invalidate();
        m_chart->layout()->activate();
    }
    setAxis(*m_x, x);
    setAxis(*m_y, y);
    m_item->setSize(viewport()->size());
    m_item->update();
}

void PlotView::restyle() {
    const Colours& colours = Look::instance().colours();
    m_chart->setBackgroundBrush(colours.surface);
    m_chart->setBackgroundPen(Qt::NoPen);
    setBackgroundBrush(colours.surface);
    for (QValueAxis* axis : {m_x, m_y}) {
        axis->setLinePen(QPen(colours.axis, 1));
        axis->setGridLinePen(QPen(colours.gridMajor, 1));
    }
    m_item->update();
}

void PlotView::mouseMoveEvent(QMouseEvent* event) {
    m_panel.moveOnPlot(*event);
}
void PlotView::mousePressEvent(QMouseEvent* event) {
    m_panel.pressOnPlot(*event);
}
void PlotView::mouseReleaseEvent(QMouseEvent* event) {
    m_panel.releaseOnPlot(*event);
}

void PlotView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton)
        m_panel.fit();
}

void PlotView::wheelEvent(QWheelEvent* event) {
    m_panel.wheelOnPlot(*event);
    event->accept();
}

void PlotView::keyPressEvent(QKeyEvent* event) {
    if (!m_panel.keyOnPlot(*event))
        QChartView::keyPressEvent(event);
}

bool PlotView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::Leave)
        m_panel.leavePlot();
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QString tip = m_panel.tipAt(help->pos());
        showPlainTip(help->globalPos(), tip, viewport());
        return true;
    }
    return QChartView::viewportEvent(event);
}

void PlotView::resizeEvent(QResizeEvent* event) {
    QChartView::resizeEvent(event);
    m_panel.refresh();
}

void PlotView::focusInEvent(QFocusEvent* event) {
    QChartView::focusInEvent(event);
    m_panel.update();
}

void PlotView::focusOutEvent(QFocusEvent* event) {
    QChartView::focusOutEvent(event);
    m_panel.update();
}

} // namespace decodescope
