#include "core/record/recording.h"
#include "core/record/run_recorder.h"
#include "core/source/request.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

namespace decodescope {

DecoderOptions decoderOptions(const RunRecord& asked) {
    DecoderOptions options;
    options.protocol = asked.spec.endpoint.protocol;
    options.streamRequested = asked.spec.sampling.stream;
    options.thinkTags = asked.spec.endpoint.thinkTags;
    options.cumulative = asked.spec.endpoint.cumulative;
    options.requestUrl = asked.route;
    options.limits = responseLimits(asked.spec);
    return options;
}

std::shared_ptr<RunRecord> rebuild(const RecordedRun& run) {
    auto record = std::make_shared<RunRecord>(run.asked);
    RunRecorder recorder(record);
    for (const auto& [at, milestone] : run.milestones)
        recorder.apply({at, 0, 0, milestone});
    for (const Hiccup& hiccup : run.hiccups)
        recorder.apply({hiccup.woke, 0, 0, hiccup});

    auto decoder = StreamDecoder::create(decoderOptions(run.asked));
    if (!decoder) {
        recorder.apply({run.lastStamp(), 0, 0, errorEnd(ErrorKind::malformed, decoder.error().message)});
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
    if (run.stamps)
        recorder.apply({run.lastStamp(), 0, 0, *run.stamps});
    if (run.end) {
        (*decoder)->finish(*run.end, events);
        applyAll();
    }
    recorder.interrupt();
    return record;
}

std::vector<std::shared_ptr<RunRecord>> rebuildAll(const Recording& recording) {
    std::vector<std::shared_ptr<RunRecord>> records(recording.runs.size());
    sideBySide(records.size(), [&](std::size_t i) { records[i] = rebuild(*recording.runs[i]); });
    return records;
}

void sideBySide(std::size_t count, const std::function<void(std::size_t)>& one) {
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        for (std::size_t i = next++; i < count; i = next++)
            one(i);
    };
    const std::size_t processors = std::max(1U, std::thread::hardware_concurrency());
    std::vector<std::thread> helpers;
    for (std::size_t i = 1; i < std::min(processors, count); ++i)
        helpers.emplace_back(work);
    work();
    for (std::thread& helper : helpers)
        helper.join();
}

} // namespace decodescope
