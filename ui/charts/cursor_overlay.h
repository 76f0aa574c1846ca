#pragma once

#include <QRectF>
#include <QString>
#include <QWidget>

#include <optional>
#include <vector>

namespace decodescope {

/// The cursor, its flag on the axis and a measured stretch, over a plot. A widget of its own: moving the mouse
/// repaints a few columns of it and never the chart.
class CursorOverlay : public QWidget {
    Q_OBJECT

public:
    explicit CursorOverlay(QWidget* parent);

    /// `labels`: the axis labels' rectangles; those under the flag are covered whole.
    void setPlot(const QRectF& plot, std::vector<QRectF> labels);
    /// Cursor at `x` px with `flag` on the axis; nullopt: none.
    void setCursor(std::optional<double> x, const QString& flag);
    /// A ring around the token that is hovered anywhere; nullopt: none.
    void setSpot(std::optional<QPointF> spot);
    /// A stretch from x0 to x1 being measured, with its length in words.
    void setMeasure(std::optional<std::pair<double, double>> stretch, const QString& words);
    [[nodiscard]] std::optional<double> cursorX() const { return m_cursor; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    [[nodiscard]] QRect cursorArea() const;
    [[nodiscard]] QRectF flagRect() const;

    QRectF m_plot;
    std::vector<QRectF> m_labels;
    std::optional<double> m_cursor;
    QString m_flag;
    std::optional<QPointF> m_spot;
    std::optional<std::pair<double, double>> m_measure;
    QString m_words;
};

} // namespace decodescope
