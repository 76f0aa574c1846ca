#include "ui/theme/look_data.h"

#include <QFile>
#include <QFontDatabase>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <utility>

// Q_INIT_RESOURCE declares a function and must stand outside every namespace.
static void initLookResources() {
    Q_INIT_RESOURCE(look);
}

namespace decodescope {
namespace {

constexpr std::pair<const char*, QColor Colours::*> kRoles[] = {
    {"window", &Colours::window},       {"surface", &Colours::surface},     {"field", &Colours::field},
    {"raised", &Colours::raised},       {"hover", &Colours::hover},         {"pressed", &Colours::pressed},
    {"border", &Colours::border},       {"control", &Colours::control},     {"ink", &Colours::ink},
    {"ink2", &Colours::ink2},           {"ink3", &Colours::ink3},           {"disabled", &Colours::disabled},
    {"grid", &Colours::grid},           {"gridMajor", &Colours::gridMajor}, {"axis", &Colours::axis},
    {"selection", &Colours::selection}, {"primary", &Colours::primary},     {"onPrimary", &Colours::onPrimary},
    {"focus", &Colours::focus},         {"stall", &Colours::stall},         {"stallFill", &Colours::stallFill},
    {"fail", &Colours::fail},           {"failFill", &Colours::failFill},   {"warn", &Colours::warn},
    {"hatch", &Colours::hatch}};

constexpr const char* kThemeNames[] = {"dark", "light"};
// In the order of Type and of Marker.
constexpr const char* kTypeNames[] = {"chip",   "small",  "body",    "title",      "lane_name",
                                      "stream", "number", "heading", "page_title", "mono"};
constexpr const char* kMarkerNames[] = {"circle",      "square",      "triangle",      "diamond",
                                        "circle-open", "square-open", "triangle-open", "diamond-open"};

QByteArray resource(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        qFatal("The program lacks its own resource %s: it was built wrongly.", qPrintable(path));
    return file.readAll();
}

QColor colour(const QJsonValue& value, const char* what) {
    const QColor parsed(value.toString());
    if (!parsed.isValid())
        qFatal("tokens.json has no colour for %s.", what);
    return parsed;
}

void readColours(const QJsonObject& theme, Colours& colours, QHash<QString, QColor>& byName) {
    const QJsonObject values = theme[QLatin1String("colour")].toObject();
    for (const auto& [name, member] : kRoles) {
        colours.*member = colour(values[QLatin1String(name)], name);
        byName.insert(QLatin1String(name), colours.*member);
    }
    const QJsonArray heat = theme[QLatin1String("heat")].toArray();
    for (std::size_t i = 0; i < colours.heat.size(); ++i) {
        const QJsonObject stop = heat.at(static_cast<qsizetype>(i)).toObject();
        colours.heat[i] = colour(stop[QLatin1String("hex")], "a heat stop");
        colours.heatInk[i] = colour(stop[QLatin1String("ink")], "the ink on a heat stop");
    }
}

Marker markerNamed(const QString& name) {
    for (std::size_t i = 0; i < std::size(kMarkerNames); ++i) {
        if (name == QLatin1String(kMarkerNames[i]))
            return static_cast<Marker>(i);
    }
    qFatal("tokens.json names an unknown marker.");
}

LaneLook readLane(const QJsonObject& lane, const QString& theme) {
    LaneLook look;
    look.letter = lane[QLatin1String("letter")].toString().at(0);
    look.colour = colour(lane[theme], "a lane");
    look.ink = colour(lane[theme + QLatin1String("_ink")], "a lane's letter");
    for (const QJsonValue& dash : lane[QLatin1String("dash_px")].toArray())
        look.dashPx.append(dash.toDouble());
    look.marker = markerNamed(lane[QLatin1String("marker")].toString());
    return look;
}

TypeStyle readType(const QJsonObject& type) {
    return {type[QLatin1String("px")].toInt(12), type[QLatin1String("line")].toInt(16),
            type[QLatin1String("weight")].toInt(400), type[QLatin1String("letter_spacing_px")].toDouble()};
}

/// Registers a font file and gives back its family.
QString addFont(const QString& path) {
    const int id = QFontDatabase::addApplicationFont(path);
    const QStringList families = QFontDatabase::applicationFontFamilies(id);
    if (families.isEmpty())
        qFatal("The program's own font %s cannot be used: it was built wrongly.", qPrintable(path));
    return families.first();
}

} // namespace

std::unique_ptr<Look::Data> Look::Data::load() {
    initLookResources();
    auto data = std::make_unique<Data>();
    const QJsonObject tokens = QJsonDocument::fromJson(resource(QStringLiteral(":/style/tokens.json"))).object();
    const QJsonArray lanes = tokens[QLatin1String("lanes")].toArray();
    for (std::size_t t = 0; t < 2; ++t) {
        const QString theme = QLatin1String(kThemeNames[t]);
        readColours(tokens[QLatin1String("theme")][theme].toObject(), data->colours[t], data->colourByName[t]);
        for (std::size_t i = 0; i < data->lanes[t].size(); ++i)
            data->lanes[t][i] = readLane(lanes.at(static_cast<qsizetype>(i)).toObject(), theme);
        // The style sheet's words for what differs by theme in kind, not in shade (look.md 59).
        auto& names = data->colourByName[t];
        const bool dark = static_cast<Theme>(t) == Theme::dark;
        names.insert(QStringLiteral("buttonEdge"), dark ? data->colours[t].raised : data->colours[t].border);
        names.insert(QStringLiteral("segmentOn"), dark ? data->colours[t].pressed : data->colours[t].surface);
        names.insert(QStringLiteral("segmentEdge"), dark ? data->colours[t].pressed : data->colours[t].control);
    }
    const QJsonObject scale = tokens[QLatin1String("type")][QLatin1String("scale")].toObject();
    for (std::size_t i = 0; i < data->types.size(); ++i)
        data->types[i] = readType(scale[QLatin1String(kTypeNames[i])].toObject());
    const QJsonObject icons = tokens[QLatin1String("icons")].toObject();
    data->iconStroke = icons[QLatin1String("stroke")].toDouble(1.5);
    const QJsonObject paths = icons[QLatin1String("paths")].toObject();
    for (auto it = paths.begin(); it != paths.end(); ++it) {
        const QJsonObject path = it.value().toObject();
        data->icons.insert(it.key(),
                           {path[QLatin1String("d")].toString().toLatin1(), path[QLatin1String("fill")].toBool()});
    }
    data->uiFamily = addFont(QStringLiteral(":/fonts/DecodescopeSans-Regular.otf"));
    addFont(QStringLiteral(":/fonts/DecodescopeSans-Medium.otf"));
    addFont(QStringLiteral(":/fonts/DecodescopeSans-SemiBold.otf"));
    data->monoFamily = addFont(QStringLiteral(":/fonts/DecodescopeMono-Regular.ttf"));
    data->sheet = QString::fromUtf8(resource(QStringLiteral(":/style/decodescope.qss")));
    return data;
}

} // namespace decodescope
