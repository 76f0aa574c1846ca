#include "ui/window/settings.h"

#include "core/base/redaction.h"
#include "core/record/safe_file.h"
#include "ui/window/key_binding.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <cmath>

namespace decodescope {
namespace {

constexpr qint64 kMaxFileBytes = 4 << 20;

QString text(const std::string& s) {
    return QString::fromStdString(s);
}
std::string text(const QJsonObject& o, const char* name, const std::string& otherwise = {}) {
    const QJsonValue value = o.value(QLatin1String(name));
    return value.isString() ? value.toString().toStdString() : otherwise;
}
bool flag(const QJsonObject& o, const char* name, bool otherwise) {
    return o.value(QLatin1String(name)).toBool(otherwise);
}
int number(const QJsonObject& o, const char* name, int low, int high, int otherwise) {
    const double value = o.value(QLatin1String(name)).toDouble(otherwise);
    return static_cast<int>(std::clamp(value, double(low), double(high)));
}

template <class T> QJsonValue optional(const std::optional<T>& value) {
    return value ? QJsonValue(static_cast<double>(*value)) : QJsonValue(QJsonValue::Null);
}
std::optional<double> optionalNumber(const QJsonObject& o, const char* name, double low, double high,
                                     std::optional<double> otherwise) {
    const QJsonValue value = o.value(QLatin1String(name));
    if (value.isNull())
        return std::nullopt;
    return value.isDouble() ? std::optional(std::clamp(value.toDouble(), low, high)) : otherwise;
}
QJsonValue seconds(const std::optional<Duration>& d) {
    return d ? QJsonValue(toSeconds(*d)) : QJsonValue(QJsonValue::Null);
}
std::optional<Duration> seconds(const QJsonObject& o, const char* name, std::optional<Duration> otherwise) {
    const std::optional<double> usual = otherwise ? std::optional(toSeconds(*otherwise)) : std::nullopt;
    const auto value = optionalNumber(o, name, 0.001, 86400, usual);
    return value ? std::optional(fromSeconds(*value)) : std::nullopt;
}

QJsonObject write(const RaceSettings& race) {
    const SamplingSpec& s = race.sampling;
    QJsonObject o{
        {"prompt", text(race.prompt)},
        {"system", text(race.system)},
        {"max_tokens", optional(s.maxTokens)},
        {"temperature", optional(s.temperature)},
        {"seed", s.seed ? QJsonValue(QString::number(*s.seed)) : QJsonValue(QJsonValue::Null)},
        {"ignore_eos", s.ignoreEos},
        {"stream", s.stream},
        {"reasoning_effort", s.reasoningEffort ? QJsonValue(text(*s.reasoningEffort)) : QJsonValue(QJsonValue::Null)},
        {"unique_prefix", race.uniquePrefix},
        {"repeats", race.plan.repeats},
        {"warmups", race.plan.warmups},
        {"one_by_one", race.plan.sequential},
        {"connect_timeout_s", seconds(race.timeouts.connect)},
        {"first_token_timeout_s", seconds(race.timeouts.firstToken)},
        {"idle_timeout_s", seconds(race.timeouts.idle)},
        {"total_timeout_s", seconds(race.timeouts.total)},
    };
    return o;
}

RaceSettings readRace(const QJsonObject& o) {
    RaceSettings race;
    race.prompt = text(o, "prompt", race.prompt);
    race.system = text(o, "system");
    SamplingSpec& s = race.sampling;
    const auto maxTokens =
        optionalNumber(o, "max_tokens", 1, 1e9, s.maxTokens ? std::optional<double>(*s.maxTokens) : std::nullopt);
    s.maxTokens = maxTokens ? std::optional(static_cast<int>(*maxTokens)) : std::nullopt;
    s.temperature = optionalNumber(o, "temperature", 0, 2, s.temperature);
    bool isNumber = false;
    const qlonglong seed = o.value("seed").toString().toLongLong(&isNumber);
    s.seed = isNumber ? std::optional<std::int64_t>(seed) : std::nullopt;
    s.ignoreEos = flag(o, "ignore_eos", s.ignoreEos);
    s.stream = flag(o, "stream", s.stream);
    if (const std::string effort = text(o, "reasoning_effort"); !effort.empty())
        s.reasoningEffort = effort;
    race.uniquePrefix = flag(o, "unique_prefix", race.uniquePrefix);
    race.plan.repeats = number(o, "repeats", 1, 1000, race.plan.repeats);
    race.plan.warmups = number(o, "warmups", 0, 100, race.plan.warmups);
    race.plan.sequential = flag(o, "one_by_one", race.plan.sequential);
    race.timeouts.connect = seconds(o, "connect_timeout_s", race.timeouts.connect);
    race.timeouts.firstToken = seconds(o, "first_token_timeout_s", race.timeouts.firstToken);
    race.timeouts.idle = seconds(o, "idle_timeout_s", race.timeouts.idle);
    race.timeouts.total = seconds(o, "total_timeout_s", race.timeouts.total);
    return race;
}

const char* keyKindName(KeyReference::Kind kind) {
    switch (kind) {
    case KeyReference::Kind::environment:
        return "environment";
    case KeyReference::Kind::file:
        return "file";
    case KeyReference::Kind::keychain:
        return "keychain";
    default:
        return ""; // a key typed for the session is gone with it
    }
}

QJsonObject write(const LaneConfig& lane) {
    const EndpointSpec& e = lane.spec.endpoint;
    QJsonObject o{{"look", lane.look},
                  {"name", text(lane.spec.laneName)},
                  {"url", text(urlWithoutKeys(e.url))},
                  {"protocol", text(e.protocol)},
                  {"model", text(e.model)},
                  {"preset", text(e.preset)},
                  {"think_tags", e.thinkTags},
                  {"cumulative", e.cumulative},
                  {"reuse_connection", e.connection == ConnectionUse::reuse},
                  {"pinned_certificate", text(e.pinnedCertificate)},
                  {"ca_file", text(e.extraCaFile)}};
    QJsonArray options;
    for (const std::string& option : e.presetOptions)
        options.append(text(option));
    if (!options.isEmpty())
        o.insert("preset_options", options);
    if (const auto& local = lane.spec.local)
        o.insert("local", QJsonObject{{"path", text(local->path)},
                                      {"device", text(local->device)},
                                      {"threads", local->threads},
                                      {"context", local->contextLength},
                                      {"parallel", local->parallel},
                                      {"kv_type", text(local->kvType)},
                                      {"speculative", local->speculative},
                                      {"prefix_cache", local->prefixCache}});
    if (const auto& recorded = lane.spec.recorded)
        o.insert("recorded", QJsonObject{{"file", text(recorded->file)}, {"lane", recorded->lane}});
    if (const char* kind = keyKindName(e.key.kind); *kind)
        o.insert("key", QJsonObject{{"from", kind}, {"name", text(e.key.name)}});
    return o;
}

LocalModelSpec readLocal(const QJsonObject& o) {
    LocalModelSpec local;
    local.path = text(o, "path");
    local.device = text(o, "device", local.device);
    local.threads = number(o, "threads", 0, 1024, local.threads);
    local.contextLength = number(o, "context", 0, 1 << 24, local.contextLength);
    local.parallel = number(o, "parallel", 1, 16, local.parallel);
    local.kvType = text(o, "kv_type", local.kvType);
    local.speculative = flag(o, "speculative", local.speculative);
    local.prefixCache = flag(o, "prefix_cache", local.prefixCache);
    return local;
}

LaneConfig readLane(const QJsonObject& o) {
    LaneConfig lane;
    lane.look = number(o, "look", 0, 63, 0);
    lane.spec.laneName = text(o, "name");
    EndpointSpec& e = lane.spec.endpoint;
    e.url = text(o, "url");
    e.protocol = text(o, "protocol", e.protocol);
    e.model = text(o, "model");
    e.preset = text(o, "preset");
    for (const QJsonValue& option : o.value("preset_options").toArray())
        e.presetOptions.push_back(option.toString().toStdString());
    e.thinkTags = flag(o, "think_tags", false);
    e.cumulative = flag(o, "cumulative", false);
    e.connection = flag(o, "reuse_connection", false) ? ConnectionUse::reuse : ConnectionUse::fresh;
    e.pinnedCertificate = text(o, "pinned_certificate");
    e.extraCaFile = text(o, "ca_file");
    if (const QJsonValue local = o.value("local"); local.isObject())
        lane.spec.local = readLocal(local.toObject());
    if (const QJsonObject recorded = o.value("recorded").toObject(); !recorded.isEmpty())
        lane.spec.recorded = RecordedLaneSpec{text(recorded, "file"), number(recorded, "lane", 0, 255, 0)};
    const QJsonObject key = o.value("key").toObject();
    const std::string from = text(key, "from");
    if (from == "environment")
        e.key = {KeyReference::Kind::environment, text(key, "name")};
    else if (from == "file")
        e.key = {KeyReference::Kind::file, text(key, "name")};
    else if (from == "keychain" && !e.url.empty() && originOf(e.url).toStdString() == text(key, "name"))
        e.key = {KeyReference::Kind::keychain, text(key, "name")}; // one for another origin is not asked for
    return lane;
}

const char* themeName(ThemeChoice theme) {
    return theme == ThemeChoice::dark ? "dark" : theme == ThemeChoice::light ? "light" : "system";
}

} // namespace

void WindowSettings::addRecent(const QString& path) {
    recent.removeAll(path);
    recent.prepend(path);
    while (recent.size() > kMaxRecent)
        recent.removeLast();
}

WindowSettings loadSettings(const QString& path) {
    WindowSettings settings;
    QFile file(path);
    if (path.isEmpty() || !file.open(QIODevice::ReadOnly) || file.size() > kMaxFileBytes)
        return settings;
    const QJsonObject o = QJsonDocument::fromJson(file.readAll()).object();
    const std::string theme = text(o, "theme");
    settings.theme = theme == "dark" ? ThemeChoice::dark : theme == "light" ? ThemeChoice::light : ThemeChoice::system;
    settings.geometry = QByteArray::fromBase64(o.value("geometry").toString().toLatin1());
    if (o.value("layout_version").toInt() == WindowSettings::kLayoutVersion)
        settings.layout = QByteArray::fromBase64(o.value("layout").toString().toLatin1());
    settings.race = readRace(o.value("race").toObject());
    for (const QJsonValue& lane : o.value("lanes").toArray())
        settings.lanes.push_back(readLane(lane.toObject()));
    for (const QJsonValue& recent : o.value("recent").toArray()) {
        if (recent.isString() && settings.recent.size() < WindowSettings::kMaxRecent)
            settings.recent.append(recent.toString());
    }
    settings.recordingsFolder = o.value("recordings_folder").toString();
    return settings;
}

Result<void> saveSettings(const WindowSettings& settings, const QString& path) {
    QJsonArray lanes;
    for (const LaneConfig& lane : settings.lanes)
        lanes.append(write(lane));
    const QJsonObject o{
        {"theme", themeName(settings.theme)},
        {"geometry", QString::fromLatin1(settings.geometry.toBase64())},
        {"layout_version", WindowSettings::kLayoutVersion},
        {"layout", QString::fromLatin1(settings.layout.toBase64())},
        {"race", write(settings.race)},
        {"lanes", lanes},
        {"recent", QJsonArray::fromStringList(settings.recent)},
        {"recordings_folder", settings.recordingsFolder},
    };
    const QString folder = QFileInfo(path).absolutePath();
    if (auto made = makePrivateFolder(folder.toStdString()); !made)
        return made;
    return saveFile(path.toStdString(), QJsonDocument(o).toJson().toStdString(), Backup::keepOne);
}

} // namespace decodescope
