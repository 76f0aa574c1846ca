#pragma once

#include "core/session/session.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace decodescope::test {

/// A session that shows finished (or half-way) runs, as an opened recording does: for views in tests.
class ShownSession {
public:
    ShownSession()
        : m_session([](const RunSpec&, SourceOutput) { return std::unique_ptr<TokenSource>(); }, m_clock) {}

    /// One more lane, with ids from 1; `reads` are kept as its raw bytes, stamped like the reads of the last run.
    LaneId addLane(const std::string& name, std::vector<RunRecord> runs, const std::vector<std::string>& reads = {}) {
        LaneConfig config;
        config.id = static_cast<LaneId>(m_lanes.size() + 1);
        config.look = static_cast<int>(m_lanes.size());
        config.spec.laneName = name;
        if (!runs.empty())
            config.spec.endpoint = runs.back().spec.endpoint;
        m_lanes.push_back(config);
        m_runs.emplace_back();
        for (RunRecord& record : runs) {
            auto run = std::make_shared<LaneRun>();
            run->record = std::make_shared<RunRecord>(std::move(record));
            run->raw = std::make_shared<RawLog>();
            for (std::size_t i = 0; i < reads.size(); ++i)
                run->raw->onChunk(stampOf(*run->record, i), static_cast<std::uint32_t>(i), reads[i]);
            run->live.update(*run->record);
            if (run->record->outcome != Outcome::running)
                run->summary = summarize(*run->record);
            m_runs.back().push_back(std::move(run));
        }
        m_session.setLanes(m_lanes);
        for (std::size_t i = 0; i < m_lanes.size(); ++i)
            m_session.showRuns(m_lanes[i].id, m_runs[i]);
        return config.id;
    }

    [[nodiscard]] Session& session() { return m_session; }
    [[nodiscard]] const RunRecord& record(LaneId id) const { return *m_runs[id - 1].back()->record; }

private:
    static Instant stampOf(const RunRecord& record, std::size_t read) {
        for (const TokenEvent& e : record.events)
            if (e.read == read)
                return e.at;
        return record.firstByte.value_or(record.started.value_or(Instant{}));
    }

    FakeClock m_clock;
    Session m_session;
    std::vector<LaneConfig> m_lanes;
    std::vector<std::vector<std::shared_ptr<LaneRun>>> m_runs;
};

} // namespace decodescope::test
