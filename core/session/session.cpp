#include "core/session/session.h"

#include "core/base/redaction.h"
#include "core/source/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace decodescope {

namespace {

/// How long lanes that are ready wait for one that is still connecting. They are not held back for ever by an
/// endpoint whose connect time-out is long or switched off; the late lane then starts alone. A model on this machine
/// may take longer to load, and is waited for: its engine ends badly when it says nothing for too long.
constexpr Duration kBarrierPatience = std::chrono::seconds(15);

} // namespace

/// A plan on its way through some lanes.
struct Session::Campaign {
    std::vector<LaneId> lanes;
    RunPlan plan;
    int round = 0;             // warm-ups first, then repeats
    int turn = 0;              // in sequence: index into `lanes`
    std::vector<LaneId> group; // begun together, not all over yet
    Instant began{};
    bool barrierOpen = false;

    [[nodiscard]] int rounds() const { return plan.warmups + plan.repeats; }
};

struct Session::Progress {
    std::vector<Campaign> campaigns;
    std::vector<std::shared_ptr<LaneRun>> barrier; // runs of the latest barrier, until their spread is known
};

Session::Session(SourceFactory factory, const Clock& clock)
    : m_factory(std::move(factory))
    , m_clock(clock)
    , m_progress(std::make_unique<Progress>()) {}

Session::~Session() {
    if (m_listening)
        m_hiccups->unlisten();
}

Lane* Session::find(LaneId id) {
    const auto at = std::find_if(m_lanes.begin(), m_lanes.end(), [id](const auto& l) { return l->m_config.id == id; });
    return at == m_lanes.end() ? nullptr : at->get();
}

const Lane* Session::lane(LaneId id) const {
    const auto at = std::find_if(m_lanes.begin(), m_lanes.end(), [id](const auto& l) { return l->m_config.id == id; });
    return at == m_lanes.end() ? nullptr : at->get();
}

void Session::setLanes(std::vector<LaneConfig> lanes) {
    std::vector<std::unique_ptr<Lane>> next;
    next.reserve(lanes.size());
    for (LaneConfig& config : lanes) {
        const auto known = std::find_if(m_lanes.begin(), m_lanes.end(),
                                        [&](const auto& l) { return l && l->m_config.id == config.id; });
        if (config.spec.key)
            keepOutOfTexts(*config.spec.key);
        std::unique_ptr<Lane> lane = known == m_lanes.end() ? std::make_unique<Lane>() : std::move(*known);
        lane->m_config = std::move(config);
        ++lane->m_revision;
        next.push_back(std::move(lane));
    }
    m_lanes = std::move(next);
    for (Campaign& campaign : m_progress->campaigns)
        std::erase_if(campaign.lanes, [this](LaneId id) { return find(id) == nullptr; });
}

void Session::setJournal(std::shared_ptr<Journal> journal) {
    m_journal = std::move(journal);
}

void Session::setHiccups(std::shared_ptr<HiccupLog> hiccups) {
    if (std::exchange(m_listening, false))
        m_hiccups->unlisten();
    m_hiccups = std::move(hiccups);
    listenWhileActive();
}

void Session::listenWhileActive() {
    const bool wanted = m_hiccups && active();
    if (wanted == m_listening)
        return;
    m_listening = wanted;
    if (wanted)
        m_hiccups->listen();
    else
        m_hiccups->unlisten();
}

Result<void> Session::ready(const Lane& lane) const {
    const RunSpec& spec = lane.m_config.spec;
    if (spec.recorded)
        return {}; // nothing is asked
    if (const Result<std::string> route = routeText(spec); !route)
        return fail(ErrorCode::usage, fmt::format("Lane {}: {}", spec.laneName, route.error().message),
                    route.error().detail);
    if (const Result<std::string> body = requestBody(spec); !body)
        return fail(ErrorCode::usage, fmt::format("Lane {}: {}", spec.laneName, body.error().message),
                    body.error().detail);
    return {};
}

void Session::enroll(Lane& lane, int index) {
    lane.m_planSpec = lane.m_config.spec;
    lane.m_planIndex = index;
    lane.show({});
    if (m_journal) {
        RecordedLane recorded{index, lane.m_planSpec.laneName, lane.m_planSpec, lane.m_config.look};
        recorded.spec.key.reset();
        m_journal->addLane(recorded);
    }
}

Result<void> Session::start(const RunPlan& plan) {
    if (active())
        return fail(ErrorCode::usage, "A run is in progress. Stop it first.");
    if (m_lanes.empty())
        return fail(ErrorCode::usage, "There is no lane to run. Add one first.");
    if (plan.repeats < 1 || plan.warmups < 0)
        return fail(ErrorCode::usage, "A plan needs at least one repeat, and no fewer than 0 warm-up runs.");
    for (const auto& lane : m_lanes) {
        if (Result<void> ok = ready(*lane); !ok)
            return ok;
    }
    m_plan = plan;
    m_spread.reset();
    m_progress->barrier.clear();
    Campaign campaign;
    campaign.plan = plan;
    for (std::size_t i = 0; i < m_lanes.size(); ++i) {
        enroll(*m_lanes[i], static_cast<int>(i));
        campaign.lanes.push_back(m_lanes[i]->m_config.id);
    }
    m_progress->campaigns.push_back(std::move(campaign));
    beginTurn(m_progress->campaigns.back());
    listenWhileActive();
    return {};
}

Result<void> Session::startLane(LaneId id) {
    const auto at = std::find_if(m_lanes.begin(), m_lanes.end(), [id](const auto& l) { return l->m_config.id == id; });
    if (at == m_lanes.end())
        return fail(ErrorCode::usage, "This lane does not exist any more.");
    for (const Campaign& campaign : m_progress->campaigns) {
        if (std::find(campaign.lanes.begin(), campaign.lanes.end(), id) != campaign.lanes.end())
            return fail(ErrorCode::usage, "This lane is running. Stop it first.");
    }
    if ((*at)->inFlight())
        return fail(ErrorCode::usage, "This lane is still stopping. Try again in a moment.");
    if (Result<void> ok = ready(**at); !ok)
        return ok;
    enroll(**at, static_cast<int>(at - m_lanes.begin()));
    Campaign campaign;
    campaign.plan = m_plan;
    campaign.lanes = {id};
    m_progress->campaigns.push_back(std::move(campaign));
    beginTurn(m_progress->campaigns.back());
    listenWhileActive();
    return {};
}

void Session::stop() {
    m_progress->campaigns.clear();
    for (const auto& lane : m_lanes)
        lane->cancel();
}

void Session::stopLane(LaneId id) {
    for (Campaign& campaign : m_progress->campaigns) {
        const auto at = std::find(campaign.lanes.begin(), campaign.lanes.end(), id);
        if (at == campaign.lanes.end())
            continue;
        if (at - campaign.lanes.begin() <= campaign.turn)
            --campaign.turn; // the next turn is the lane after it
        campaign.lanes.erase(at);
    }
    if (Lane* lane = find(id))
        lane->cancel();
}

void Session::showRuns(LaneId id, std::vector<std::shared_ptr<LaneRun>> runs) {
    if (Lane* lane = find(id); lane && !lane->inFlight())
        lane->show(std::move(runs));
}

bool Session::active() const {
    return !m_progress->campaigns.empty() ||
           std::any_of(m_lanes.begin(), m_lanes.end(), [](const auto& l) { return l->inFlight(); });
}

void Session::beginTurn(Campaign& campaign) {
    if (campaign.plan.sequential)
        campaign.group = {campaign.lanes[static_cast<std::size_t>(campaign.turn)]};
    else
        campaign.group = campaign.lanes;
    campaign.began = m_clock.now();
    campaign.barrierOpen = false;

    const bool warmup = campaign.round < campaign.plan.warmups;
    for (std::size_t i = 0; i < campaign.group.size(); ++i) {
        const auto at = std::find_if(m_lanes.begin(), m_lanes.end(),
                                     [&](const auto& l) { return l->m_config.id == campaign.group[i]; });
        Lane::RunOrder order;
        order.laneIndex = (*at)->m_planIndex;
        order.warmup = warmup;
        order.repeat = 1 + (warmup ? campaign.round : campaign.round - campaign.plan.warmups);
        order.concurrency =
            static_cast<int>(std::count_if(campaign.group.begin(), campaign.group.end(), [&](LaneId other) {
                return other == campaign.group[i] || shareServer(find(other)->m_planSpec, (*at)->m_planSpec);
            }));
        (*at)->begin(tools(), order);
    }
}

void Session::releaseReady(Campaign& campaign) {
    std::vector<Lane*> ready;
    bool someStillConnect = false;
    bool someStillLoad = false;
    for (const LaneId id : campaign.group) {
        Lane* lane = find(id);
        if (!lane || !lane->waitsForRelease())
            continue;
        if (lane->m_ready)
            ready.push_back(lane);
        else if (lane->m_planSpec.local && !lane->m_planSpec.recorded)
            someStillLoad = true;
        else
            someStillConnect = true;
    }
    if (ready.empty())
        return;
    if (campaign.barrierOpen) { // a late lane: on its own
        for (Lane* lane : ready)
            lane->release({});
        return;
    }
    if (someStillLoad)
        return;
    if (someStillConnect && m_clock.now() - campaign.began < kBarrierPatience)
        return;
    campaign.barrierOpen = true;
    if (campaign.plan.sequential || ready.size() == 1) {
        ready.front()->release({});
        return;
    }
    m_progress->barrier.clear();
    m_spread.reset();
    const Instant together = m_clock.now();
    for (Lane* lane : ready) {
        lane->release(together);
        if (!lane->m_planSpec.recorded) // which sends nothing
            m_progress->barrier.push_back(lane->m_runs.back());
    }
}

/// Returns false when the campaign is over.
bool Session::advance(Campaign& campaign) {
    releaseReady(campaign);
    const bool running = std::any_of(campaign.group.begin(), campaign.group.end(), [this](LaneId id) {
        const Lane* l = find(id);
        return l && l->inFlight();
    });
    if (running)
        return true;
    if (campaign.plan.sequential && ++campaign.turn < static_cast<int>(campaign.lanes.size())) {
        beginTurn(campaign);
        return true;
    }
    campaign.turn = 0;
    if (++campaign.round >= campaign.rounds() || campaign.lanes.empty())
        return false;
    beginTurn(campaign);
    return true;
}

void Session::measureSpread() {
    auto& barrier = m_progress->barrier;
    if (barrier.empty())
        return;
    std::optional<Instant> first;
    std::optional<Instant> last;
    for (const auto& run : barrier) {
        const RunRecord& record = *run->record;
        if (!record.sent) {
            if (record.outcome == Outcome::running)
                return; // not sent yet
            continue;
        }
        first = first ? std::min(*first, *record.sent) : *record.sent;
        last = last ? std::max(*last, *record.sent) : *record.sent;
    }
    if (first)
        m_spread = *last - *first;
    barrier.clear();
}

bool Session::pump() {
    bool changed = false;
    for (std::size_t i = 0; i < m_lanes.size(); ++i) // by index: a handler may stop lanes
        changed = m_lanes[i]->pump(tools(), onEvent) || changed;
    measureSpread();
    std::vector<Campaign> going;
    const std::size_t before = m_progress->campaigns.size();
    for (Campaign& campaign : m_progress->campaigns) {
        if (advance(campaign))
            going.push_back(std::move(campaign));
    }
    m_progress->campaigns = std::move(going);
    listenWhileActive();
    return changed || m_progress->campaigns.size() != before;
}

} // namespace decodescope
