#include "core/record/recording_format.h"

#include "core/base/base64.h"
#include "core/base/redaction.h"
#include "core/record/json_fields.h"
#include "core/record/spec_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <limits>
#include <utility>
#include <xxhash.h>

namespace decodescope {
namespace {

using nlohmann::json;

// A line ends with ,"xx":"01234567"} and the hash is over everything before the comma.
constexpr std::string_view kSealBegin = R"(,"xx":")";
constexpr std::string_view kSealEnd = R"("})";
constexpr std::size_t kHashDigits = 8;
constexpr std::size_t kSealSize = kSealBegin.size() + kHashDigits + kSealEnd.size();

using MarkRow = std::pair<Milestone::Kind, std::string_view>;
constexpr std::array kMarks{
    MarkRow{Milestone::Kind::started, "started"}, MarkRow{Milestone::Kind::connected, "connected"},
    MarkRow{Milestone::Kind::sent, "sent"},       MarkRow{Milestone::Kind::firstByte, "first_byte"},
    MarkRow{Milestone::Kind::routed, "routed"},
};

std::uint32_t shortHash(std::string_view body) {
    return static_cast<std::uint32_t>(XXH3_64bits(body.data(), body.size()));
}

/// What ends a line with this body. There is one spelling only: any other is a damaged line.
std::array<char, kSealSize> sealOf(std::string_view body) {
    constexpr std::string_view kHex = "0123456789abcdef";
    const std::uint32_t hash = shortHash(body);
    std::array<char, kSealSize> text{};
    auto to = std::copy(kSealBegin.begin(), kSealBegin.end(), text.begin());
    for (int shift = 28; shift >= 0; shift -= 4)
        *to++ = kHex[hash >> shift & 15];
    std::copy(kSealEnd.begin(), kSealEnd.end(), to);
    return text;
}

/// Ends the line that begins at `begin` and is an object without its closing brace.
void seal(std::string& out, std::size_t begin) {
    const auto end = sealOf(std::string_view(out).substr(begin));
    out.append(end.data(), end.size());
    out += '\n';
}

void sealJson(std::string& out, const char* type, const json& members) {
    const std::size_t begin = out.size();
    out += R"({"type":")";
    out += type;
    out += '"';
    if (!members.empty()) {
        const std::string text = dumpJson(members);
        out += ',';
        out.append(text, 1, text.size() - 2);
    }
    seal(out, begin);
}

/// The part of a line that its hash covers, if the hash is right.
std::optional<std::string_view> unseal(std::string_view line) {
    if (line.size() < kSealSize)
        return std::nullopt;
    const std::string_view body = line.substr(0, line.size() - kSealSize);
    const auto end = sealOf(body);
    if (line.substr(body.size()) != std::string_view(end.data(), end.size()))
        return std::nullopt;
    return body;
}

/// Far from the ends of 64 bits, so that no sum or difference of two instants overflows.
bool sane(std::int64_t ns) {
    constexpr std::int64_t kLatest = std::int64_t{1} << 61;
    return ns >= 0 && ns <= kLatest;
}

std::optional<std::uint32_t> u32Member(const json& object, const char* name) {
    const auto value = integerMember(object, name);
    return value && std::in_range<std::uint32_t>(*value) ? std::optional(static_cast<std::uint32_t>(*value))
                                                         : std::nullopt;
}

std::optional<int> intMember(const json& object, const char* name) {
    const auto value = integerMember(object, name);
    return value && std::in_range<int>(*value) ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

std::optional<Instant> instantMember(const json& object, const char* name) {
    const auto value = integerMember(object, name);
    return value && sane(*value) ? std::optional(instantFromNs(*value)) : std::nullopt;
}

json cardToJson(const RunCard& card) {
    json object = json::object();
    const auto put = [&](const char* name, const auto& value) {
        if (value)
            object[name] = *value;
    };
    put("model", card.model);
    put("quantization", card.quantization);
    put("hardware", card.hardware);
    put("scheduler", card.scheduler);
    put("kv_type", card.kvType);
    put("speculative_decoding", card.speculativeDecoding);
    put("server_version", card.serverVersion);
    put("batch", card.batch);
    put("concurrency", card.concurrency);
    put("context_length", card.contextLength);
    object["client_version"] = card.clientVersion;
    return object;
}

RunCard cardFromJson(const json& object) {
    RunCard card;
    card.model = textMember(object, "model");
    card.quantization = textMember(object, "quantization");
    card.hardware = textMember(object, "hardware");
    card.scheduler = textMember(object, "scheduler");
    card.kvType = textMember(object, "kv_type");
    card.speculativeDecoding = textMember(object, "speculative_decoding");
    card.serverVersion = textMember(object, "server_version");
    card.batch = intMember(object, "batch");
    card.concurrency = intMember(object, "concurrency");
    card.contextLength = intMember(object, "context_length");
    card.clientVersion = textMember(object, "client_version").value_or("");
    return card;
}

json specToJson(const RunSpec& spec) {
    return parseJson(runSpecToJson(spec)).value_or(json::object());
}

RunSpec specFromJson(const json& line) {
    const json* spec = member(line, "spec");
    return spec == nullptr ? RunSpec{} : runSpecFromJson(dumpJson(*spec)).value_or(RunSpec{});
}

/// Lines of a type whose members are not as they should be are left out like those of an unknown type.
RecordingLine parseHeader(const json& line) {
    const auto schema = intMember(line, "schema");
    if (textMember(line, "format") != "decodescope-recording" || !schema || *schema < 1)
        return UnknownLine{};
    HeaderLine header;
    header.schema = *schema;
    header.header.app = textMember(line, "app").value_or("");
    header.header.startedUtc = textMember(line, "started_utc").value_or("");
    if (const json* machine = member(line, "machine"); machine != nullptr && machine->is_object())
        header.header.machineJson = dumpJson(*machine);
    header.header.clock = clockSourceFromString(textMember(line, "clock").value_or(""));
    header.header.note = textMember(line, "note").value_or("");
    return header;
}

bool saneLane(std::optional<std::uint32_t> lane) {
    constexpr std::uint32_t kMostLanes = 4096;
    return lane && *lane < kMostLanes;
}

/// As many as a session may have lanes: whatever a file says, letters do not run out.
constexpr int kMostLooks = 4096;

RecordingLine parseLane(const json& line) {
    const auto lane = u32Member(line, "lane");
    if (!saneLane(lane))
        return UnknownLine{};
    LaneLine result;
    result.lane.lane = static_cast<int>(*lane);
    result.lane.name = textMember(line, "name").value_or("");
    result.lane.spec = specFromJson(line);
    if (const auto look = intMember(line, "look"); look && *look >= 0 && *look < kMostLooks)
        result.lane.look = *look;
    return result;
}

RecordingLine parseRun(const json& line) {
    const auto run = u32Member(line, "run");
    const auto lane = u32Member(line, "lane");
    if (!run || !saneLane(lane))
        return UnknownLine{};
    RunLine result;
    result.run = *run;
    RunRecord& asked = result.asked;
    asked.spec = specFromJson(line);
    asked.route = textMember(line, "route").value_or("");
    asked.requestBody = textMember(line, "request").value_or("");
    asked.startedUtc = textMember(line, "started_utc").value_or("");
    asked.lane = static_cast<int>(*lane);
    asked.repeat = intMember(line, "repeat").value_or(1);
    asked.warmup = boolMember(line, "warmup").value_or(false);
    if (const json* card = member(line, "card"))
        asked.card = cardFromJson(*card);
    asked.clock = clockSourceFromString(textMember(line, "clock").value_or(""));
    return result;
}

RecordingLine parseMark(const json& line) {
    const auto run = u32Member(line, "run");
    const auto at = instantMember(line, "t");
    const auto name = textMember(line, "mark");
    if (!run || !at || !name)
        return UnknownLine{};
    for (const auto& [kind, text] : kMarks) {
        if (*name != text)
            continue;
        MarkLine result{*run, *at, {}};
        result.milestone.kind = kind;
        result.milestone.warm = boolMember(line, "warm").value_or(false);
        if (const auto took = integerMember(line, "took_ns"); took && sane(*took))
            result.milestone.openingTook = Duration(*took);
        if (const auto took = integerMember(line, "tls_ns"); took && sane(*took))
            result.milestone.tlsTook = Duration(*took);
        result.milestone.tlsVersion = textMember(line, "tls").value_or("");
        result.milestone.unverified = !boolMember(line, "tls_verified").value_or(true);
        result.milestone.proxy = textMember(line, "proxy").value_or("");
        constexpr std::int64_t kFarthest = std::int64_t{1} << 61;
        if (const auto moved = integerMember(line, "moved_ns"); moved && *moved >= -kFarthest && *moved <= kFarthest)
            result.milestone.moved = Duration(*moved);
        return result;
    }
    return UnknownLine{};
}

RecordingLine parseBytes(const json& line) {
    const auto run = u32Member(line, "run");
    const auto at = instantMember(line, "t");
    const auto read = u32Member(line, "read");
    const auto text = textMember(line, "b64");
    BytesLine result;
    if (!run || !at || !read || !text || !decodeBase64(*text, result.chunk.bytes))
        return UnknownLine{};
    result.run = *run;
    result.chunk.at = *at;
    result.chunk.read = *read;
    return result;
}

std::optional<Duration> durationMember(const json& object, const char* name) {
    const auto value = integerMember(object, name);
    return value && sane(*value) ? std::optional(Duration(*value)) : std::nullopt;
}

RecordingLine parseStamps(const json& line) {
    const auto run = u32Member(line, "run");
    const auto source = textMember(line, "clock");
    if (!run || !source)
        return UnknownLine{};
    StampsLine result;
    result.run = *run;
    result.stamps.source = clockSourceFromString(*source);
    result.stamps.errorBound = durationMember(line, "error_bound_ns");
    result.stamps.kernelStamps = u32Member(line, "kernel_stamps").value_or(0);
    result.stamps.rejected = u32Member(line, "rejected").value_or(0);
    result.stamps.largestLag = durationMember(line, "largest_lag_ns").value_or(Duration{});
    return result;
}

RecordingLine parseHiccup(const json& line) {
    const auto run = u32Member(line, "run");
    const auto due = instantMember(line, "due");
    const auto woke = instantMember(line, "woke");
    if (!run || !due || !woke || *woke < *due)
        return UnknownLine{};
    return HiccupLine{*run, {*due, *woke}};
}

RecordingLine parseEnd(const json& line) {
    const auto run = u32Member(line, "run");
    const auto at = instantMember(line, "t");
    if (!run || !at)
        return UnknownLine{};
    EndLine result;
    result.run = *run;
    result.end.at = *at;
    // A kind of a later version is still a failure: it must not turn into a clean end.
    result.end.kind = errorKindFromString(textMember(line, "kind").value_or("")).value_or(ErrorKind::connectionClosed);
    result.end.message = textMember(line, "message").value_or("");
    return result;
}

/// Takes `text` off the front of `rest`, or fails.
bool take(std::string_view& rest, std::string_view text) {
    if (!rest.starts_with(text))
        return false;
    rest.remove_prefix(text.size());
    return true;
}

template <class T> bool takeNumber(std::string_view& rest, T& value) {
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc())
        return false;
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    return true;
}

constexpr std::string_view kBytesBegin = R"({"type":"bytes","run":)";

/// Reads a bytes line in exactly the shape in which appendBytesLine writes it: nearly all of a recording is such
/// lines, and the general parser would make opening one several times slower.
std::optional<BytesLine> scanBytes(std::string_view body) {
    BytesLine line;
    std::int64_t ns = 0;
    if (!take(body, kBytesBegin) || !takeNumber(body, line.run) || !take(body, R"(,"t":)") || !takeNumber(body, ns) ||
        !take(body, R"(,"read":)") || !takeNumber(body, line.chunk.read) || !take(body, R"(,"b64":")") ||
        body.empty() || body.back() != '"' || !sane(ns))
        return std::nullopt;
    body.remove_suffix(1);
    if (!decodeBase64(body, line.chunk.bytes))
        return std::nullopt;
    line.chunk.at = instantFromNs(ns);
    return line;
}

} // namespace

namespace {

/// What was asked; a prompt may repeat a key, of this lane or of another one.
json askedJson(const RunSpec& spec) {
    RunSpec shown = spec;
    shown.laneName = withoutLiveKeys(spec.laneName);
    shown.system = withoutLiveKeys(spec.system);
    shown.prompt = withoutLiveKeys(spec.prompt);
    return specToJson(shown);
}

} // namespace

void appendHeaderLine(std::string& out, const RecordingHeader& header) {
    json members = json::object();
    members["format"] = "decodescope-recording";
    members["schema"] = kRecordingSchema;
    members["formulas"] = kFormulasVersion;
    members["app"] = header.app;
    members["started_utc"] = header.startedUtc;
    members["machine"] = parseJson(header.machineJson).value_or(json::object());
    members["clock"] = toString(header.clock);
    members["note"] = withoutLiveKeys(header.note);
    sealJson(out, "header", members);
}

void appendLaneLine(std::string& out, const RecordedLane& lane) {
    json members = json::object();
    members["lane"] = lane.lane;
    members["name"] = withoutLiveKeys(lane.name);
    members["spec"] = askedJson(lane.spec);
    if (lane.look)
        members["look"] = *lane.look;
    sealJson(out, "lane", members);
}

void appendRunLine(std::string& out, std::uint32_t run, const RunRecord& asked) {
    json members = json::object();
    members["run"] = run;
    members["lane"] = asked.lane;
    members["repeat"] = asked.repeat;
    members["warmup"] = asked.warmup;
    members["clock"] = toString(asked.clock);
    members["started_utc"] = asked.startedUtc;
    members["route"] = urlWithoutSecrets(asked.route);
    members["request"] = withoutLiveKeys(asked.requestBody);
    members["card"] = cardToJson(asked.card);
    members["spec"] = askedJson(asked.spec);
    sealJson(out, "run", members);
}

void appendMarkLine(std::string& out, std::uint32_t run, Instant at, const Milestone& milestone) {
    const std::size_t begin = out.size();
    std::string_view name;
    for (const auto& [kind, text] : kMarks) {
        if (kind == milestone.kind)
            name = text;
    }
    fmt::format_to(std::back_inserter(out), R"({{"type":"mark","run":{},"t":{},"mark":"{}")", run, toNs(at), name);
    if (milestone.kind == Milestone::Kind::connected)
        fmt::format_to(std::back_inserter(out), R"(,"warm":{},"took_ns":{})", milestone.warm,
                       toNs(milestone.openingTook));
    if (!milestone.tlsVersion.empty())
        fmt::format_to(std::back_inserter(out), R"(,"tls":{},"tls_ns":{})", dumpJson(milestone.tlsVersion),
                       toNs(milestone.tlsTook));
    if (milestone.unverified)
        out += R"(,"tls_verified":false)";
    if (!milestone.proxy.empty())
        fmt::format_to(std::back_inserter(out), R"(,"proxy":{})", dumpJson(milestone.proxy));
    if (milestone.moved != Duration{})
        fmt::format_to(std::back_inserter(out), R"(,"moved_ns":{})", toNs(milestone.moved));
    seal(out, begin);
}

void appendBytesLine(std::string& out, std::uint32_t run, Instant at, std::uint32_t read, std::string_view bytes) {
    const std::size_t begin = out.size();
    fmt::format_to(std::back_inserter(out), R"({{"type":"bytes","run":{},"t":{},"read":{},"b64":")", run, toNs(at),
                   read);
    appendBase64(out, bytes);
    out += '"';
    seal(out, begin);
}

void appendStampsLine(std::string& out, std::uint32_t run, Instant at, const StampReport& stamps) {
    const std::size_t begin = out.size();
    fmt::format_to(std::back_inserter(out),
                   R"({{"type":"stamps","run":{},"t":{},"clock":"{}","kernel_stamps":{},"rejected":{})", run, toNs(at),
                   toString(stamps.source), stamps.kernelStamps, stamps.rejected);
    fmt::format_to(std::back_inserter(out), R"(,"largest_lag_ns":{})", toNs(stamps.largestLag));
    if (stamps.errorBound)
        fmt::format_to(std::back_inserter(out), R"(,"error_bound_ns":{})", toNs(*stamps.errorBound));
    seal(out, begin);
}

void appendHiccupLine(std::string& out, std::uint32_t run, const Hiccup& hiccup) {
    const std::size_t begin = out.size();
    fmt::format_to(std::back_inserter(out), R"({{"type":"hiccup","run":{},"due":{},"woke":{})", run, toNs(hiccup.due),
                   toNs(hiccup.woke));
    seal(out, begin);
}

void appendEndLine(std::string& out, std::uint32_t run, Instant at, ErrorKind kind, std::string_view message) {
    json members = json::object();
    members["run"] = run;
    members["t"] = toNs(at);
    members["kind"] = toString(kind);
    members["message"] = message;
    sealJson(out, "end", members);
}

std::optional<RecordingLine> parseRecordingLine(std::string_view line) {
    const auto body = unseal(line);
    if (!body)
        return std::nullopt;
    if (auto bytes = scanBytes(*body))
        return RecordingLine(std::move(*bytes));
    const auto object = parseJson(line);
    if (!object || !object->is_object())
        return std::nullopt;
    const std::string type = textMember(*object, "type").value_or("");
    if (type == "header")
        return parseHeader(*object);
    if (type == "lane")
        return parseLane(*object);
    if (type == "run")
        return parseRun(*object);
    if (type == "mark")
        return parseMark(*object);
    if (type == "bytes")
        return parseBytes(*object);
    if (type == "stamps")
        return parseStamps(*object);
    if (type == "hiccup")
        return parseHiccup(*object);
    if (type == "end")
        return parseEnd(*object);
    return UnknownLine{};
}

} // namespace decodescope
