#include "app/jsonl_writer.h"

#include "app/run_json.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <utility>

namespace decodescope {

namespace {

std::string_view milestoneName(Milestone::Kind kind) {
    switch (kind) {
    case Milestone::Kind::started:
        return "started";
    case Milestone::Kind::connected:
        return "connected";
    case Milestone::Kind::sent:
        return "sent";
    case Milestone::Kind::firstByte:
        return "first_byte";
    case Milestone::Kind::routed:
        break;
    }
    return "routed";
}

bool bringsText(const TokenDelta& delta) {
    for (const Fragment& fragment : delta.fragments) {
        if (!fragment.text.empty())
            return true;
    }
    return false;
}

} // namespace

Json JsonlWriter::line(const std::string& lane, const RunRecord& record, Instant at, std::string_view event) const {
    Json json = Json::object();
    json["t_s"] = record.started ? jsonNumber(toSeconds(at - *record.started)) : Json(nullptr);
    json["lane"] = jsonText(lane);
    json["repeat"] = record.repeat;
    json["warmup"] = record.warmup;
    json["event"] = event;
    return json;
}

void JsonlWriter::put(const Json& json) {
    m_pending += jsonDump(json);
    m_pending += '\n';
}

void JsonlWriter::add(const std::string& lane, const RunRecord& record, const StreamEvent& event) {
    if (const auto* milestone = std::get_if<Milestone>(&event.what)) {
        put(line(lane, record, event.at, milestoneName(milestone->kind)));
    } else if (const auto* head = std::get_if<ResponseHead>(&event.what)) {
        Json json = line(lane, record, event.at, "response");
        json["http_status"] = head->status;
        put(json);
    } else if (const auto* delta = std::get_if<TokenDelta>(&event.what)) {
        if (!bringsText(*delta))
            return;
        if (!std::exchange(m_told[&record].firstToken, true))
            put(line(lane, record, event.at, "first_token"));
        Json json = line(lane, record, event.at, "token");
        json["index"] = record.events.empty() ? 0 : record.events.size() - 1;
        json["read"] = event.read;
        for (const Fragment& fragment : delta->fragments) {
            if (fragment.text.empty())
                continue;
            json["channel"] = toString(fragment.channel);
            json["choice"] = fragment.choice;
            json["text"] = jsonText(fragment.text);
            put(json);
        }
    } else if (const auto* usage = std::get_if<UsageReport>(&event.what)) {
        Json json = line(lane, record, event.at, "usage");
        json["prompt"] = jsonCount(usage->prompt);
        json["completion"] = jsonCount(usage->completion);
        json["reasoning"] = jsonCount(usage->reasoning);
        json["cached"] = jsonCount(usage->cached);
        put(json);
    } else if (const auto* finish = std::get_if<FinishReported>(&event.what)) {
        Json json = line(lane, record, event.at, "finish");
        json["choice"] = finish->choice;
        json["reason"] = jsonText(finish->reason);
        put(json);
    } else if (const auto* warning = std::get_if<WarningRaised>(&event.what)) {
        Json json = line(lane, record, event.at, "warning");
        json["name"] = jsonText(warning->name);
        put(json);
    } else if (const auto* hiccup = std::get_if<Hiccup>(&event.what)) {
        Json json = line(lane, record, event.at, "hiccup");
        json["late_s"] = jsonNumber(toSeconds(hiccup->late()));
        put(json);
    } else if (std::holds_alternative<Keepalive>(event.what)) {
        put(line(lane, record, event.at, "keepalive"));
    } else if (std::holds_alternative<StreamEnd>(event.what)) {
        Json json = line(lane, record, event.at, "end");
        json["outcome"] = toString(record.outcome);
        json["error"] = runErrorJson(record);
        put(json);
        m_told.erase(&record);
    }
}

void JsonlWriter::addStalls(const std::string& lane, const RunRecord& record, const std::vector<Stall>& stalls,
                            StallsTold which) {
    std::size_t& told = m_told[&record].stalls;
    for (; told < stalls.size(); ++told) {
        const Stall& stall = stalls[told];
        const bool decided = stall.kind != StallKind::open && stall.kind != StallKind::unknown;
        if (which == StallsTold::decided && !decided)
            return;
        const Instant end = record.started.value_or(Instant{}) + fromSeconds(stall.startS + stall.lengthS);
        Json json = line(lane, record, end, "stall");
        json.update(stallJson(stall));
        put(json);
    }
}

bool JsonlWriter::flush() {
    const bool written = std::fwrite(m_pending.data(), 1, m_pending.size(), stdout) == m_pending.size();
    m_pending.clear();
    return std::fflush(stdout) == 0 && written;
}

} // namespace decodescope
