#include "ui/lane/lane_card.h"

#include "ui/lane/failure_words.h"
#include "ui/lane/lane_head.h"
#include "ui/lane/reading_row.h"
#include "ui/text/heat_strip.h"
#include "ui/text/token_text_view.h"
#include "ui/theme/look.h"
#include "ui/theme/plain_tip.h"

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QIcon>
#include <QMenu>
#include <QPainter>
#include <QToolButton>

#include <algorithm>

namespace decodescope {
namespace {

constexpr int kSide = 10;
constexpr int kMinWidth = 250;
constexpr int kMinHeight = 212;
constexpr int kStripAbove = 4;
constexpr int kTextAbove = 8;
constexpr int kFooterHeight = 18;
constexpr int kFooterBottom = 7;
constexpr int kButtonSide = 22;
constexpr int kAboveBand = 192; // with less left than this a failure is one line
constexpr qint64 kWordsEveryMs = 100;
constexpr qint64 kFiguresEveryMs = 200;

} // namespace

LaneCard::LaneCard(ViewState& view, QWidget* parent)
    : QWidget(parent)
    , m_view(view)
    , m_head(new LaneHead(this))
    , m_text(new TokenTextView(view, this))
    , m_strip(new HeatStrip(view, *m_text, this))
    , m_failure(new FailurePanel(this))
    , m_readingRow(new ReadingRow(this))
    , m_readingButton(makeButton(QStringLiteral("reader"), tr("Reading pace")))
    , m_moreButton(makeButton(QStringLiteral("more"), tr("More for this lane"))) {
    m_failure->hide();
    m_readingRow->hide();
    m_readingButton->setCheckable(true);
    setPlainTip(m_readingButton,
                tr("Reading pace: a reader's cursor in the text, and how the stream keeps up with it"));
    m_moreButton->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(m_moreButton);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] {
        menu->clear();
        fillMenu(*menu);
    });
    m_moreButton->setMenu(menu);
    connect(m_readingButton, &QToolButton::toggled, this, [this](bool on) {
        m_readingRow->setVisible(on);
        if (!on)
            m_text->setReading(std::nullopt);
        m_afterEnd.invalidate();
        m_shown = false; // refresh at the next frame though nothing arrived
        placeChildren();
        emit readingToggled(on);
    });
    connect(m_readingRow, &ReadingRow::wordsPerMinuteChanged, this, [this](int wpm) {
        m_pace.setWordsPerMinute(wpm);
        m_shown = false;
    });
    m_pace.setWordsPerMinute(m_readingRow->wordsPerMinute());
    connect(m_failure, &FailurePanel::changeKeyRequested, this, [this] { emit changeKeyRequested(m_lane); });
    connect(m_failure, &FailurePanel::trustRequested, this,
            [this](const QString& fingerprint) { emit trustRequested(m_lane, fingerprint); });
    connect(m_failure, &FailurePanel::runRequested, this, [this] { emit runRequested(m_lane); });
    connect(m_failure, &FailurePanel::bytesRequested, this, [this] { emit bytesRequested(m_lane); });
    connect(m_text, &TokenTextView::contextMenuRequested, this, &LaneCard::showMenu);
    connect(m_text, &TokenTextView::focusChanged, this,
            [this](bool focused, bool byKeyboard) { m_head->setFocusShown(focused && byKeyboard); });
    connect(&m_view, &ViewState::unitChanged, this, [this] { m_shown = false; });
    connect(&Look::instance(), &Look::changed, this, [this] {
        placeChildren(); // a presentation's head is higher
        update();
    });
    setTabOrder(m_text, m_readingButton);
    setTabOrder(m_readingButton, m_moreButton);
    setMinimumSize(minimumSizeHint());
    m_clock.start();
}

LaneCard::~LaneCard() {
    // The text goes when the card is no more than a QWidget, and a text that has the focus tells of losing it.
    disconnect(m_text, nullptr, this, nullptr);
}

QToolButton* LaneCard::makeButton(const QString& icon, const QString& name) {
    auto* button = new QToolButton(this);
    button->setProperty("flat", true);
    button->setIcon(Look::instance().icon(icon, &Colours::ink3, 14));
    button->setIconSize({14, 14});
    button->setFixedSize(kButtonSide + 2, kButtonSide);
    button->setAccessibleName(name);
    setPlainTip(button, name);
    return button;
}

QSize LaneCard::sizeHint() const {
    return {398, 332};
}
QSize LaneCard::minimumSizeHint() const {
    return {kMinWidth, kMinHeight};
}

void LaneCard::setLaneId(LaneId lane) {
    m_lane = lane;
    m_shown = false;
}

void LaneCard::takeFocus(Qt::FocusReason reason) {
    QWidget* to = m_text->isHidden() ? static_cast<QWidget*>(m_failure) : m_text;
    to->setFocus(reason);
}

void LaneCard::setTokenScale(double longestLane) {
    m_strip->setScale(longestLane);
}
double LaneCard::tokenEvents() const {
    return m_text->buffer().tokenCount();
}

void LaneCard::setReplay(std::optional<ReplayPosition> replay) {
    // Only its begin and end change what the card says at once. A new place every frame is told with the words ten
    // times a second: as a change of state it would put off the figures for ever.
    if (replay.has_value() != m_replay.has_value())
        m_shown = false;
    m_replay = replay;
}

void LaneCard::setEditable(bool editable) {
    m_editable = editable;
    m_failure->setRunnable(editable);
}

bool LaneCard::readingOn() const {
    return m_readingButton->isChecked();
}
void LaneCard::setReadingOn(bool on) {
    m_readingButton->setChecked(on);
}
void LaneCard::setReadingWordsPerMinute(int wpm) {
    m_readingRow->setWordsPerMinute(wpm);
}

void LaneCard::advance(const Session& session) {
    const Lane* lane = session.lane(m_lane);
    if (!lane)
        return;
    const LaneRun* run = lane->current();
    const bool sameRun = run == m_run && (!run || run->record == m_record);
    // Nothing came, nothing counts up: nothing to do.
    if (m_shown && sameRun && !lane->inFlight() && lane->revision() == m_revision && !readingOn())
        return;
    // A lane that does not run and yet changed was edited: its key may be another, its certificate trusted now.
    if (!lane->inFlight() && lane->revision() != m_revision)
        m_shown = false;
    m_revision = lane->revision();
    LaneShot shot;
    shot.config = &lane->config();
    shot.state = lane->state();
    shot.now = lane->now();
    shot.inFlight = lane->inFlight();
    if (run) {
        shot.record = run->record;
        const qint64 now = m_clock.elapsed();
        if (!sameRun || now - m_figuresAtMs >= kFiguresEveryMs || shot.state != m_state || !m_liveSummary) {
            if (run->summary)
                m_liveSummary.reset();
            else
                m_liveSummary = run->live.summary(*run->record, shot.now);
        }
        shot.summary = run->summary ? &*run->summary : m_liveSummary ? &*m_liveSummary : nullptr;
    } else {
        m_liveSummary.reset();
    }
    m_run = run;
    advance(shot);
}

void LaneCard::advance(const LaneShot& shot) {
    const bool newRun = shot.record != m_record;
    const bool newState = newRun || shot.state != m_state || shot.inFlight != m_inFlight || !m_shown;
    m_record = shot.record;
    m_state = shot.state;
    m_inFlight = shot.inFlight;
    m_shown = true;
    m_text->setLane(m_lane, shot.config->look);
    m_strip->setLane(m_lane);
    m_text->advance(shot.record, shot.state == LaneState::running);
    m_strip->advance();
    const qint64 now = m_clock.elapsed();
    if (newState || now - m_figuresAtMs >= kFiguresEveryMs) {
        m_figuresAtMs = now;
        refreshFigures(shot);
    }
    if (newState || now - m_wordsAtMs >= kWordsEveryMs) {
        m_wordsAtMs = now;
        refreshWords(shot);
    }
    if (newState)
        refreshFailure(shot);
    if (readingOn())
        refreshReading(shot);
}

void LaneCard::refreshFigures(const LaneShot& shot) {
    const RunSummary none;
    const RunSummary& summary = shot.summary ? *shot.summary : none;
    m_text->setSummary(summary);
    m_text->setEndMark(shot.state == LaneState::cut ? tr("stream ends here") : QString());
    m_strip->setSummary(summary);
    m_strip->setCut(shot.state == LaneState::cut);
}

void LaneCard::refreshWords(const LaneShot& shot) {
    LaneHead::Content content;
    content.name = laneName(*shot.config);
    content.place = lanePlace(*shot.config);
    content.look = shot.config->look;
    content.faded = shot.state == LaneState::failed;
    content.state = stateWords(shot, m_replay);
    content.numbers = laneNumbers(shot, m_view.unit());
    m_head->show(content);
    setBadges(laneBadges(shot));
    const QString letter(Look::instance().lane(shot.config->look).letter);
    const QString name = tr("Lane %1, %2").arg(letter, content.name);
    if (accessibleName() != name) {
        setAccessibleName(name);
        m_text->setAccessibleName(tr("Text of lane %1, %2").arg(letter, content.name));
        m_strip->setAccessibleName(tr("Gaps of lane %1, %2").arg(letter, content.name));
    }
    if (!shot.inFlight || m_state != LaneState::running)
        setAccessibleDescription(content.state.words);
}

void LaneCard::refreshFailure(const LaneShot& shot) {
    const bool bad = shot.record && (shot.state == LaneState::failed || shot.state == LaneState::cut);
    if (bad) {
        const bool nothing = shot.record->events.empty();
        m_text->setVisible(!nothing);
        m_failure->show(failureWords(*shot.record, shot.config->spec), failureForm());
    } else {
        m_text->setVisible(true);
    }
    m_failure->setVisible(bad);
    if (bad && shot.record->events.empty())
        m_readingButton->setChecked(false);
    m_readingButton->setVisible(!bad);
    placeChildren();
}

void LaneCard::refreshReading(const LaneShot& shot) {
    if (!shot.record || !shot.summary || !shot.now) {
        m_readingRow->show(std::nullopt);
        return;
    }
    if (m_paceRecord != shot.record) {
        m_paceRecord = shot.record;
        const double wpm = m_pace.wordsPerMinute();
        m_pace = ReadingPace(wpm);
        m_afterEnd.invalidate();
    }
    m_pace.update(*shot.record);
    // The reader goes on when the stream is over; from then on by our own clock.
    Instant now = *shot.now;
    if (shot.inFlight) {
        m_afterEnd.invalidate();
    } else {
        if (!m_afterEnd.isValid())
            m_afterEnd.start();
        now += std::chrono::milliseconds(m_afterEnd.elapsed());
    }
    const ReadingState state = m_pace.at(*shot.record, *shot.summary, now);
    m_readingRow->show(state);
    const TokenBuffer& buffer = m_text->buffer();
    ReadingMarks marks;
    marks.read = buffer.positionOfByte(*shot.record, state.readOffset);
    marks.word = {buffer.positionOfByte(*shot.record, state.wordBegin),
                  buffer.positionOfByte(*shot.record, state.wordEnd)};
    m_text->setReading(marks);
}

void LaneCard::setBadges(std::vector<LaneBadge> badges) {
    if (badges == m_badges)
        return;
    m_badges = std::move(badges);
    update(footerRect());
}

QRect LaneCard::footerRect() const {
    return {kSide, height() - kFooterBottom - kFooterHeight, width() - 2 * kSide, kFooterHeight};
}

FailurePanel::Form LaneCard::failureForm() const {
    if (m_text->isHidden())
        return FailurePanel::Form::whole;
    const int left = height() - m_failure->heightOf(FailurePanel::Form::band);
    return left < kAboveBand ? FailurePanel::Form::line : FailurePanel::Form::band;
}

void LaneCard::placeChildren() {
    m_head->setGeometry(0, 0, width(), m_head->sizeHint().height());
    const int stripTop = m_head->height() + kStripAbove;
    m_strip->setGeometry(kSide, stripTop, width() - 2 * kSide, m_strip->sizeHint().height());
    const int textTop = stripTop + m_strip->height() + kTextAbove;
    const QRect footer = footerRect();
    const int buttonTop = footer.center().y() - kButtonSide / 2 + 1;
    m_moreButton->move(width() - kSide - m_moreButton->width() + 4, buttonTop);
    m_readingButton->move(m_moreButton->x() - m_readingButton->width(), buttonTop);
    int bottom = footer.top() - 7;
    if (!m_failure->isHidden()) {
        // At once and not at the next frame: buttons placed for a band cover the one line of a lower card.
        const FailurePanel::Form form = failureForm();
        m_failure->setForm(form);
        const int tall = form == FailurePanel::Form::whole ? height() - textTop : m_failure->heightOf(form);
        m_failure->setGeometry(0, height() - tall, width(), tall - 1);
        bottom = height() - tall - 4;
        // The button row of the panel takes the footer's place.
        m_moreButton->move(m_moreButton->x(), height() - 8 - 14 - kButtonSide / 2);
        m_moreButton->raise();
    } else if (readingOn()) {
        bottom -= m_readingRow->height() + 2;
        m_readingRow->setGeometry(0, bottom + 4, width(), m_readingRow->height());
    }
    m_text->setGeometry(1, textTop, width() - 2, std::max(0, bottom - textTop));
}

void LaneCard::resizeEvent(QResizeEvent*) {
    placeChildren();
}

BadgeRow LaneCard::badgeRow() const {
    QRect room = footerRect();
    room.setRight((m_readingButton->isHidden() ? m_moreButton : m_readingButton)->x() - 6);
    return placeBadges(m_badges, room);
}

void LaneCard::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Look& look = Look::instance();
    const Colours& colours = look.colours();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(look.theme() == Theme::light ? QPen(colours.border, 1) : Qt::NoPen);
    painter.setBrush(colours.surface);
    painter.drawRoundedRect(
        look.theme() == Theme::light ? QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5) : QRectF(rect()), 4, 4);
    if (!m_failure->isHidden())
        return;
    paintBadges(painter, m_badges, badgeRow());
}

bool LaneCard::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    auto* help = static_cast<QHelpEvent*>(event);
    showPlainTip(help->globalPos(), m_failure->isHidden() ? badgeTip(m_badges, badgeRow(), help->pos()) : QString(),
                 this);
    return true;
}

void LaneCard::contextMenuEvent(QContextMenuEvent* event) {
    showMenu(event->globalPos());
}

void LaneCard::showMenu(QPoint globalPosition) {
    QMenu menu(this);
    fillMenu(menu);
    menu.exec(globalPosition);
}

void LaneCard::fillMenu(QMenu& menu) {
    const Look& look = Look::instance();
    if (m_editable) {
        if (m_inFlight)
            menu.addAction(look.icon(QStringLiteral("stop"), &Colours::ink2), tr("Stop lane"), this,
                           [this] { emit stopRequested(m_lane); });
        else
            menu.addAction(look.icon(QStringLiteral("run"), &Colours::ink2), tr("Run lane alone"), this,
                           [this] { emit runRequested(m_lane); });
        menu.addSeparator();
    }
    QAction* copy = menu.addAction(look.icon(QStringLiteral("copy"), &Colours::ink2), tr("Copy text"), this, [this] {
        if (m_text->selectedText().isEmpty())
            m_text->selectAll();
        m_text->copy();
    });
    copy->setEnabled(m_text->buffer().textSize() > 0);
    QAction* bytes = menu.addAction(tr("Show bytes"), this, [this] { emit bytesRequested(m_lane); });
    bytes->setEnabled(m_record && m_record->firstByte);
    if (!m_editable)
        return;
    menu.addSeparator();
    menu.addAction(look.icon(QStringLiteral("gear"), &Colours::ink2), tr("Edit lane\u2026"), this,
                   [this] { emit editRequested(m_lane); });
    menu.addAction(look.icon(QStringLiteral("key"), &Colours::ink2), tr("Change key\u2026"), this,
                   [this] { emit changeKeyRequested(m_lane); });
    menu.addAction(tr("Duplicate lane"), this, [this] { emit duplicateRequested(m_lane); });
    menu.addAction(tr("Move left"), this, [this] { emit moveRequested(m_lane, -1); });
    menu.addAction(tr("Move right"), this, [this] { emit moveRequested(m_lane, 1); });
    menu.addSeparator();
    QAction* remove = menu.addAction(look.icon(QStringLiteral("close"), &Colours::ink2), tr("Remove lane"), this,
                                     [this] { emit removeRequested(m_lane); });
    remove->setEnabled(!m_inFlight);
}

} // namespace decodescope
