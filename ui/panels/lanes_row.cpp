#include "ui/panels/lanes_row.h"

#include "ui/panels/controls.h"
#include "ui/text/token_text_view.h"
#include "ui/window/replay_controller.h"

#include <QApplication>
#include <QGridLayout>
#include <QResizeEvent>
#include <QVBoxLayout>

#include <algorithm>

namespace decodescope {
namespace {

constexpr int kGutter = 6;
constexpr int kOneRow = 4; ///< lanes that stand in one row
constexpr int kLeastWidth = 250;
constexpr int kCardHeight = 212;
constexpr int kRoomyHeight = 900;

} // namespace

LanesRow::LanesRow(ViewState& view, QWidget* parent)
    : QScrollArea(parent)
    , m_view(view)
    , m_content(new QWidget(this))
    , m_grid(new QGridLayout(m_content))
    , m_empty(new QWidget(m_content)) {
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setFocusPolicy(Qt::NoFocus);
    setVerticalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    setAccessibleName(tr("Lanes"));
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setSpacing(kGutter);
    auto* words = new QVBoxLayout(m_empty);
    words->addStretch(1);
    auto* title = new RoleLabel(tr("No lane yet"), &Colours::ink, Type::heading, m_empty);
    title->setAlignment(Qt::AlignCenter);
    auto* text = new RoleLabel(tr("A lane is one model at one endpoint. Two or more make a race."), &Colours::ink2,
                               Type::body, m_empty);
    text->setAlignment(Qt::AlignCenter);
    auto* add = new ActionButton(QStringLiteral("plus"), tr("Add lane..."), tr("Ctrl+N"), m_empty);
    connect(add, &QPushButton::clicked, this, &LanesRow::addAsked);
    words->addWidget(title);
    words->addWidget(text);
    words->addSpacing(8);
    words->addWidget(add, 0, Qt::AlignHCenter);
    words->addStretch(1);
    m_grid->addWidget(m_empty, 0, 0);
    setWidget(m_content);
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) { focusMoved(now); });
}

LaneCard* LanesRow::makeCard(LaneId lane) {
    auto* made = new LaneCard(m_view, m_content);
    made->setLaneId(lane);
    connect(made, &LaneCard::editRequested, this, &LanesRow::editAsked);
    connect(made, &LaneCard::changeKeyRequested, this, &LanesRow::keyAsked);
    connect(made, &LaneCard::trustRequested, this, &LanesRow::trustAsked);
    connect(made, &LaneCard::duplicateRequested, this, &LanesRow::duplicateAsked);
    connect(made, &LaneCard::removeRequested, this, &LanesRow::removeAsked);
    connect(made, &LaneCard::moveRequested, this, &LanesRow::moveAsked);
    connect(made, &LaneCard::runRequested, this, &LanesRow::runAsked);
    connect(made, &LaneCard::stopRequested, this, &LanesRow::stopAsked);
    connect(made, &LaneCard::bytesRequested, this, &LanesRow::bytesAsked);
    made->setEditable(m_editable);
    return made;
}

LaneCard* LanesRow::card(LaneId lane) const {
    const auto found = std::ranges::find(m_cards, lane, &LaneCard::laneId);
    return found == m_cards.end() ? nullptr : *found;
}

void LanesRow::setLanes(const Session& session) {
    std::vector<LaneCard*> cards;
    for (const auto& lane : session.lanes()) {
        LaneCard* kept = card(lane->config().id);
        cards.push_back(kept ? kept : makeCard(lane->config().id));
    }
    for (LaneCard* old : m_cards) {
        if (std::ranges::find(cards, old) == cards.end()) {
            m_grid->removeWidget(old);
            old->hide();
            old->deleteLater(); // its own menu may have asked for this
        }
    }
    m_cards = std::move(cards);
    if (!card(m_current)) {
        m_current = m_cards.empty() ? 0 : m_cards.front()->laneId();
        emit currentChanged();
    }
    layOut();
    for (LaneCard* each : m_cards) {
        each->show();
        each->advance(session);
    }
    find(m_words);
}

void LanesRow::layOut() {
    for (LaneCard* each : m_cards)
        m_grid->removeWidget(each);
    m_empty->setVisible(m_cards.empty());
    const int count = static_cast<int>(m_cards.size());
    const int rows = count > kOneRow ? 2 : 1;
    const int columns = std::max(1, (count + rows - 1) / rows);
    // Two rows want the height of two whole cards where the window has it.
    setMinimumHeight(rows == 2 && window()->height() >= kRoomyHeight ? 2 * kCardHeight + kGutter : 0);
    for (int i = 0; i < count; ++i)
        m_grid->addWidget(m_cards[static_cast<std::size_t>(i)], i / columns, i % columns);
    for (int column = 0; column < std::max(columns, m_grid->columnCount()); ++column) {
        m_grid->setColumnStretch(column, column < columns ? 1 : 0);
        m_grid->setColumnMinimumWidth(column, column < columns ? kLeastWidth : 0);
    }
    for (int row = 0; row < std::max(rows, m_grid->rowCount()); ++row)
        m_grid->setRowStretch(row, row < rows ? 1 : 0);
}

void LanesRow::advance(const Session& session, const ReplayController* replay) {
    double longest = 0;
    for (LaneCard* each : m_cards)
        longest = std::max(longest, each->tokenEvents());
    const bool playing = replay && replay->begun() && !replay->atEnd();
    for (LaneCard* each : m_cards) {
        each->setTokenScale(longest);
        const Lane* lane = session.lane(each->laneId());
        const bool inFlight = playing && lane && lane->inFlight();
        each->setReplay(inFlight
                            ? std::optional(ReplayPosition{.atS = replay->positionS(), .totalS = replay->durationS()})
                            : std::nullopt);
        each->advance(session);
    }
}

void LanesRow::setEditable(bool editable) {
    m_editable = editable;
    m_empty->setEnabled(editable);
    for (LaneCard* each : m_cards)
        each->setEditable(editable);
}

void LanesRow::focusLane(int index, Qt::FocusReason reason) {
    if (index < static_cast<int>(m_cards.size()))
        m_cards[static_cast<std::size_t>(index)]->takeFocus(reason);
}

void LanesRow::focusMoved(QWidget* now) {
    for (LaneCard* each : m_cards) {
        if (now && each->isAncestorOf(now) && each->laneId() != m_current) {
            m_current = each->laneId();
            emit currentChanged();
        }
    }
}

void LanesRow::copy() const {
    if (LaneCard* shown = card(m_current))
        shown->text().copy();
}

void LanesRow::find(const QString& words) {
    const bool searching = !words.isEmpty() || !m_words.isEmpty();
    m_words = words;
    if (!searching)
        return;
    for (LaneCard* each : m_cards)
        static_cast<void>(each->text().find(words, FindStep::stay));
    if (words.isEmpty())
        emit hitsChanged(-1, -1);
    else
        tellHits(0);
}

void LanesRow::findNext(bool backwards) {
    if (m_words.isEmpty() || m_cards.empty())
        return;
    // From the current lane on; when its last place is shown, the next lane that has one.
    const auto start = static_cast<std::size_t>(
        std::max<std::ptrdiff_t>(0, std::ranges::find(m_cards, m_current, &LaneCard::laneId) - m_cards.begin()));
    const std::size_t count = m_cards.size();
    for (std::size_t step = 0; step <= count; ++step) {
        const std::size_t index = (start + (backwards ? count * 2 - step : step)) % count;
        LaneCard* each = m_cards[index % count];
        const FindResult before = each->text().findResult();
        const bool exhausted = before.current == (backwards ? 1 : before.count);
        if (before.count == 0 || (step == 0 && before.current > 0 && exhausted && count > 1))
            continue;
        static_cast<void>(each->text().find(m_words, backwards ? FindStep::previous : FindStep::next));
        m_current = each->laneId();
        emit currentChanged();
        tellHits(index % count);
        return;
    }
}

void LanesRow::tellHits(std::size_t shown) {
    int before = 0;
    int all = 0;
    for (std::size_t i = 0; i < m_cards.size(); ++i) {
        const FindResult result = m_cards[i]->text().findResult();
        before += i < shown ? result.count : 0;
        all += result.count;
    }
    const int inLane = shown < m_cards.size() ? m_cards[shown]->text().findResult().current : 0;
    emit hitsChanged(inLane > 0 ? before + inLane : 0, all);
}

void LanesRow::resizeEvent(QResizeEvent* event) {
    QScrollArea::resizeEvent(event);
    layOut();
}

} // namespace decodescope
