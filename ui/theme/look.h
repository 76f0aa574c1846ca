#pragma once

#include <QColor>
#include <QFont>
#include <QList>
#include <QObject>
#include <QPen>
#include <QString>
#include <QStringList>

#include <array>
#include <memory>
#include <optional>

class QIcon;
class QPainter;
class QPalette;
class QRectF;

namespace decodescope {

enum class Theme { dark, light };
enum class ThemeChoice { dark, light, system };

/// Text roles of look.md 18.
enum class Type { chip, small, body, title, laneName, stream, number, heading, pageTitle, mono };

enum class Marker { circle, square, triangle, diamond, circleOpen, squareOpen, triangleOpen, diamondOpen };

/// How a lane is told from the others; goes with the lane for life (look.md section 3).
struct LaneLook {
    QChar letter;
    QColor colour;
    QColor ink;          ///< of the letter on the chip
    QList<qreal> dashPx; ///< empty: solid; in pixels, not pen widths
    Marker marker = Marker::circle;
    qreal lineWidth = 1.5; ///< 2 from the ninth lane on
};

/// Colours of one theme, by the names of tokens.json.
struct Colours {
    QColor window, surface, field, raised, hover, pressed, border, control, ink, ink2, ink3, disabled, grid, gridMajor,
        axis, selection, primary, onPrimary, focus, stall, stallFill, fail, failFill, warn, hatch;
    std::array<QColor, 9> heat, heatInk;
};

/// The one place that knows what anything looks like: painters read it, nobody keeps a copy. GUI thread only.
class Look : public QObject {
    Q_OBJECT

public:
    /// Created with the first call, after QApplication.
    static Look& instance();

    ~Look() override;

    /// Sets palette, style sheet and fonts for the whole application, and emits changed().
    void apply(ThemeChoice choice);
    [[nodiscard]] ThemeChoice choice() const { return m_choice; }
    [[nodiscard]] Theme theme() const { return m_theme; }
    /// Larger type and thicker curves for a room (look.md 54), the colours as they are; emits changed().
    void setPresentation(bool on);
    [[nodiscard]] bool presentation() const { return m_presentation; }
    [[nodiscard]] const Colours& colours() const;
    [[nodiscard]] QFont font(Type type) const;
    /// Height of one line of that type in pixels.
    [[nodiscard]] int lineHeight(Type type) const;
    /// `index` counts lanes from 0 (A).
    [[nodiscard]] LaneLook lane(int index) const;
    /// A pen with the lane's dash, scaled to `width` (setDashPattern counts in pen widths). Cosmetic.
    [[nodiscard]] QPen lanePen(int index, qreal width, bool dashed) const;
    /// Icon by its name in tokens.json, coloured by the text role; one pixmap a state.
    /// It follows the theme by itself and is sharp at any device pixel ratio.
    [[nodiscard]] QIcon icon(const QString& name, int size = 16) const;
    /// The same in another role than ink: `icon("run", &Colours::onPrimary)` on a primary button.
    [[nodiscard]] QIcon icon(const QString& name, QColor Colours::*role, int size = 16) const;
    [[nodiscard]] QStringList iconNames() const;
    /// The same as a pixmap in any colour, sharp at the given device pixel ratio.
    [[nodiscard]] QPixmap iconPixmap(const QString& name, int size, const QColor& colour, qreal dpr) const;
    /// Heat stop 0..8 of a gap against the run's median (look.md 11).
    [[nodiscard]] static int heatStop(double gapS, double medianS);
    /// mix(surface, colour, t): phases, halos.
    [[nodiscard]] static QColor mix(const QColor& a, const QColor& b, double t);

    /// An icon in a rectangle, for painters.
    void drawIcon(QPainter& painter, const QRectF& rect, const QString& name, const QColor& colour) const;
    /// Draws the 14 px chip with the lane's letter; returns its rectangle.
    QRectF drawChip(QPainter& painter, QPointF topLeft, int laneIndex) const;
    /// Draws the 24 x 12 swatch: line with dash and marker.
    void drawSwatch(QPainter& painter, const QRectF& rect, int laneIndex, qreal opacity = 1.0) const;
    void drawMarker(QPainter& painter, QPointF centre, qreal radius, int laneIndex) const;
    /// Focus ring 2 px, 1 px outside `rect`.
    void drawFocus(QPainter& painter, const QRectF& rect) const;
    /// 45 degree hatch for what our own machine did.
    void drawHatch(QPainter& painter, const QRectF& rect) const;

signals:
    void changed();

private:
    Look();
    [[nodiscard]] QPalette palette() const;
    [[nodiscard]] QString styleSheet() const;
    struct Data;
    std::unique_ptr<Data> m_data;
    ThemeChoice m_choice = ThemeChoice::system;
    Theme m_systemTheme = Theme::dark; ///< as the platform's palette was at the start
    Theme m_theme = Theme::dark;
    bool m_presentation = false;
};

} // namespace decodescope
