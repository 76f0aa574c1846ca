#include "core/record/synthetic_run.h"

#include <utility>

namespace decodescope {

RecordedRun syntheticRun(const SyntheticSpec& spec, Instant started) {
    RecordedRun run;
    run.asked.spec.endpoint.model = spec.model;
    run.asked.clock = ClockSource::synthetic;
    run.milestones = {
        {started, {Milestone::Kind::started}},
        {started, {Milestone::Kind::connected, false, fromSeconds(spec.connectMs / 1e3)}},
        {started, {Milestone::Kind::sent}},
    };
    SyntheticStream stream(spec);
    while (auto read = stream.next()) {
        const Instant at = started + read->at;
        if (run.chunks.empty())
            run.milestones.push_back({at, {Milestone::Kind::firstByte}});
        run.chunks.push_back({at, static_cast<std::uint32_t>(run.chunks.size()), std::move(read->bytes)});
    }
    run.end = TransportEnd{run.chunks.back().at, ErrorKind::none, {}};
    return run;
}

} // namespace decodescope
