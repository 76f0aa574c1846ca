#pragma once

#include "core/record/recording.h"
#include "core/record/recording_format.h"

#include <QByteArray>
#include <QFile>

#include <string>
#include <string_view>
#include <vector>

namespace decodescope::test {

inline RunRecord sampleAsked(int lane = 0) {
    RunRecord asked;
    asked.spec.laneName = "Lane é";
    asked.spec.endpoint.url = "http://127.0.0.1:8080";
    asked.spec.endpoint.model = "demo \"7b\"";
    asked.spec.endpoint.preset = "llama.cpp";
    asked.spec.endpoint.presetOptions = {"no-cache"};
    asked.spec.endpoint.connection = ConnectionUse::reuse;
    asked.spec.endpoint.key = {KeyReference::Kind::environment, "MY_VARIABLE"};
    asked.spec.system = "Be brief.";
    asked.spec.prompt = "Line one\nline two \U0001F600";
    asked.spec.sampling.maxTokens = 64;
    asked.spec.sampling.temperature = 0.25;
    asked.spec.sampling.seed = -5;
    asked.spec.sampling.reasoningEffort = "low";
    asked.spec.timeouts.total = std::chrono::seconds(90);
    asked.spec.timeouts.idle.reset();
    asked.spec.uniquePrefix = true;
    asked.route = "http://127.0.0.1:8080/v1/chat/completions";
    asked.requestBody = R"({"model":"demo","stream":true})";
    asked.startedUtc = "2026-03-01T12:34:56.789Z";
    asked.lane = lane;
    asked.repeat = 2;
    asked.warmup = true;
    asked.card.model = "demo";
    asked.card.contextLength = 4096;
    asked.card.clientVersion = "decodescope 0.1.0";
    asked.clock = ClockSource::user;
    return asked;
}

inline RecordingHeader sampleHeader() {
    RecordingHeader header;
    header.app = "decodescope 0.1.0";
    header.startedUtc = "2026-03-01T12:34:56.000Z";
    header.machineJson = R"({"cores":2,"cpu":"demo"})";
    header.note = "made by a test";
    return header;
}

/// A small recording with a run in each lane, as text.
inline std::string sampleRecording(std::uint32_t lanes = 2) {
    std::string text;
    appendHeaderLine(text, sampleHeader());
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        const RunRecord asked = sampleAsked(static_cast<int>(lane));
        appendLaneLine(text, {static_cast<int>(lane), "lane", asked.spec});
        appendRunLine(text, lane, asked);
        appendMarkLine(text, lane, instantFromNs(1000), {Milestone::Kind::started});
        appendMarkLine(text, lane, instantFromNs(2000), {Milestone::Kind::connected, true, Duration(77)});
        for (std::uint32_t read = 0; read < 4; ++read)
            appendBytesLine(text, lane, instantFromNs(3000 + 100 * read), read,
                            std::string_view("HTTP/1.1 200 OK\0\xff", 17).substr(0, 12 + read));
        appendHiccupLine(text, lane, {instantFromNs(4000), instantFromNs(5000)});
        appendStampsLine(text, lane, instantFromNs(9000), {ClockSource::kernel, Duration(750), 3, 1, Duration(4200)});
        appendEndLine(text, lane, instantFromNs(9000), ErrorKind::connectionClosed, "The peer closed.");
        appendHiccupLine(text, lane, {instantFromNs(8500), instantFromNs(9500)}); // noted when the run was over
    }
    return text;
}

/// Everything of a recording that can differ, as text to compare.
inline std::string contents(const Recording& recording) {
    std::string text = recording.header.app + recording.header.startedUtc + recording.header.machineJson +
                       recording.header.note + std::string(toString(recording.header.clock)) + '\n';
    for (const RecordedLane& lane : recording.lanes)
        appendLaneLine(text, lane);
    std::uint32_t number = 0;
    for (const auto& run : recording.runs) {
        appendRunLine(text, number, run->asked);
        for (const auto& [at, milestone] : run->milestones)
            appendMarkLine(text, number, at, milestone);
        for (const ByteChunk& chunk : run->chunks)
            appendBytesLine(text, number, chunk.at, chunk.read, chunk.bytes);
        for (const Hiccup& hiccup : run->hiccups)
            appendHiccupLine(text, number, hiccup);
        if (run->stamps)
            appendStampsLine(text, number, run->lastStamp(), *run->stamps);
        if (run->end)
            appendEndLine(text, number, run->end->at, run->end->kind, run->end->message);
        ++number;
    }
    return text;
}

inline std::string readAll(const std::string& path) {
    QFile file(QString::fromStdString(path));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    return file.readAll().toStdString();
}

} // namespace decodescope::test
