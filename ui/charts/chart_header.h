#pragma once

#include <QAbstractButton>
#include <QColor>
#include <QString>
#include <QStringList>
#include <QWidget>

#include <vector>

class QHBoxLayout;

namespace decodescope {

/// A lane's value in a panel header: chip and number.
struct HeaderValue {
    int look = 0;
    QString text;
    bool weak = false; ///< a word in place of a number: ink3
};

/// An entry of a panel's legend, or a plain hint.
struct LegendItem {
    enum class Sample { none, dashedEdges, solidEdges, hatched, swatch };
    Sample sample = Sample::none;
    QColor colour; ///< swatch only
    QString text;
};

/// One part of a segmented switch, or an icon button of 22 px: painted from the look, keyboard and screen reader
/// come from QAbstractButton.
class HeaderButton : public QAbstractButton {
    Q_OBJECT

public:
    /// A segment with words.
    static HeaderButton* segment(const QString& text, QWidget* parent);
    /// A button with an icon and an accessible name.
    static HeaderButton* withIcon(const QString& iconName, const QString& name, QWidget* parent);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;

private:
    explicit HeaderButton(QWidget* parent);
    QString m_icon;
    bool m_keyboardFocus = false; ///< the ring is for those who came by key
};

/// The 28 px line over a plot: title, then at the right values, legend, switches and the maximise button.
class ChartHeader : public QWidget {
    Q_OBJECT

public:
    ChartHeader(const QString& title, QWidget* parent);

    void setValues(std::vector<HeaderValue> values);
    void setLegend(std::vector<LegendItem> legend);
    [[nodiscard]] const std::vector<HeaderValue>& values() const { return m_values; }
    /// A segmented switch; `picked(index)` is emitted through `switched`.
    void addSwitch(const QStringList& words, int checked, const QString& name);
    void setSwitch(int checked);

    [[nodiscard]] QSize sizeHint() const override;

signals:
    void switched(int index);
    void maximiseRequested();
    /// The lane whose chip the mouse is over; -1: none.
    void valueHovered(int index);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    QHBoxLayout* m_row = nullptr;
    QWidget* m_group = nullptr;
    HeaderButton* m_maximise = nullptr;
    std::vector<HeaderButton*> m_segments;
    QString m_title;
    std::vector<HeaderValue> m_values;
    std::vector<LegendItem> m_legend;
    std::vector<QRectF> m_valueRects;
};

} // namespace decodescope
