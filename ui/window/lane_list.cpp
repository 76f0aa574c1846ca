#include "ui/window/lane_list.h"

#include <QUndoCommand>

#include <algorithm>
#include <utility>

namespace decodescope {

/// One edit as the list before and after it: sixteen lanes at most, so whole copies are the simplest thing that
/// cannot get out of step.
class LaneList::Replace : public QUndoCommand {
public:
    Replace(LaneList& list, std::vector<LaneConfig> after, const QString& text)
        : QUndoCommand(text)
        , m_list(list)
        , m_before(list.m_lanes)
        , m_after(std::move(after)) {}
    void undo() override { set(m_before); }
    void redo() override { set(m_after); }

private:
    void set(const std::vector<LaneConfig>& lanes) {
        m_list.m_lanes = lanes;
        emit m_list.changed();
    }
    LaneList& m_list;
    std::vector<LaneConfig> m_before, m_after;
};

LaneList::LaneList(QObject* parent)
    : QObject(parent) {}

const LaneConfig* LaneList::find(LaneId id) const {
    const int index = indexOf(id);
    return index < 0 ? nullptr : &m_lanes[static_cast<std::size_t>(index)];
}

int LaneList::indexOf(LaneId id) const {
    const auto at = std::ranges::find(m_lanes, id, &LaneConfig::id);
    return at == m_lanes.end() ? -1 : static_cast<int>(at - m_lanes.begin());
}

int LaneList::freeLook(const std::vector<LaneConfig>& lanes) {
    int look = 0;
    while (std::ranges::find(lanes, look, &LaneConfig::look) != lanes.end())
        ++look;
    return look;
}

std::string LaneList::freeName(const std::string& wanted) const {
    const auto taken = [this](const std::string& name) {
        return std::ranges::any_of(m_lanes, [&](const LaneConfig& lane) { return lane.spec.laneName == name; });
    };
    if (!taken(wanted))
        return wanted;
    for (int n = 2;; ++n) {
        const std::string name = wanted + " (" + std::to_string(n) + ")";
        if (!taken(name))
            return name;
    }
}

void LaneList::push(std::vector<LaneConfig> after, const QString& text) {
    m_undo.push(new Replace(*this, std::move(after), text)); // the stack owns it and calls redo()
}

LaneId LaneList::add(const RunSpec& spec) {
    if (full())
        return 0;
    auto after = m_lanes;
    LaneConfig lane{.id = newId(), .look = freeLook(m_lanes), .spec = spec};
    lane.spec.laneName = freeName(lane.spec.laneName);
    const LaneId id = lane.id;
    after.push_back(std::move(lane));
    push(std::move(after), tr("Add lane"));
    return id;
}

LaneId LaneList::duplicate(LaneId id) {
    const int index = indexOf(id);
    if (index < 0 || full())
        return 0;
    auto after = m_lanes;
    LaneConfig lane = m_lanes[static_cast<std::size_t>(index)];
    lane.id = newId();
    lane.look = freeLook(m_lanes);
    lane.spec.laneName = freeName(lane.spec.laneName);
    const LaneId copy = lane.id;
    after.insert(after.begin() + index + 1, std::move(lane));
    push(std::move(after), tr("Duplicate lane"));
    return copy;
}

void LaneList::edit(LaneId id, const RunSpec& spec) {
    const int index = indexOf(id);
    if (index < 0)
        return;
    auto after = m_lanes;
    after[static_cast<std::size_t>(index)].spec = spec;
    push(std::move(after), tr("Edit lane"));
}

void LaneList::remove(LaneId id) {
    const int index = indexOf(id);
    if (index < 0)
        return;
    auto after = m_lanes;
    after.erase(after.begin() + index);
    push(std::move(after), tr("Remove lane"));
}

void LaneList::move(LaneId id, int toIndex) {
    const int index = indexOf(id);
    if (index < 0)
        return;
    const int target = std::clamp(toIndex, 0, static_cast<int>(m_lanes.size()) - 1);
    if (index == target)
        return;
    auto after = m_lanes;
    LaneConfig lane = std::move(after[static_cast<std::size_t>(index)]);
    after.erase(after.begin() + index);
    after.insert(after.begin() + target, std::move(lane));
    push(std::move(after), tr("Move lane"));
}

void LaneList::restore(std::vector<LaneConfig> lanes) {
    if (lanes.size() > kMaxLanes)
        lanes.resize(kMaxLanes);
    for (auto& lane : lanes)
        lane.id = newId();
    m_lanes = std::move(lanes);
    m_undo.clear();
    emit changed();
}

void LaneList::replaceAll(const std::vector<RunSpec>& specs, const QString& text) {
    std::vector<LaneConfig> after;
    for (const RunSpec& spec : specs) {
        if (after.size() == kMaxLanes)
            break;
        after.push_back({.id = newId(), .look = static_cast<int>(after.size()), .spec = spec});
    }
    push(std::move(after), text);
}

} // namespace decodescope
