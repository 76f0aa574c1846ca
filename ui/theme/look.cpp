#include "ui/theme/look.h"

#include "ui/theme/icon_engine.h"
#include "ui/theme/look_data.h"

#include <QApplication>
#include <QIcon>
#include <QPalette>
#include <QPointer>
#include <QRegularExpression>
#include <QStyle>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace decodescope {
namespace {

std::size_t at(Theme theme) {
    return static_cast<std::size_t>(theme);
}

constexpr int kLeastPresentedPx = 13; // 9.75 pt
constexpr double kPresentedRest = 1.2;
constexpr int kPresentedStreamPx = 25; // 18.75 pt
constexpr int kPresentedStreamLine = 40;
constexpr int kPresentedNumberPx = 34; // 25.5 pt
constexpr int kPresentedNumberLine = 42;
constexpr qreal kPresentedCurve = 2;

TypeStyle presented(Type type, TypeStyle style) {
    if (type == Type::stream) {
        style.px = kPresentedStreamPx;
        style.line = kPresentedStreamLine;
    } else if (type == Type::number) {
        style.px = kPresentedNumberPx;
        style.line = kPresentedNumberLine;
    } else {
        style.px = std::max(kLeastPresentedPx, static_cast<int>(std::lround(style.px * kPresentedRest)));
        style.line = static_cast<int>(std::lround(style.line * kPresentedRest));
    }
    return style;
}

} // namespace

Look& Look::instance() {
    // A child of the application: pixmaps must not outlive it, and a test program may make a second one.
    static QPointer<Look> look;
    if (!look) {
        look = new Look;
        look->setParent(QCoreApplication::instance());
    }
    return *look;
}

Look::Look()
    : m_data(Data::load()) {
    const QColor window = QGuiApplication::palette().color(QPalette::Window);
    m_systemTheme = window.lightness() < 128 ? Theme::dark : Theme::light;
    m_theme = m_systemTheme;
}

Look::~Look() = default;

void Look::apply(ThemeChoice choice) {
    m_choice = choice;
    m_theme = choice == ThemeChoice::system ? m_systemTheme : choice == ThemeChoice::dark ? Theme::dark : Theme::light;
    m_data->pixmaps.clear();
    QApplication::setStyle(QStringLiteral("Fusion"));
    QApplication::setPalette(palette());
    QApplication::setFont(font(Type::body));
    // Platforms give these classes a font of their own, which the line above does not touch.
    for (const char* kind : {"QMenuBar", "QMenu", "QToolButton", "QTipLabel", "QStatusBar"})
        QApplication::setFont(font(Type::body), kind);
    QToolTip::setPalette(palette());
    qApp->setStyleSheet(styleSheet());
    emit changed();
}

void Look::setPresentation(bool on) {
    if (on == m_presentation)
        return;
    m_presentation = on;
    QApplication::setFont(font(Type::body));
    emit changed();
}

const Colours& Look::colours() const {
    return m_data->colours[at(m_theme)];
}

QFont Look::font(Type type) const {
    const TypeStyle& style = m_data->types[static_cast<std::size_t>(type)];
    QFont font(type == Type::mono ? m_data->monoFamily : m_data->uiFamily);
    font.setPixelSize(m_presentation ? presented(type, style).px : style.px);
    font.setWeight(static_cast<QFont::Weight>(style.weight));
    font.setHintingPreference(QFont::PreferNoHinting);
    if (style.letterSpacingPx != 0)
        font.setLetterSpacing(QFont::AbsoluteSpacing, style.letterSpacingPx);
    return font;
}

int Look::lineHeight(Type type) const {
    const TypeStyle& style = m_data->types[static_cast<std::size_t>(type)];
    return m_presentation ? presented(type, style).line : style.line;
}

LaneLook Look::lane(int index) const {
    const int safe = std::max(0, index);
    const auto& lanes = m_data->lanes[at(m_theme)];
    const int count = static_cast<int>(lanes.size());
    LaneLook look = lanes[static_cast<std::size_t>(safe % count)];
    if (safe >= count) {
        // The colours repeat with a thicker line; the letter goes on, for it is what tells them apart.
        look.letter = QChar(static_cast<char16_t>(u'A' + safe % 26));
        look.lineWidth = 2;
    }
    return look;
}

QPen Look::lanePen(int index, qreal width, bool dashed) const {
    const LaneLook look = lane(index);
    if (m_presentation)
        width = std::max(width, kPresentedCurve);
    QPen pen(look.colour, width, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin);
    pen.setCosmetic(true);
    if (dashed && !look.dashPx.isEmpty()) {
        QList<qreal> pattern = look.dashPx;
        for (qreal& length : pattern)
            length /= width;
        pen.setDashPattern(pattern);
    }
    return pen;
}

QIcon Look::icon(const QString& name, int size) const {
    return icon(name, &Colours::ink, size);
}

QIcon Look::icon(const QString& name, QColor Colours::*role, int) const {
    // The engine draws at any size; the size asked for is the widget's iconSize.
    return QIcon(new TokenIconEngine(name, role));
}

QStringList Look::iconNames() const {
    QStringList names = m_data->icons.keys();
    names.sort();
    return names;
}

int Look::heatStop(double gapS, double medianS) {
    if (!(gapS > 0) || !(medianS > 0))
        return 0;
    // A hair more, so that a gap of exactly 4 x the median does not fall below its stop by rounding.
    return static_cast<int>(std::clamp(std::floor(2 * std::log2(gapS / medianS) + 1e-9), 0.0, 8.0));
}

QColor Look::mix(const QColor& a, const QColor& b, double t) {
    const auto blend = [t](int x, int y) { return std::clamp(static_cast<int>(std::lround(x + (y - x) * t)), 0, 255); };
    return QColor(blend(a.red(), b.red()), blend(a.green(), b.green()), blend(a.blue(), b.blue()));
}

QPalette Look::palette() const {
    const Colours& c = colours();
    QPalette palette;
    const std::pair<QPalette::ColorRole, QColor> roles[] = {{QPalette::Window, c.window},
                                                            {QPalette::Base, c.field},
                                                            {QPalette::AlternateBase, c.raised},
                                                            {QPalette::Button, c.raised},
                                                            {QPalette::ToolTipBase, c.raised},
                                                            {QPalette::WindowText, c.ink},
                                                            {QPalette::Text, c.ink},
                                                            {QPalette::ButtonText, c.ink},
                                                            {QPalette::ToolTipText, c.ink},
                                                            {QPalette::PlaceholderText, c.ink3},
                                                            {QPalette::Highlight, c.selection},
                                                            {QPalette::HighlightedText, c.ink},
                                                            {QPalette::Link, c.ink},
                                                            {QPalette::LinkVisited, c.ink},
                                                            {QPalette::BrightText, c.fail},
                                                            {QPalette::Light, c.hover},
                                                            {QPalette::Midlight, c.border},
                                                            {QPalette::Mid, c.border},
                                                            {QPalette::Dark, c.control},
                                                            {QPalette::Shadow, c.window}};
    for (const auto& [role, colour] : roles)
        palette.setColor(role, colour);
    for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText,
                                           QPalette::HighlightedText, QPalette::PlaceholderText})
        palette.setColor(QPalette::Disabled, role, c.disabled);
    return palette;
}

QString Look::styleSheet() const {
    static const QRegularExpression kToken(QStringLiteral("@([A-Za-z][A-Za-z0-9]*)"));
    const auto& names = m_data->colourByName[at(m_theme)];
    QString filled;
    qsizetype done = 0;
    for (auto it = kToken.globalMatch(m_data->sheet); it.hasNext();) {
        const QRegularExpressionMatch match = it.next();
        filled += QStringView(m_data->sheet).mid(done, match.capturedStart() - done);
        const QString name = match.captured(1);
        if (name == QLatin1String("theme"))
            filled += m_theme == Theme::dark ? QStringLiteral("dark") : QStringLiteral("light");
        else
            filled += names.value(name).name();
        done = match.capturedEnd();
    }
    filled += QStringView(m_data->sheet).mid(done);
    return filled;
}

} // namespace decodescope
