#include "ui/text/heat_strip.h"

#include "ui/theme/look.h"
#include "ui/theme/plain_tip.h"
#include "ui/theme/stall_marks.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace decodescope {
namespace {

constexpr int kFlagZone = 8;
constexpr int kCells = 14;
constexpr double kShortest = 32; // tokens: the first few do not fill the whole strip

/// Grows in steps, so that the columns of a long run are not built anew with every token. The same for all lanes.
double steppedScale(double tokens) {
    if (tokens <= 512)
        return std::max(tokens, kShortest);
    const double step = std::exp2(std::floor(std::log2(tokens)) - 6);
    return std::ceil(tokens / step) * step;
}

} // namespace

HeatStrip::HeatStrip(ViewState& view, const TokenTextView& text, QWidget* parent)
    : QWidget(parent)
    , m_view(view)
    , m_text(text) {
    setAttribute(Qt::WA_OpaquePaintEvent);
    setMouseTracking(true);
    setFixedHeight(kFlagZone + kCells);
    connect(&m_view, &ViewState::selectedChanged, this, qOverload<>(&QWidget::update));
    connect(&m_view, &ViewState::hoveredChanged, this, qOverload<>(&QWidget::update));
    connect(&Look::instance(), &Look::changed, this, qOverload<>(&QWidget::update));
}

QSize HeatStrip::sizeHint() const {
    return {200, kFlagZone + kCells};
}

double HeatStrip::scale() const {
    return steppedScale(std::max(m_scale, static_cast<double>(m_text.buffer().tokenCount())));
}

void HeatStrip::setScale(double tokens) {
    m_scale = tokens;
    if (scale() != m_usedScale)
        rebuild();
}

void HeatStrip::setCut(bool cut) {
    if (cut == m_cut)
        return;
    m_cut = cut;
    update();
}

void HeatStrip::setSummary(const RunSummary& summary) {
    std::vector<std::pair<std::uint32_t, StallKind>> stalls;
    for (const Stall& stall : summary.stalls) {
        if (stall.kind != StallKind::open)
            stalls.emplace_back(stall.eventIndex, stall.kind);
    }
    if (stalls != m_stalls || m_median != m_text.medianS()) {
        m_stalls = std::move(stalls);
        m_median = m_text.medianS();
        // What is hatched may have become known only now.
        rebuild();
    }
}

void HeatStrip::advance() {
    const std::uint32_t count = m_text.buffer().tokenCount();
    if (count < m_taken || scale() != m_usedScale) {
        rebuild();
        return;
    }
    if (count == m_taken)
        return;
    const std::uint32_t before = m_taken;
    addTokens(m_taken, count);
    const int left = cellLeft(before);
    update(QRect(left, 0, cellLeft(count) - left + 2, height()));
}

void HeatStrip::rebuild() {
    if (m_text.buffer().tokenCount() < m_taken)
        m_stalls.clear();
    m_usedScale = scale();
    m_taken = 0;
    m_columns.assign(static_cast<std::size_t>(std::max(0, width())), -1.0F);
    m_hatched.assign(m_columns.size(), false);
    addTokens(0, m_text.buffer().tokenCount());
    update();
}

int HeatStrip::cellLeft(std::uint32_t token) const {
    return m_usedScale > 0 ? static_cast<int>(std::lround(token * static_cast<double>(width()) / m_usedScale)) : 0;
}

void HeatStrip::addTokens(std::uint32_t from, std::uint32_t to) {
    const TokenBuffer& buffer = m_text.buffer();
    const int columns = static_cast<int>(m_columns.size());
    for (std::uint32_t token = from; token < to; ++token) {
        const int left = std::min(cellLeft(token), columns - 1);
        const int right = std::max(left + 1, std::min(cellLeft(token + 1), columns));
        const bool hatched = buffer.hatched(token);
        for (int x = std::max(0, left); x < right && x < columns; ++x) {
            const auto column = static_cast<std::size_t>(x);
            m_columns[column] = std::max(m_columns[column], hatched ? 0.0F : buffer.gapS(token));
            if (hatched)
                m_hatched[column] = true;
        }
    }
    m_taken = to;
}

std::optional<std::uint32_t> HeatStrip::tokenAt(int x) const {
    const TokenBuffer& buffer = m_text.buffer();
    if (x < 0 || x >= static_cast<int>(m_columns.size()) || m_columns[static_cast<std::size_t>(x)] < 0)
        return std::nullopt;
    const double perPixel = m_usedScale / width();
    const auto guess = static_cast<std::int64_t>(std::floor((x - 1) * perPixel)) - 1;
    std::optional<std::uint32_t> hottest;
    for (auto token = static_cast<std::uint32_t>(std::max<std::int64_t>(0, guess));
         token < buffer.tokenCount() && cellLeft(token) <= x; ++token) {
        const bool covers = x < std::max(cellLeft(token) + 1, cellLeft(token + 1));
        if (covers && (!hottest || buffer.gapS(token) > buffer.gapS(*hottest)))
            hottest = token;
    }
    return hottest;
}

void HeatStrip::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    const Colours& colours = Look::instance().colours();
    const QRect dirty = event->rect();
    painter.fillRect(dirty, colours.surface);
    const QRect track(0, kFlagZone, width(), kCells);
    painter.fillRect(track.intersected(dirty), colours.field);
    const int last = std::min(dirty.right(), static_cast<int>(m_columns.size()) - 1);
    for (int x = std::max(0, dirty.left()); x <= last;) {
        const auto column = static_cast<std::size_t>(x);
        if (m_columns[column] < 0) {
            ++x;
            continue;
        }
        const int stop = Look::heatStop(m_columns[column], m_median);
        int end = x + 1;
        while (end <= last && m_columns[static_cast<std::size_t>(end)] >= 0 &&
               Look::heatStop(m_columns[static_cast<std::size_t>(end)], m_median) == stop)
            ++end;
        painter.fillRect(QRect(x, kFlagZone, end - x, kCells), colours.heat[static_cast<std::size_t>(stop)]);
        x = end;
    }
    for (std::size_t x = 0; x < m_hatched.size();) {
        std::size_t end = x;
        while (end < m_hatched.size() && m_hatched[end])
            ++end;
        if (end > x)
            Look::instance().drawHatch(painter, QRectF(static_cast<qreal>(x), kFlagZone,
                                                       std::max<qreal>(static_cast<qreal>(end - x), 5), kCells));
        x = end + 1;
    }
    paintStalls(painter);
    const auto mark = [&](const std::optional<TokenRef>& token, const QColor& colour, int thick) {
        if (!token || token->lane != m_lane || token->event >= m_taken)
            return;
        painter.fillRect(QRect(cellLeft(token->event), kFlagZone - 2, thick, kCells + 2), colour);
    };
    mark(m_view.hovered(), colours.ink3, 1);
    mark(m_view.selected(), colours.ink, 2);
    if (m_cut && m_taken > 0)
        painter.fillRect(QRect(std::min(cellLeft(m_taken), width() - 2), kFlagZone - 6, 2, kCells + 6), colours.fail);
}

void HeatStrip::paintStalls(QPainter& painter) {
    for (const auto& [token, kind] : m_stalls) {
        if (token >= m_taken)
            continue;
        const qreal middle = std::clamp((cellLeft(token) + std::max(cellLeft(token) + 1, cellLeft(token + 1))) / 2.0,
                                        4.0, width() - 4.0);
        drawStallFlag(painter, middle, 6, kind);
    }
}

void HeatStrip::resizeEvent(QResizeEvent*) {
    rebuild();
}

void HeatStrip::mousePressEvent(QMouseEvent* event) {
    const auto token = tokenAt(event->position().toPoint().x());
    if (event->button() == Qt::LeftButton && token)
        m_view.setSelected(TokenRef{m_lane, *token});
}

void HeatStrip::mouseMoveEvent(QMouseEvent* event) {
    const auto token = tokenAt(event->position().toPoint().x());
    m_view.setHovered(token ? std::optional(TokenRef{m_lane, *token}) : std::nullopt);
}

void HeatStrip::leaveEvent(QEvent*) {
    if (m_view.hovered() && m_view.hovered()->lane == m_lane)
        m_view.setHovered(std::nullopt);
}

bool HeatStrip::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    auto* help = static_cast<QHelpEvent*>(event);
    if (const auto token = tokenAt(help->pos().x()))
        showPlainTip(help->globalPos(), m_text.tip(*token), this);
    else
        QToolTip::hideText();
    return true;
}

} // namespace decodescope
