#include "core/record/hand_on.h"

namespace decodescope {

void handOn(const RunRecord& record, const RawLog& raw, RawSink& sink) {
    const auto milestone = [&sink](const std::optional<Instant>& at, const Milestone& what) {
        if (at)
            sink.onMilestone(*at, what);
    };
    milestone(record.started, {.kind = Milestone::Kind::started, .moved = record.moved});
    milestone(record.connected, {.kind = Milestone::Kind::connected,
                                 .warm = record.warmConnection,
                                 .openingTook = record.openingTook.value_or(Duration{}),
                                 .tlsTook = record.tlsTook.value_or(Duration{}),
                                 .tlsVersion = record.tlsVersion,
                                 .unverified = record.tlsUnverified,
                                 .proxy = record.proxy});
    if (!record.connected && !record.proxy.empty())
        milestone(record.finished, {.kind = Milestone::Kind::routed, .proxy = record.proxy});
    milestone(record.sent, {.kind = Milestone::Kind::sent});
    milestone(record.firstByte, {.kind = Milestone::Kind::firstByte});
    for (std::uint32_t read = 0; read < raw.chunkCount(); ++read) {
        if (const auto chunk = raw.chunk(read))
            sink.onChunk(chunk->at, chunk->read, chunk->bytes);
    }
    for (const Hiccup& hiccup : record.hiccups)
        sink.onHiccup(hiccup);
    if (record.finished && record.stamps)
        sink.onStamps(*record.finished, *record.stamps);
    if (record.finished && record.end)
        sink.onEnd(*record.finished, record.end->kind, record.end->message);
}

} // namespace decodescope
