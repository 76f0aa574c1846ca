#include "core/metrics/stalls_together.h"

#include "core/source/request.h"

#include <fmt/format.h>

#include <algorithm>

namespace decodescope {
namespace {

constexpr double kMost = 0.75; ///< of the runs that were streaming

struct Span {
    Instant from{}, to{};
    [[nodiscard]] Duration length() const { return to - from; }
};

/// A run on the time line that it shares with others.
struct Line {
    const RunRecord* record = nullptr;
    Span streams;
    std::vector<std::optional<Span>> stalls; ///< absent: one that is not compared
    std::size_t server = 0;                  ///< the first run of the same server
};

Line lineOf(const RunWithStalls& run) {
    Line line;
    line.record = run.record;
    const RunRecord& record = *run.record;
    line.stalls.resize(run.stalls->size());
    if (record.events.empty() || record.clock == ClockSource::synthetic)
        return line;
    line.streams = {record.events.front().at, record.finished.value_or(Instant::max())};
    const Instant origin = record.started.value_or(record.events.front().at);
    for (std::size_t i = 0; i < run.stalls->size(); ++i) {
        const Stall& stall = (*run.stalls)[i];
        const Instant from = origin + fromSeconds(stall.startS);
        if (stall.kind != StallKind::phase)
            line.stalls[i] = Span{from, from + fromSeconds(stall.lengthS)};
    }
    return line;
}

bool coincide(const Span& a, const Span& b) {
    const Duration both = std::min(a.to, b.to) - std::max(a.from, b.from);
    return both > Duration::zero() && both * 2 >= std::min(a.length(), b.length());
}

bool stalledThen(const Line& line, const Span& span) {
    return std::any_of(line.stalls.begin(), line.stalls.end(),
                       [&](const auto& stall) { return stall && coincide(*stall, span); });
}

struct Count {
    std::uint32_t stalled = 0, streaming = 0;
    [[nodiscard]] bool most() const { return stalled >= kMost * streaming; }
};

std::optional<StallOthers> judge(const Count& same, const Count& others) {
    StallOthers out;
    out.stalled = same.stalled + others.stalled;
    out.streaming = same.streaming + others.streaming;
    if (out.streaming < 2)
        return std::nullopt;
    if (others.stalled > 0 && Count{out.stalled, out.streaming}.most()) {
        out.side = StallSide::client;
        out.evidence = fmt::format("{} of the {} lanes that were streaming stalled together, and they have different "
                                   "servers: this points at the network or the machine on this side.",
                                   out.stalled, out.streaming);
    } else if (same.stalled > 1 && same.most() && others.streaming > others.stalled) {
        out.side = StallSide::server;
        out.evidence = fmt::format("{} of the {} lanes of this server stalled together while lanes of other servers "
                                   "went on: this points at that server or the way to it.",
                                   same.stalled, same.streaming);
    } else if (same.stalled > 1 && same.most()) {
        out.side = StallSide::either;
        out.evidence = fmt::format("{} of the {} lanes that were streaming stalled together, all of one server: it may "
                                   "be that server, the network or this machine.",
                                   same.stalled, same.streaming);
    } else {
        out.evidence =
            fmt::format("Of {} other lanes that were streaming, {} stalled too.", out.streaming - 1, out.stalled - 1);
    }
    return out;
}

} // namespace

std::vector<std::vector<std::optional<StallOthers>>> stallsTogether(const std::vector<RunWithStalls>& runs) {
    std::vector<Line> lines;
    std::vector<std::vector<std::optional<StallOthers>>> out;
    for (const RunWithStalls& run : runs) {
        Line line = lineOf(run);
        line.server = lines.size();
        for (std::size_t i = 0; i < lines.size() && line.server == lines.size(); ++i)
            if (lines[i].server == i && sameServer(lines[i].record->spec, line.record->spec))
                line.server = i;
        lines.push_back(std::move(line));
        out.emplace_back(run.stalls->size());
    }
    for (std::size_t r = 0; r < lines.size(); ++r) {
        for (std::size_t s = 0; s < lines[r].stalls.size(); ++s) {
            const auto& span = lines[r].stalls[s];
            if (!span)
                continue;
            Count same{1, 1};
            Count others;
            const Instant middle = span->from + span->length() / 2;
            for (std::size_t q = 0; q < lines.size(); ++q) {
                const Line& line = lines[q];
                const bool streams = line.streams.from <= middle && middle < line.streams.to;
                if (q == r || !streams || line.record->moved != lines[r].record->moved)
                    continue;
                Count& count = line.server == lines[r].server ? same : others;
                ++count.streaming;
                count.stalled += stalledThen(line, *span);
            }
            out[r][s] = judge(same, others);
        }
    }
    return out;
}

void markTogether(std::vector<Stall>& stalls, const std::vector<std::optional<StallOthers>>& others) {
    for (std::size_t i = 0; i < std::min(stalls.size(), others.size()); ++i)
        stalls[i].others = others[i];
}

} // namespace decodescope
