#pragma once

#include "core/metrics/run_summary.h"
#include "ui/text/token_text_view.h"

#include <QWidget>

#include <optional>
#include <vector>

namespace decodescope {

/// One cell a token event, from left to right, in the heat of its gap. Where a pixel column holds several, the
/// hottest one is seen: a stall never disappears. A triangle points at every stall. All strips of a race share one
/// scale, so that their lengths can be compared.
class HeatStrip : public QWidget {
    Q_OBJECT

public:
    /// Reads the tokens of `text`, which must outlive it.
    HeatStrip(ViewState& view, const TokenTextView& text, QWidget* parent = nullptr);

    void setLane(LaneId lane) { m_lane = lane; }
    /// Token events that the whole width stands for; at least the lane's own.
    void setScale(double tokens);
    void setSummary(const RunSummary& summary);
    void setCut(bool cut);
    /// Takes in what the text has got; repaints what changed.
    void advance();

    /// Left edge of a token's cell.
    [[nodiscard]] int cellLeft(std::uint32_t token) const;
    /// The hottest token of a pixel column.
    [[nodiscard]] std::optional<std::uint32_t> tokenAt(int x) const;
    /// Longest gap in a pixel column in seconds; negative: none.
    [[nodiscard]] float columnGapS(int x) const { return m_columns[static_cast<std::size_t>(x)]; }
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    bool event(QEvent* event) override;

private:
    [[nodiscard]] double scale() const;
    void rebuild();
    void addTokens(std::uint32_t from, std::uint32_t to);
    void paintStalls(QPainter& painter);

    ViewState& m_view;
    const TokenTextView& m_text;
    LaneId m_lane = 0;
    double m_scale = 0;     // as asked for
    double m_usedScale = 0; // that of the columns
    bool m_cut = false;
    std::uint32_t m_taken = 0;
    double m_median = 0;
    std::vector<float> m_columns; // the longest gap in each pixel column; negative: no token
    std::vector<bool> m_hatched;
    std::vector<std::pair<std::uint32_t, StallKind>> m_stalls; // by token
};

} // namespace decodescope
