#include "ui/panels/start_page.h"

#include "core/base/redaction.h"
#include "ui/panels/controls.h"
#include "ui/panels/endpoint_door.h"
#include "ui/panels/local_model_door.h"
#include "ui/theme/format.h"
#include "ui/theme/plain_tip.h"
#include "ui/window/recordings_folder.h"

#include <QDateTime>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLocale>
#include <QMenu>
#include <QScrollArea>
#include <QTimer>

#include <iterator>

namespace decodescope {
namespace {

constexpr int kContentWidth = 1244;
constexpr int kRightLeast = 300;
constexpr int kRecentShown = 5;
constexpr int kRecentHeight = 60;
constexpr qint64 kPreviewLimitBytes = 16 << 20; ///< larger recordings are listed without their strips

QString whenWords(const QDateTime& time) {
    const qint64 days = time.date().daysTo(QDate::currentDate());
    const QLocale locale;
    if (days == 0)
        return StartPage::tr("today %1").arg(time.toString(QStringLiteral("HH:mm:ss")));
    if (days == 1)
        return StartPage::tr("yesterday");
    return days < 7 && days > 0 ? locale.dayName(time.date().dayOfWeek())
                                : locale.toString(time.date(), QLocale::ShortFormat);
}

/// A row of the recent list: a button over its whole width.
class RecentRow : public QPushButton {
public:
    RecentRow(const QString& path, QWidget* parent)
        : QPushButton(parent) {
        const QFileInfo file(path);
        const bool there = file.exists();
        setProperty("listRow", true);
        setEnabled(there);
        setAccessibleName(file.completeBaseName());
        setPlainTip(this, there ? path : StartPage::tr("%1 is not there any more").arg(path));
        auto* row = new QHBoxLayout(this);
        row->setContentsMargins(14, 6, 14, 6);
        row->setSpacing(14);
        auto* words = new QVBoxLayout;
        words->setSpacing(2);
        m_name = new RoleLabel(file.completeBaseName(), there ? &Colours::ink : &Colours::disabled, Type::body, this);
        m_name->setElided(Qt::ElideMiddle);
        m_detail = new RoleLabel(there ? formatBytes(static_cast<double>(file.size())) : StartPage::tr("missing"),
                                 there ? &Colours::ink2 : &Colours::disabled, Type::small, this);
        m_detail->setElided(Qt::ElideRight);
        words->addStretch(1);
        words->addWidget(m_name);
        words->addWidget(m_detail);
        words->addStretch(1);
        row->addLayout(words, 1);
        m_strips = new PreviewStrips(this);
        row->addWidget(m_strips);
        auto* when =
            new RoleLabel(there ? whenWords(file.lastModified()) : QString(), &Colours::ink2, Type::small, this);
        when->setMinimumWidth(72);
        when->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        row->addWidget(when);
    }
    // Not a fixed height: the style sheet's least height for buttons would take its place.
    [[nodiscard]] QSize sizeHint() const override { return {QPushButton::sizeHint().width(), kRecentHeight}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {0, kRecentHeight}; }
    void showPreview(const RacePreview& race) {
        m_strips->show(race);
        // Files of one prompt are named alike but for the time, which stands at the right.
        if (!race.question.isEmpty()) {
            m_name->setText(race.question);
            m_name->setElided(Qt::ElideRight);
        }
        QStringList names;
        for (const PreviewLane& lane : race.lanes)
            names << lane.name;
        const QString lanes = names.size() == 1 ? StartPage::tr("1 lane") : StartPage::tr("%1 lanes").arg(names.size());
        const QString tokens = StartPage::tr("%1 tokens").arg(formatCount(race.tokens));
        m_detail->setText(QStringLiteral("%1, %2: ").arg(lanes, tokens) + names.join(QStringLiteral(", ")));
    }

private:
    RoleLabel* m_name;
    RoleLabel* m_detail;
    PreviewStrips* m_strips;
};

/// "Three streams, one prompt, replayed at its true pace. No key, no GPU, no network."
QString raceSentence(const RacePreview& race) {
    static const char* const kWords[] = {
        QT_TRANSLATE_NOOP("StartPage", "One stream"),    QT_TRANSLATE_NOOP("StartPage", "Two streams"),
        QT_TRANSLATE_NOOP("StartPage", "Three streams"), QT_TRANSLATE_NOOP("StartPage", "Four streams"),
        QT_TRANSLATE_NOOP("StartPage", "Five streams"),  QT_TRANSLATE_NOOP("StartPage", "Six streams"),
        QT_TRANSLATE_NOOP("StartPage", "Seven streams"), QT_TRANSLATE_NOOP("StartPage", "Eight streams")};
    const std::size_t count = race.lanes.size();
    const QString streams = count >= 1 && count <= std::size(kWords) ? StartPage::tr(kWords[count - 1])
                                                                     : StartPage::tr("%1 streams").arg(count);
    return (race.onePrompt ? StartPage::tr("%1, one prompt, replayed at its true pace. No key, no GPU, no network.")
                           : StartPage::tr("%1, replayed at their true pace. No key, no GPU, no network."))
        .arg(streams);
}

QVBoxLayout* headed(QWidget* card, const QString& title) {
    auto* column = new QVBoxLayout(card);
    column->setContentsMargins(0, 0, 0, 6);
    column->setSpacing(0);
    auto* head = new RoleLabel(title, &Colours::ink, Type::title, card);
    head->setContentsMargins(14, 10, 14, 10);
    column->addWidget(head);
    column->addWidget(hairline(card));
    return column;
}

} // namespace

StartPage::StartPage(const WindowServices& services, QWidget* parent)
    : QWidget(parent)
    , m_services(services)
    , m_shipped(shippedRecordings(services.shippedFolder)) {
    auto* content = new QWidget(this);
    content->setMaximumWidth(kContentWidth);
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(12, 16, 12, 16);
    column->setSpacing(4);
    column->addStretch(1);
    column->addWidget(new RoleLabel(QStringLiteral("Decodescope"), &Colours::ink, Type::pageTitle, content));
    auto* under = new QHBoxLayout;
    under->addWidget(new RoleLabel(tr("See who starts first, who flows, who stalls and who finishes first."),
                                   &Colours::ink2, Type::body, content));
    under->addStretch(1);
    auto* shortcuts = new ActionButton({}, tr("Shortcuts"), QStringLiteral("F1"), content);
    shortcuts->setFlat(true);
    connect(shortcuts, &QPushButton::clicked, this, &StartPage::shortcutsAsked);
    under->addWidget(shortcuts);
    column->addLayout(under);
    column->addSpacing(12);

    auto* sides = new QHBoxLayout;
    sides->setSpacing(24);
    auto* left = new QVBoxLayout;
    left->setSpacing(12);
    if (!m_shipped.isEmpty())
        left->addWidget(buildRace());
    auto* doors = new Surface(content);
    auto* doorRows = new QVBoxLayout(doors);
    doorRows->setContentsMargins(0, 0, 0, 0);
    doorRows->setSpacing(0);
    m_lanesDoor = buildLanes();
    doorRows->addWidget(m_lanesDoor);
    if (services.localModels.available()) {
        m_local = new LocalModelDoor(services.localModels, doors);
        connect(m_local, &LocalModelDoor::runAsked, this, &StartPage::localRaceAsked);
        connect(m_local, &LocalModelDoor::chooseAsked, this, &StartPage::editAsked);
        doorRows->addWidget(m_local);
        doorRows->addWidget(hairline(doors));
    }
    auto* endpoint = new EndpointDoor(services, doors);
    connect(endpoint, &EndpointDoor::laneAsked, this, &StartPage::laneAsked);
    connect(endpoint, &EndpointDoor::editAsked, this, &StartPage::editAsked);
    doorRows->addWidget(endpoint);
    doorRows->addWidget(hairline(doors));
    doorRows->addWidget(buildOpen());
    left->addWidget(doors);
    left->addStretch(1);
    auto* rightSide = new QWidget(content);
    rightSide->setMinimumWidth(kRightLeast);
    auto* right = new QVBoxLayout(rightSide);
    right->setContentsMargins(0, 0, 0, 0);
    right->setSpacing(12);
    if (!services.offered.empty())
        right->addWidget(buildOffered());
    m_recent = buildRecent();
    right->addWidget(m_recent);
    right->addStretch(1);
    sides->addLayout(left, 67);
    sides->addWidget(rightSide, 33);
    column->addLayout(sides);
    column->addStretch(2);

    auto* scroll = new QScrollArea(this);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus);
    auto* centred = new QWidget(scroll);
    auto* centre = new QHBoxLayout(centred);
    centre->setContentsMargins(0, 0, 0, 0);
    centre->addStretch(1);
    centre->addWidget(content, 100);
    centre->addStretch(1);
    scroll->setWidget(centred);
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->addWidget(scroll);
}

QWidget* StartPage::buildRace() {
    auto* card = new Surface(this);
    auto* column = new QVBoxLayout(card);
    column->setContentsMargins(18, 16, 18, 16);
    column->setSpacing(4);
    column->addWidget(new RoleLabel(tr("Watch a recorded race"), &Colours::ink, Type::heading, card));
    m_raceNote =
        new RoleLabel(tr("Replayed at its true pace. No key, no GPU, no network."), &Colours::ink2, Type::body, card);
    m_raceNote->setElided(Qt::ElideRight);
    column->addWidget(m_raceNote);
    column->addSpacing(12);
    auto* picture = new QHBoxLayout;
    picture->setSpacing(28);
    m_rows = new PreviewRows(card);
    m_curves = new PreviewCurves(card);
    m_curves->setMinimumHeight(234);
    picture->addWidget(m_rows, 50, Qt::AlignTop);
    picture->addWidget(m_curves, 46);
    column->addLayout(picture);
    column->addSpacing(6);
    m_howMade = new RoleLabel({}, &Colours::ink3, Type::small, card);
    m_howMade->setWordWrap(true);
    m_howMade->hide();
    column->addWidget(m_howMade);
    column->addSpacing(10);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    m_watch = new ActionButton(QStringLiteral("replay"), tr("Watch"), tr("Enter"), card);
    m_watch->setPrimary(true);
    m_watch->setDefault(true);
    connect(m_watch, &QPushButton::clicked, this, [this] { emit watchAsked(m_shipped.constFirst()); });
    buttons->addWidget(m_watch);
    if (m_shipped.size() > 1) {
        m_others = new ActionButton(QStringLiteral("down"), tr("%1 more").arg(m_shipped.size() - 1), {}, card);
        auto* menu = new QMenu(m_others);
        for (qsizetype i = 1; i < m_shipped.size(); ++i) {
            const QString path = m_shipped[i];
            menu->addAction(QFileInfo(path).completeBaseName(), this, [this, path] { emit watchAsked(path); });
        }
        connect(m_others, &QPushButton::clicked, this,
                [this, menu] { menu->popup(m_others->mapToGlobal(QPoint(0, m_others->height()))); });
        buttons->addWidget(m_others);
    }
    buttons->addStretch(1);
    column->addLayout(buttons);
    return card;
}

QWidget* StartPage::buildLanes() {
    auto* door = new QWidget(this);
    auto* column = new QVBoxLayout(door);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(18, 14, 18, 14);
    row->setSpacing(14);
    auto* words = new QVBoxLayout;
    words->setSpacing(3);
    words->addWidget(new RoleLabel(tr("Race your lanes"), &Colours::ink, Type::title, door));
    m_laneNames = new RoleLabel({}, &Colours::ink2, Type::body, door);
    m_laneNames->setElided(Qt::ElideRight);
    words->addWidget(m_laneNames);
    row->addWidget(new IconLabel(QStringLiteral("race"), door));
    row->addLayout(words, 1);
    auto* show = new ActionButton(QStringLiteral("race"), tr("Show lanes"), {}, door);
    connect(show, &QPushButton::clicked, this, &StartPage::lanesAsked);
    row->addWidget(show);
    column->addLayout(row);
    column->addWidget(hairline(door));
    door->hide();
    return door;
}

void StartPage::setLanes(const QStringList& names) {
    m_laneNames->setText(names.join(QStringLiteral(", ")));
    m_lanesDoor->setVisible(!names.isEmpty());
}

QWidget* StartPage::buildOpen() {
    auto* part = new QWidget(this);
    auto* row = new QHBoxLayout(part);
    row->setContentsMargins(18, 14, 18, 14);
    row->setSpacing(14);
    auto* words = new QVBoxLayout;
    words->setSpacing(3);
    words->addWidget(new RoleLabel(tr("Open a recording"), &Colours::ink, Type::title, part));
    words->addWidget(new RoleLabel(tr("A .decodescope file, whole or cut off"), &Colours::ink2, Type::body, part));
    row->addWidget(new IconLabel(QStringLiteral("open"), part));
    row->addLayout(words, 1);
    row->addWidget(new RoleLabel(tr("or drop it anywhere in the window"), &Colours::ink2, Type::body, part));
    auto* open = new ActionButton(QStringLiteral("open"), tr("Open..."), QStringLiteral("Ctrl+O"), part);
    connect(open, &QPushButton::clicked, this, &StartPage::openAsked);
    row->addWidget(open);
    return part;
}

QWidget* StartPage::buildOffered() {
    auto* card = new Surface(this);
    auto* column = headed(card, tr("Found in the environment"));
    for (const OfferedEndpoint& offered : m_services.offered) {
        auto* part = new QWidget(card);
        auto* row = new QHBoxLayout(part);
        row->setContentsMargins(14, 10, 14, 10);
        auto* words = new QVBoxLayout;
        words->setSpacing(2);
        words->addWidget(new RoleLabel(offered.from, &Colours::ink, Type::body, part));
        auto* where =
            new RoleLabel(QString::fromStdString(urlWithoutKeys(offered.endpoint.url)) + QStringLiteral(", ") +
                              (offered.keySet ? tr("key present") : tr("no key")) + tr(", not contacted"),
                          &Colours::ink2, Type::small, part);
        where->setElided(Qt::ElideMiddle);
        words->addWidget(where);
        row->addLayout(words, 1);
        auto* add = new ActionButton({}, tr("Add lane..."), {}, part);
        connect(add, &QPushButton::clicked, this, [this, offered] {
            RunSpec spec;
            spec.endpoint = offered.endpoint;
            if (!offered.keySet)
                spec.endpoint.key = {};
            emit editAsked(spec);
        });
        row->addWidget(add);
        column->addWidget(part);
        column->addWidget(hairline(card));
    }
    auto* note =
        new RoleLabel(tr("A key is sent only after you press Test or Run."), &Colours::ink3, Type::small, card);
    note->setContentsMargins(14, 8, 14, 4);
    column->addWidget(note);
    return card;
}

QWidget* StartPage::buildRecent() {
    auto* card = new Surface(this);
    auto* column = headed(card, tr("Recent"));
    m_recentRows = new QVBoxLayout;
    m_recentRows->setSpacing(0);
    column->addLayout(m_recentRows);
    return card;
}

void StartPage::setRecent(const QStringList& paths) {
    m_recentPaths = paths;
    while (QLayoutItem* item = m_recentRows->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    if (paths.isEmpty()) {
        auto* none =
            new RoleLabel(tr("Recordings that you make or open appear here."), &Colours::ink3, Type::body, m_recent);
        none->setContentsMargins(14, 12, 14, 12);
        m_recentRows->addWidget(none);
    }
    for (const QString& path : paths.mid(0, kRecentShown)) {
        auto* row = new RecentRow(path, m_recent);
        row->setObjectName(path);
        connect(row, &QPushButton::clicked, this, [this, path] { emit recentAsked(path); });
        m_recentRows->addWidget(row);
    }
    m_loaded = false;
    if (isVisible())
        QTimer::singleShot(0, this, &StartPage::loadPreviews);
}

void StartPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (m_local)
        m_local->refresh();
    if (m_watch)
        m_watch->setFocus();
    QTimer::singleShot(0, this, &StartPage::loadPreviews); // after the first paint
}

void StartPage::loadPreviews() {
    if (m_loaded)
        return;
    m_loaded = true;
    if (m_rows && !m_shipped.isEmpty()) {
        if (const auto race = loadPreview(m_shipped.constFirst())) {
            m_rows->show(*race);
            m_curves->show(*race);
            m_raceNote->setText(raceSentence(*race));
            m_howMade->setText(race->note);
            m_howMade->setVisible(!race->note.isEmpty());
            m_watch->setWords(tr("Watch, %1").arg(formatDuration(race->durationS).joined()), tr("Enter"));
        }
    }
    for (int i = 0; i < m_recentRows->count(); ++i) {
        auto* row = dynamic_cast<RecentRow*>(m_recentRows->itemAt(i)->widget());
        if (!row || !row->isEnabled() || QFileInfo(row->objectName()).size() > kPreviewLimitBytes)
            continue;
        if (const auto race = loadPreview(row->objectName()))
            row->showPreview(*race);
    }
}

} // namespace decodescope
