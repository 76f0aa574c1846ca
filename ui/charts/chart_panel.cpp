#include "ui/charts/chart_panel.h"

#include "ui/charts/chart_feed.h"
#include "ui/charts/cursor_overlay.h"
#include "ui/charts/plot_view.h"
#include "ui/theme/look.h"

#include <QApplication>
#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QVBoxLayout>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace decodescope {
namespace {

// Space left free around the plot widget, so that the panel's rounded corners stay its own.
constexpr int kSide = 1;
constexpr int kBottom = 4;
constexpr double kDimmed = 0.28;

bool sameView(const ChartLane& a, const ChartLane& b) {
    return a.id == b.id && a.look == b.look && a.state == b.state && a.record == b.record && a.summary == b.summary &&
           a.curves == b.curves && a.unit == b.unit && a.revision == b.revision;
}

} // namespace

ChartPanel::ChartPanel(ViewState& view, const QString& title, QWidget* parent)
    : QWidget(parent)
    , m_view(view)
    , m_title(title) {
    setAccessibleName(title);
    m_header = new ChartHeader(title, this);
    m_plot = new PlotView(*this);
    m_plot->setAccessibleName(title);
    m_overlay = new CursorOverlay(m_plot);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(kSide, 0, kSide, kBottom);
    column->setSpacing(0);
    column->addWidget(m_header);
    column->addWidget(m_plot, 1);
    connect(m_header, &ChartHeader::maximiseRequested, this, &ChartPanel::maximiseRequested);
    connect(m_header, &ChartHeader::valueHovered, this, &ChartPanel::hoverLane);
    connect(&m_view, &ViewState::cursorChanged, this, &ChartPanel::refreshCursor);
    connect(&m_view, &ViewState::hoveredChanged, this, &ChartPanel::refreshCursor);
    for (const auto signal : {&ViewState::frontChanged, &ViewState::timeRangeChanged, &ViewState::originChanged,
                              &ViewState::selectedChanged, &ViewState::stallChanged, &ViewState::unitChanged})
        connect(&m_view, signal, this, &ChartPanel::refresh);
    connect(&Look::instance(), &Look::changed, this, [this] {
        m_plot->restyle();
        refresh();
        update();
    });
}

ChartPanel::~ChartPanel() = default;

void ChartPanel::advance(const Session& session) {
    showLanes(ChartFeed::of(m_view).lanes(session));
}

void ChartPanel::showLanes(const std::vector<ChartLane>& lanes) {
    const bool same = std::equal(lanes.begin(), lanes.end(), m_lanes.begin(), m_lanes.end(), sameView);
    const auto flying = [](const ChartLane& lane) { return lane.inFlight(); };
    const bool ended =
        std::any_of(m_lanes.begin(), m_lanes.end(), flying) && std::none_of(lanes.begin(), lanes.end(), flying);
    m_lanes = lanes;
    if (!same)
        refresh();
    if (ended || (!same && std::none_of(m_lanes.begin(), m_lanes.end(), flying))) {
        setAccessibleDescription(sentence());
        m_plot->setAccessibleDescription(sentence());
    }
}

QRectF ChartPanel::plotRect() const {
    const QMarginsF margins = plotMargins();
    const double width = m_plot->width() + 2 * kSide;
    const double height = m_plot->height() + kBottom;
    return QRectF(margins.left() - kSide, margins.top(), std::max(10.0, width - margins.left() - margins.right()),
                  std::max(10.0, height - margins.top() - margins.bottom()));
}

QRectF ChartPanel::plotRectInPanel() const {
    return plotRect().translated(m_plot->pos());
}

QWidget* ChartPanel::plotWidget() const {
    return m_plot->viewport();
}

void ChartPanel::setHeaderVisible(bool visible) {
    m_header->setVisible(visible);
}

AxisMap ChartPanel::xMap() const {
    const QRectF plot = plotRect();
    return {m_x.min, m_x.max, plot.left(), plot.right()};
}

AxisMap ChartPanel::yMap() const {
    const QRectF plot = plotRect();
    return {m_y.min, m_y.max, plot.bottom(), plot.top()};
}

double ChartPanel::dpr() const {
    return m_plot->devicePixelRatioF();
}

bool ChartPanel::allOver() const {
    const auto ran = [](const ChartLane& lane) { return lane.record != nullptr; };
    return std::any_of(m_lanes.begin(), m_lanes.end(), ran) &&
           std::none_of(m_lanes.begin(), m_lanes.end(), [](const ChartLane& lane) { return lane.inFlight(); });
}

std::vector<std::size_t> ChartPanel::order() const {
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < m_lanes.size(); ++i) {
        if (m_lanes[i].id != m_view.front())
            result.push_back(i);
    }
    for (std::size_t i = 0; i < m_lanes.size(); ++i) {
        if (m_lanes[i].id == m_view.front())
            result.push_back(i);
    }
    return result;
}

double ChartPanel::opacityOf(const ChartLane& lane) const {
    return m_view.front() && *m_view.front() != lane.id ? kDimmed : 1.0;
}

double ChartPanel::curveWidth(const ChartLane& lane) const {
    if (m_view.front() == lane.id)
        return 2;
    return Look::instance().lane(lane.look).lineWidth;
}

QString ChartPanel::letterOf(const ChartLane& lane) const {
    return Look::instance().lane(lane.look).letter;
}

double ChartPanel::labelMargin(double least) const {
    const QFontMetricsF metrics(Look::instance().font(Type::small));
    for (const Tick& tick : m_y.ticks)
        least = std::max(least, std::ceil(metrics.horizontalAdvance(tick.label)) + 14);
    return least;
}

void ChartPanel::drawCurve(QPainter& painter, const ChartLane& lane, const std::vector<QPointF>& vertices) {
    const LaneLook look = Look::instance().lane(lane.look);
    QList<QLineF> lines;
    appendDashes(vertices, look.dashPx, lines);
    QPen pen(look.colour, curveWidth(lane));
    pen.setCapStyle(look.dashPx.isEmpty() ? Qt::SquareCap : Qt::FlatCap);
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(pen);
    painter.drawLines(lines);
    countPoints(vertices.size());
}

void ChartPanel::drawEndLabels(QPainter& painter, std::vector<EndLabel> labels, const QRectF& bounds) {
    placeEndLabels(labels, bounds);
    for (const EndLabel& label : labels) {
        painter.setOpacity(opacityOf(m_lanes[static_cast<std::size_t>(label.lane)]));
        drawEndLabel(painter, label);
    }
    painter.setOpacity(1);
    m_ends = std::move(labels);
}

void ChartPanel::refresh() {
    if (m_plot->width() < 20 || m_plot->height() < 20)
        return;
    m_overlay->setGeometry(m_plot->rect());
    updateAxes();
    m_plot->refresh(m_x, m_y, plotRect());
    m_header->setLegend(legend());
    m_overlay->setPlot(plotRect(), m_labelRects);
    refreshCursor();
}

void ChartPanel::refreshCursor() {
    const std::optional<double> at = cursorOnAxis();
    m_overlay->setCursor(at ? std::optional(xMap()(*at)) : std::nullopt, cursorFlag());
    m_overlay->setSpot(m_view.hovered() ? hoveredSpot() : std::nullopt);
    m_header->setValues(headerValues());
}

std::optional<std::pair<const ChartLane*, std::size_t>> ChartPanel::arrivalOf(const TokenRef& token) const {
    for (const ChartLane& lane : m_lanes) {
        if (lane.id != token.lane || !lane.record || !lane.record->started || lane.curves->arrivals() == 0 ||
            token.event >= lane.record->events.size())
            continue;
        const ChunkedArray<float>& times = lane.curves->times();
        const double at = *lane.sinceStart(lane.record->events[token.event].at);
        // Times were rounded to float32: the nearest arrival is the token's.
        std::size_t arrival = std::min(times.lowerBound(at), times.size() - 1);
        if (arrival > 0 && at - static_cast<double>(times[arrival - 1]) < static_cast<double>(times[arrival]) - at)
            --arrival;
        return std::pair(&lane, arrival);
    }
    return std::nullopt;
}

void ChartPanel::paintItem(QPainter& painter) {
    ++m_paintings;
    m_points = 0;
    m_ends.clear();
    const Look& look = Look::instance();
    const QRectF plot = plotRect();
    const AxisMap y = yMap();
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (const double at : m_y.minor)
        painter.fillRect(QRectF(plot.left(), std::floor(y(at)), plot.width() + 1, 1), look.colours().grid);
    const AxisMap x = xMap();
    for (const double at : m_x.minor)
        painter.fillRect(QRectF(std::floor(x(at)), plot.top(), 1, plot.height()), look.colours().grid);
    paintLabels(painter, plot);
    if (hasData()) {
        paintPlot(painter, plot);
    } else {
        painter.setFont(look.font(Type::body));
        painter.setPen(look.colours().ink3);
        painter.drawText(plot, Qt::AlignCenter, emptyLine());
    }
    m_overlay->setPlot(plot, m_labelRects);
}

void ChartPanel::paintLabels(QPainter& painter, const QRectF& plot) {
    const Look& look = Look::instance();
    painter.setFont(look.font(Type::small));
    painter.setPen(look.colours().ink3);
    const QFontMetricsF metrics(painter.font());
    const AxisMap x = xMap();
    const AxisMap y = yMap();
    m_labelRects.clear();
    for (const Tick& tick : m_x.ticks) {
        // Centred under its number; the unit after the last one hangs over to the right.
        const QString number = tick.label.section(QChar(0x2009), 0, 0);
        const bool unit = number.size() < tick.label.size() && !tick.label.back().isDigit();
        const double width = metrics.horizontalAdvance(tick.label);
        double left = x(tick.at) - metrics.horizontalAdvance(unit ? number : tick.label) / 2;
        left = std::min(left, m_plot->width() - width - 2.0);
        painter.drawText(QPointF(left, plot.bottom() + 15), tick.label);
        m_labelRects.push_back(QRectF(left - 2, plot.bottom() + 5, width + 4, 14));
    }
    for (const Tick& tick : m_y.ticks)
        drawText(painter, plot.left() - 7, y(tick.at) + metrics.capHeight() / 2, tick.label, Qt::AlignRight);
}

void ChartPanel::paintEvent(QPaintEvent*) {
    const Look& look = Look::instance();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool edge = look.theme() == Theme::light;
    painter.setPen(edge ? QPen(look.colours().border, 1) : QPen(Qt::NoPen));
    painter.setBrush(look.colours().surface);
    const double inset = edge ? 0.5 : 0;
    painter.drawRoundedRect(QRectF(rect()).adjusted(inset, inset, -inset, -inset), 4, 4);
    if (m_plot->hasFocus())
        look.drawFocus(painter, QRectF(m_header->geometry()).adjusted(3, 3, -3, -3));
}

void ChartPanel::hoverLane(int index) {
    if (index >= 0 && static_cast<std::size_t>(index) < m_lanes.size()) {
        m_hoveringChip = true;
        m_view.setFront(m_lanes[static_cast<std::size_t>(index)].id);
    } else if (m_hoveringChip) {
        m_hoveringChip = false;
        m_view.setFront(std::nullopt);
    }
}

void ChartPanel::moveOnPlot(const QMouseEvent& event) {
    const QPointF at = event.position();
    if (m_pressed && !m_dragging && (at - *m_pressed).manhattanLength() >= QApplication::startDragDistance())
        m_dragging = true;
    if (m_dragging) {
        drag(*m_pressed, at, event.modifiers(), false);
        return;
    }
    int chip = -1;
    for (const EndLabel& label : m_ends) {
        if (label.patch.contains(at))
            chip = label.lane;
    }
    hoverLane(chip);
    hover(at);
}

void ChartPanel::pressOnPlot(const QMouseEvent& event) {
    if (event.button() == Qt::LeftButton) {
        m_pressed = event.position();
        m_dragging = false;
    }
}

void ChartPanel::releaseOnPlot(const QMouseEvent& event) {
    if (event.button() != Qt::LeftButton || !m_pressed)
        return;
    if (m_dragging)
        drag(*m_pressed, event.position(), event.modifiers(), true);
    else
        click(event.position());
    m_pressed.reset();
    m_dragging = false;
}

void ChartPanel::wheelOnPlot(const QWheelEvent& event) {
    // Shift turns the wheel sideways on some platforms.
    const QPoint delta = event.angleDelta();
    const double notches = (delta.y() != 0 ? delta.y() : delta.x()) / 120.0;
    wheel(event.position(), notches, event.modifiers());
}

bool ChartPanel::keyOnPlot(const QKeyEvent& event) {
    return key(event.key(), event.modifiers());
}

void ChartPanel::leavePlot() {
    hoverLane(-1);
    unhover();
}

} // namespace decodescope
