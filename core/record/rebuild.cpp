#include "core/record/recording.h"
#include "core/record/run_recorder.h"

#include <utility>

namespace decodescope {

DecoderOptions decoderOptions(const RunRecord& asked) {
    DecoderOptions options;
    options.protocol = asked.spec.endpoint.protocol;
    options.streamRequested = asked.spec.sampling.stream;
    options.thinkTags = asked.spec.endpoint.thinkTags;
    options.requestUrl = asked.route;
    return options;
}

std::shared_ptr<RunRecord> rebuild(const RecordedRun& run) {
    auto record = std::make_shared<RunRecord>(run.asked);
    RunRecorder recorder(record);
    for (const auto& [at, milestone] : run.milestones)
        recorder.apply({at, 0, 0, milestone});

    auto decoder = StreamDecoder::create(decoderOptions(run.asked));
    if (!decoder) {
        StreamEnd end;
        end.verdict = StreamEnd::Verdict::error;
        end.kind = ErrorKind::malformed;
        end.message = decoder.error().message;
        recorder.apply({run.lastStamp(), 0, 0, std::move(end)});
        return record;
    }
    std::vector<StreamEvent> events;
    const auto applyAll = [&] {
        for (const StreamEvent& event : events)
            recorder.apply(event);
        events.clear();
    };
    for (const ByteChunk& chunk : run.chunks) {
        (*decoder)->feed(chunk, events);
        applyAll();
    }
    if (run.end) {
        (*decoder)->finish(*run.end, events);
        applyAll();
    }
    recorder.interrupt();
    return record;
}

} // namespace decodescope
