#include "ui/view_state.h"

namespace decodescope {
namespace {

template <class T> bool replaced(T& member, const T& value) {
    if (member == value)
        return false;
    member = value;
    return true;
}

} // namespace

void ViewState::setCursorS(std::optional<double> seconds) {
    if (!m_cursorFrozen && replaced(m_cursorS, seconds))
        emit cursorChanged();
}

void ViewState::setCursorFrozen(bool frozen) {
    if (replaced(m_cursorFrozen, frozen))
        emit cursorChanged();
}

void ViewState::setHovered(std::optional<TokenRef> token) {
    if (replaced(m_hovered, token))
        emit hoveredChanged();
}

void ViewState::setSelected(std::optional<TokenRef> token) {
    if (replaced(m_selected, token))
        emit selectedChanged();
}

void ViewState::setStall(std::optional<StallRef> stall) {
    if (replaced(m_stall, stall))
        emit stallChanged();
}

void ViewState::setFront(std::optional<LaneId> lane) {
    if (replaced(m_front, lane))
        emit frontChanged();
}

void ViewState::setTimeRange(std::optional<std::pair<double, double>> range) {
    if (replaced(m_timeRange, range))
        emit timeRangeChanged();
}

void ViewState::setUnit(RateUnit unit) {
    if (replaced(m_unit, unit))
        emit unitChanged();
}

void ViewState::setOrigin(TimeOrigin origin) {
    if (replaced(m_origin, origin))
        emit originChanged();
}

void ViewState::clear() {
    setCursorFrozen(false);
    setCursorS(std::nullopt);
    setHovered(std::nullopt);
    setStall(std::nullopt);
    setSelected(std::nullopt);
}

} // namespace decodescope
