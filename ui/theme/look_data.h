#pragma once

#include "ui/theme/look.h"

#include <QByteArray>
#include <QHash>
#include <QList>
#include <QPixmap>

/// What Look keeps of tokens.json; shared by the files that implement it.
namespace decodescope {

struct TypeStyle {
    int px = 12;
    int line = 16;
    int weight = 400;
    qreal letterSpacingPx = 0;
};

struct IconPath {
    QByteArray d;
    bool fill = false;
};

struct Look::Data {
    std::array<Colours, 2> colours;                     ///< by Theme
    std::array<std::array<LaneLook, 8>, 2> lanes;       ///< by Theme
    std::array<QHash<QString, QColor>, 2> colourByName; ///< for the style sheet
    std::array<TypeStyle, 10> types;                    ///< by Type
    QString uiFamily;
    QString monoFamily;
    QHash<QString, IconPath> icons;
    qreal iconStroke = 1.5;
    QString sheet;
    mutable QHash<QString, QPixmap> pixmaps;

    /// Reads the compiled-in tokens. They are part of the program: a fault in them is reported once, and ends it.
    static std::unique_ptr<Data> load();
};

} // namespace decodescope
