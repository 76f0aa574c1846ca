#include "tests/ui/lane/lane_states.h"
#include "ui/lane/failure_panel.h"
#include "ui/lane/failure_words.h"
#include "ui/lane/lane_card.h"
#include "ui/lane/lane_words.h"
#include "ui/lane/number_row.h"
#include "ui/lane/wrapped_lines.h"
#include "ui/text/token_text_view.h"
#include "ui/theme/look.h"

#include <QAbstractButton>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>
#include <QTextDocument>
#include <QToolButton>

using namespace decodescope;

class TestLaneCard : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void stateWordsOfEveryState_data();
    void stateWordsOfEveryState();
    void anAnswerWithoutATokenIsNotDone();
    void everyStateRendersWithoutOverlap_data();
    void everyStateRendersWithoutOverlap();
    void numbersFollowTheUnit();
    void withoutCountsNothingClaimsTokens();
    void partialRunsAreDimAndLabelled();
    void p99OfFewGapsIsDim();
    void failureSaysWhatItKnowsAndNoKey();
    void theServersOwnWordsAreOnTheCard();
    void theButtonsLeaveTheErrorAlone();
    void aCutReasonSaysSo();
    void aPinnedCertificateIsSaid();
    void numbersKeepApartAndTheirUnits_data();
    void numbersKeepApartAndTheirUnits();
    void findingsAreFoldedAfterTheSources();
    void theDeathOfAnEngineIsTheLanesMessage();
    void badgesNameTheirSources();
    void aRefusedCertificateCanBeTrusted();
    void badgesTellWhyItStalledAndWhatHeldItUp();
    void theStallsBadgeIsFoldedLast();
    void buttonsTellTheirLane();
    void readingRowShowsTheReader();
    void everyControlHasAName();
    void keyboardReachesTheControls();

private:
    [[nodiscard]] const LaneCase& find(const char* name) const;
    std::vector<LaneCase> m_cases;
    ViewState m_view;
};

namespace {
QString plain(QString text) {
    return text.replace(QChar(0x2009), QLatin1Char(' '));
}
} // namespace

void TestLaneCard::initTestCase() {
    Look::instance().apply(ThemeChoice::dark);
    m_cases = laneCases();
}

const LaneCase& TestLaneCard::find(const char* name) const {
    for (const LaneCase& c : m_cases) {
        if (c.name == QLatin1String(name))
            return c;
    }
    qFatal("no such lane");
}

void TestLaneCard::stateWordsOfEveryState_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("pattern");
    QTest::newRow("idle") << "idle"
                          << "^Idle$";
    QTest::newRow("connecting") << "connecting"
                                << "^Connecting$";
    QTest::newRow("waiting") << "waiting"
                             << "^Waiting$";
    QTest::newRow("running") << "running"
                             << "^Running \\d+\\.\\d s$";
    QTest::newRow("stalled") << "stalled"
                             << "^Stalled 0\\.4 s$";
    QTest::newRow("done") << "done"
                          << "^Done in \\d\\.\\d\\d s$";
    QTest::newRow("failed") << "failed"
                            << "^Failed, 401$";
    QTest::newRow("unreachable") << "unreachable"
                                 << "^Failed, no connection$";
    QTest::newRow("cut") << "cut"
                         << "^Cut at \\d\\.\\d\\d s$";
    QTest::newRow("cancelled") << "cancelled"
                               << "^Stopped at \\d\\.\\d\\d s$";
    QTest::newRow("not-streamed") << "not-streamed"
                                  << "^Not streamed, 2\\.10 s$";
}

void TestLaneCard::stateWordsOfEveryState() {
    QFETCH(QString, name);
    QFETCH(QString, pattern);
    const LaneCase& c = find(qPrintable(name));
    const StateWords words = stateWords(c.shot(), std::nullopt);
    QVERIFY2(QRegularExpression(pattern).match(plain(words.words)).hasMatch(), qPrintable(words.words));
    QVERIFY(Look::instance().iconNames().contains(words.icon));
    if (c.state == LaneState::running) {
        const StateWords replay = stateWords(c.shot(), ReplayPosition{2.1, 8.4});
        QCOMPARE(plain(replay.words), QStringLiteral("Replay 2.1 / 8.4 s"));
    }
}

void TestLaneCard::anAnswerWithoutATokenIsNotDone() {
    const LaneCase& done = find("done");
    auto record = std::make_shared<RunRecord>(*done.record);
    record->events.clear();
    record->usage.reset();
    record->engine.reset();
    const RunSummary summary = summarize(*record);
    LaneShot shot = done.shot();
    shot.record = record;
    shot.summary = &summary;
    QVERIFY2(plain(stateWords(shot, std::nullopt).words).startsWith("No tokens, "),
             qPrintable(stateWords(shot, std::nullopt).words));
    QVERIFY(stateWords(shot, std::nullopt).glyph == &Colours::fail);
    const auto badges = laneBadges(shot);
    QVERIFY(std::any_of(badges.begin(), badges.end(), [](const auto& badge) { return badge.words == "no tokens"; }));
}

void TestLaneCard::everyStateRendersWithoutOverlap_data() {
    QTest::addColumn<int>("index");
    QTest::addColumn<QSize>("size");
    for (std::size_t i = 0; i < laneCases().size(); ++i) {
        for (const QSize size : {QSize(320, 212), QSize(398, 332), QSize(700, 500)})
            QTest::addRow("%d at %dx%d", static_cast<int>(i), size.width(), size.height())
                << static_cast<int>(i) << size;
    }
}

void TestLaneCard::everyStateRendersWithoutOverlap() {
    QFETCH(int, index);
    QFETCH(QSize, size);
    const LaneCase& c = m_cases[static_cast<std::size_t>(index)];
    LaneCard card(m_view);
    card.setLaneId(c.config.id);
    card.resize(size);
    card.show();
    card.advance(c.shot());
    card.advance(c.shot());
    const QImage picture = card.grab().toImage();
    int lit = 0;
    for (int y = 0; y < picture.height(); y += 2) {
        for (int x = 0; x < picture.width(); x += 2)
            lit += picture.pixelColor(x, y).lightness() > 120 ? 1 : 0;
    }
    QVERIFY2(lit > 40, qPrintable(c.name));
    QList<QWidget*> parts;
    for (QObject* child : card.children()) {
        auto* widget = qobject_cast<QWidget*>(child);
        // The "more" button lies on the failure panel on purpose, right of its buttons.
        if (widget && widget->isVisible() && !qobject_cast<QToolButton*>(widget))
            parts.append(widget);
    }
    for (QWidget* part : parts) {
        QVERIFY2(card.rect().contains(part->geometry()), qPrintable(c.name));
        for (QWidget* other : parts)
            QVERIFY2(part == other || !part->geometry().intersects(other->geometry()), qPrintable(c.name));
    }
    if (card.text().isVisible())
        QVERIFY2(card.text().visibleLines() >= 2, qPrintable(c.name));
}

void TestLaneCard::numbersFollowTheUnit() {
    const LaneShot shot = find("done").shot();
    const auto tokens = laneNumbers(shot, RateUnit::tokens);
    QCOMPARE(tokens[1].label, QStringLiteral("TPS"));
    QCOMPARE(tokens[1].unit, QStringLiteral("tok/s"));
    QCOMPARE(tokens[1].value, formatRate(shot.summary->decodeTps));
    const auto characters = laneNumbers(shot, RateUnit::characters);
    QCOMPARE(characters[1].unit, QStringLiteral("chars/s"));
    QCOMPARE(characters[1].value, formatRate(shot.summary->charsPerS));
    QCOMPARE(laneNumbers(shot, RateUnit::words)[1].unit, QStringLiteral("words/s"));
    QCOMPARE(characters[0], tokens[0]); // only the rate has units
}

void TestLaneCard::withoutCountsNothingClaimsTokens() {
    LaneCase c = find("done");
    c.record = std::make_shared<RunRecord>(*c.record);
    for (TokenEvent& event : c.record->events)
        event.tokens = {};
    c.record->usage.reset();
    c.summary = summarize(*c.record);
    const auto numbers = laneNumbers(c.shot(), RateUnit::tokens);
    QCOMPARE(numbers[1].unit, QStringLiteral("events/s"));
    QCOMPARE(numbers[3].label, QStringLiteral("Events"));
    QCOMPARE(laneBadges(c.shot()).at(1).words, QStringLiteral("events only"));
}

void TestLaneCard::partialRunsAreDimAndLabelled() {
    const auto cut = laneNumbers(find("cut").shot(), RateUnit::tokens);
    QCOMPARE(cut[1].label, QStringLiteral("TPS until the cut"));
    QVERIFY(cut[0].dim && cut[1].dim && cut[3].dim);
    QVERIFY(!laneNumbers(find("done").shot(), RateUnit::tokens)[1].dim);
    const auto whole = laneNumbers(find("not-streamed").shot(), RateUnit::tokens);
    QCOMPARE(whole[0].value, enDash());
    QCOMPARE(whole[1].value, enDash());
    const auto waiting = laneNumbers(find("waiting").shot(), RateUnit::tokens);
    QCOMPARE(waiting[0].label, QStringLiteral("waited"));
    QCOMPARE(waiting[0].value, QStringLiteral("1.2"));
}

void TestLaneCard::p99OfFewGapsIsDim() {
    QVERIFY(laneNumbers(find("channels").shot(), RateUnit::tokens)[2].secondDim);
    QVERIFY(!laneNumbers(find("done").shot(), RateUnit::tokens)[2].secondDim);
}

void TestLaneCard::failureSaysWhatItKnowsAndNoKey() {
    const LaneCase& c = find("failed");
    const FailureWords words = failureWords(*c.record, c.config.spec);
    QCOMPARE(words.sentence, QStringLiteral("The endpoint refused the key."));
    QVERIFY(words.keyMatters);
    QString all = words.sentence + words.done + words.body;
    for (const auto& [label, value] : words.facts)
        all += label + value;
    QVERIFY(all.contains(QLatin1String("POST gateway.example/v1/chat/completions")));
    QVERIFY(all.contains(QLatin1String("GATEWAY_API_KEY (environment), 51 characters")));
    QVERIFY(all.contains(QLatin1String("401 Unauthorized")));
    QVERIFY(!all.contains(QLatin1String("xxx"))); // the key is fifty-one of them
    const FailureWords refused = failureWords(*find("unreachable").record, find("unreachable").config.spec);
    QVERIFY(!refused.keyMatters);
    QCOMPARE(refused.facts.back().second, QStringLiteral("Connection refused"));
}

void TestLaneCard::theServersOwnWordsAreOnTheCard() {
    const LaneCase& c = find("overloaded");
    const QString said = QStringLiteral("The server is overloaded, please try again later");
    const FailureWords words = failureWords(*c.record, c.config.spec);
    QCOMPARE(words.reason.second, said);
    FailurePanel panel;
    panel.show(words, FailurePanel::Form::band);
    QVERIFY2(panel.toolTip().contains(said), qPrintable(panel.toolTip()));
    QVERIFY(panel.accessibleDescription().contains(said));
    // Where they are painted: another reason is another picture, in a band and in one line.
    for (const auto form : {FailurePanel::Form::band, FailurePanel::Form::line}) {
        panel.resize(500, panel.heightOf(form));
        panel.show(words, form);
        const QImage one = panel.grab().toImage();
        FailureWords other = words;
        other.reason.second = QStringLiteral("Something else");
        panel.show(other, form);
        QVERIFY(panel.grab().toImage() != one);
    }
}

void TestLaneCard::theButtonsLeaveTheErrorAlone() {
    const LaneCase& c = find("overloaded");
    LaneCard card(m_view);
    card.setLaneId(c.config.id);
    card.resize(700, 500);
    card.show();
    card.advance(c.shot());
    const auto* panel = card.findChild<FailurePanel*>();
    const auto buttons = [panel] {
        int count = 0;
        for (auto* button : panel->findChildren<QAbstractButton*>())
            count += button->isVisible() ? 1 : 0;
        return count;
    };
    QCOMPARE(panel->height() + 1, panel->heightOf(FailurePanel::Form::band));
    QCOMPARE(buttons(), 1);
    card.resize(700, 240); // and no frame comes after it
    QCoreApplication::processEvents();
    QCOMPARE(panel->height() + 1, panel->heightOf(FailurePanel::Form::line));
    for (auto* button : panel->findChildren<QAbstractButton*>())
        QVERIFY2(!button->isVisible() || button->x() > panel->width() / 2, "one line has its button at the right");
}

void TestLaneCard::aCutReasonSaysSo() {
    const QFont font = Look::instance().font(Type::body);
    const QString text = QStringLiteral("trust this certificate by its fingerprint, or allow invalid certificates");
    const QStringList cut = wrappedLines(text, font, 150, 2, QTextOption::WordWrap);
    QCOMPARE(cut.size(), 2);
    QVERIFY2(cut.back().endsWith(QChar(0x2026)), qPrintable(cut.join(u'|')));
    const QStringList whole = wrappedLines(text, font, 150, 20, QTextOption::WordWrap);
    QCOMPARE(whole.join(QString()), text);
    QCOMPARE(wrappedLines(QStringLiteral("a\nb"), font, 150, 5, QTextOption::WordWrap),
             (QStringList{QStringLiteral("a"), QStringLiteral("b")}));
}

void TestLaneCard::aPinnedCertificateIsSaid() {
    const FailureWords before = failureWords(*find("untrusted").record, find("untrusted").config.spec);
    QVERIFY(!before.trusted);
    const LaneCase& c = find("pinned");
    FailureWords words = failureWords(*c.record, c.config.spec);
    QVERIFY(words.trusted && words.done.contains(QLatin1String("pinned")));
    RunRecord pinnedThen = *c.record;
    pinnedThen.spec.endpoint.pinnedCertificate = c.config.spec.endpoint.pinnedCertificate;
    QVERIFY2(!failureWords(pinnedThen, c.config.spec).trusted, "it was pinned then, and that did not help");
    FailurePanel panel;
    panel.resize(398, 300);
    static_cast<QWidget&>(panel).show();
    const auto trustable = [&panel] {
        bool enabled = false;
        for (auto* button : panel.findChildren<QAbstractButton*>())
            enabled = enabled || (button->isVisible() && button->isEnabled() &&
                                  button->text().contains(QLatin1String("certificate"), Qt::CaseInsensitive));
        return enabled;
    };
    panel.show(before, FailurePanel::Form::whole);
    QVERIFY(trustable());
    panel.show(words, FailurePanel::Form::whole);
    QVERIFY(!trustable());
}

void TestLaneCard::numbersKeepApartAndTheirUnits_data() {
    QTest::addColumn<int>("width");
    QTest::addColumn<QString>("ttft");
    QTest::addColumn<QString>("rate");
    QTest::addColumn<QString>("p50");
    QTest::addColumn<QString>("p99");
    QTest::addColumn<QString>("count");
    for (const int width : {230, 260, 271, 300, 350, 378, 480, 900}) {
        QTest::addRow("usual at %d", width) << width << "301"
                                            << "50.0"
                                            << "20.0"
                                            << "23.3"
                                            << "231";
        QTest::addRow("large at %d", width) << width << "1.23"
                                            << "1 234"
                                            << "99.9"
                                            << "1 234"
                                            << "12 345";
    }
}

void TestLaneCard::numbersKeepApartAndTheirUnits() {
    QFETCH(int, width);
    QFETCH(QString, ttft);
    QFETCH(QString, rate);
    QFETCH(QString, p50);
    QFETCH(QString, p99);
    QFETCH(QString, count);
    std::array<LaneNumber, 4> numbers;
    numbers[0].value = ttft;
    numbers[0].unit = QStringLiteral("ms");
    numbers[1].value = rate;
    numbers[1].unit = QStringLiteral("events/s");
    numbers[1].briefUnit = QStringLiteral("ev/s");
    numbers[2].value = p50;
    numbers[2].second = p99;
    numbers[2].unit = QStringLiteral("ms");
    numbers[3].value = count;
    const NumberRow row = placeNumbers(numbers, 10, width);
    for (std::size_t i = 0; i < 4; ++i) {
        const NumberRow::Column& column = row.columns[i];
        QVERIFY2(column.unit.isEmpty() == numbers[i].unit.isEmpty(), "no unit is lost");
        QVERIFY2(column.taken + (i < 3 ? 4 : 0) <= column.width, qPrintable(QString::number(i)));
        if (i < 3)
            QCOMPARE(column.left + column.width, row.columns[i + 1].left);
    }
    // One more digit moves nothing where the row holds its usual numbers.
    if (rate == QLatin1String("50.0")) {
        numbers[0].value = numbers[3].value = QStringLiteral("7");
        numbers[1].value = QStringLiteral("9.1");
        const NumberRow shorter = placeNumbers(numbers, 10, width);
        for (std::size_t i = 0; width >= 271 && i < 4; ++i)
            QCOMPARE(shorter.columns[i].left, row.columns[i].left);
    }
}

void TestLaneCard::findingsAreFoldedAfterTheSources() {
    std::vector<LaneBadge> badges{{QStringLiteral("clock: kernel RX"), false, QStringLiteral("clock tip")},
                                  {QStringLiteral("events only"), false, QStringLiteral("tokens tip")},
                                  {QStringLiteral("buffered on the way"), false, QStringLiteral("finding tip")}};
    badges[0].source = badges[1].source = true;
    const BadgeRow row = placeBadges(badges, QRect(0, 0, 190, 18));
    QVERIFY(!row.folded.empty());
    QVERIFY(std::none_of(row.folded.begin(), row.folded.end(), [](std::size_t i) { return i == 2; }));
    // What laneBadges() makes is told apart.
    for (const LaneBadge& badge : laneBadges(find("shared-reads").shot()))
        QCOMPARE(badge.source,
                 badge.words.startsWith(QLatin1String("clock")) || badge.words.startsWith(QLatin1String("tokens:")));
}

void TestLaneCard::theDeathOfAnEngineIsTheLanesMessage() {
    const LaneCase& c = find("cut");
    RunSpec local = c.config.spec;
    local.local.emplace().path = "/models/small.gguf";
    RunRecord record = *c.record;
    record.end.emplace();
    record.end->kind = ErrorKind::connectionClosed;
    record.end->message = "The engine was killed or crashed while it ran. It said last:\nserving <b>\nno more memory";
    const FailureWords words = failureWords(record, local);
    QCOMPARE(words.sentence, QStringLiteral("The engine was killed or crashed while it ran."));
    QCOMPARE(words.body, QStringLiteral("serving <b>\nno more memory"));
    QCOMPARE(words.facts.front().second, QStringLiteral("/models/small.gguf"));
    FailurePanel panel;
    panel.show(words, FailurePanel::Form::band);
    QVERIFY(panel.toolTip().contains(QLatin1String("no more memory")));
    QVERIFY(!Qt::mightBeRichText(panel.toolTip()) || panel.toolTip().contains(QLatin1String("&lt;b&gt;")));
    // The same end of another server's stream is that server's.
    QCOMPARE(failureWords(record, c.config.spec).sentence,
             QStringLiteral("The server closed the connection in mid-sentence."));
}

void TestLaneCard::badgesNameTheirSources() {
    const auto badges = laneBadges(find("shared-reads").shot());
    QCOMPARE(badges.at(0).words, QStringLiteral("clock: kernel RX"));
    QCOMPARE(badges.at(1).words, QStringLiteral("tokens: per event"));
    QVERIFY(badges.at(2).stall);
    QVERIFY(badges.at(2).words.startsWith(QLatin1String("1 stall")));
    QVERIFY(laneBadges(find("idle").shot()).empty());
    for (const LaneBadge& badge : badges)
        QVERIFY(!badge.tip.isEmpty());
}

void TestLaneCard::aRefusedCertificateCanBeTrusted() {
    std::string fingerprint = "AB";
    for (int i = 1; i < 32; ++i)
        fingerprint += ":0" + std::to_string(i % 10);
    LaneCase c = find("unreachable");
    RunRecord record = *c.record;
    record.end->kind = ErrorKind::tls;
    record.end->message = "The certificate of h:443 is not trusted: It is self-signed. Its SHA-256 fingerprint is " +
                          fingerprint + ". If this is your own server, trust it.";
    const FailureWords words = failureWords(record, c.config.spec);
    QCOMPARE(words.fingerprint.toStdString(), fingerprint);
    QCOMPARE(words.facts.back().second,
             QStringLiteral("The certificate of h:443 is not trusted: It is self-signed. If this is your own server, "
                            "trust it.")); // the fingerprint is a fact of its own
    FailurePanel panel;
    panel.resize(398, 300);
    panel.show(words, FailurePanel::Form::whole);
    static_cast<QWidget&>(panel).show();
    QSignalSpy trusted(&panel, &FailurePanel::trustRequested);
    const auto press = [&panel] {
        for (auto* button : panel.findChildren<QAbstractButton*>()) {
            if (button->isVisible() && button->text().startsWith(QLatin1String("Trust")))
                QTest::mouseClick(button, Qt::LeftButton);
        }
    };
    press();
    QCOMPARE(trusted.size(), 1);
    QCOMPARE(trusted.at(0).at(0).toString().toStdString(), fingerprint);
    panel.setRunnable(false); // a recording's lane cannot be asked again
    press();
    QCOMPARE(trusted.size(), 1);
    record.end->kind = ErrorKind::unreachable;
    QVERIFY(failureWords(record, c.config.spec).fingerprint.isEmpty());
}

void TestLaneCard::badgesTellWhyItStalledAndWhatHeldItUp() {
    LaneShot shot = find("shared-reads").shot();
    RunSummary summary = *shot.summary;
    const auto stall = [](StallKind kind, double lengthS, const char* evidence) {
        Stall each;
        each.kind = kind;
        each.lengthS = lengthS;
        each.evidence = evidence;
        return each;
    };
    summary.stalls = {stall(StallKind::delivery, 0.3, "It caught up."),
                      stall(StallKind::generation, 0.9, "It did not."), stall(StallKind::client, 2, "It was us.")};
    summary.clientGaps = 1;
    summary.hiccupGaps = 2;
    summary.buffering = {};
    summary.buffering.bufferBytes = 16384;
    summary.buffering.signs = {{BufferingKind::proxyBuffer, "Bursts of 16 KiB.", "Switch it off."},
                               {BufferingKind::bursts, "In bursts.", ""},
                               {BufferingKind::merged, "Merged.", ""}};
    shot.summary = &summary;
    QStringList words;
    for (const LaneBadge& badge : laneBadges(shot)) {
        words << badge.words;
        if (badge.stall)
            QVERIFY(badge.tip.contains(QStringLiteral("Generation stall, ")) &&
                    badge.tip.contains(QStringLiteral("It did not.")));
    }
    QVERIFY2(words.contains(QStringLiteral("2 stalls: 1 delivery, 1 generation")), qPrintable(words.join(u'|')));
    QVERIFY(words.contains(QStringLiteral("1 gap hatched")) && words.contains(QStringLiteral("2 gaps over hiccups")));
    QVERIFY(words.contains(QStringLiteral("buffered, 16 KiB")));
    QVERIFY2(words.indexOf(QStringLiteral("buffered, 16 KiB")) < words.indexOf(QStringLiteral("1 gap hatched")),
             "what the way did weighs more than what is only marked, and is folded later");
    QVERIFY2(!words.contains(QStringLiteral("in bursts")), "the buffer says it already");
}

void TestLaneCard::theStallsBadgeIsFoldedLast() {
    const std::vector<LaneBadge> badges{{QStringLiteral("clock: kernel RX"), false, QStringLiteral("clock tip")},
                                        {QStringLiteral("tokens: usage total"), false, QStringLiteral("tokens tip")},
                                        {QStringLiteral("9 stalls: 8 generation, 1 unknown"), true,
                                         QStringLiteral("stall tip"), QStringLiteral("9 stalls")}};
    const auto shownIn = [&](int width) {
        QStringList words;
        const BadgeRow row = placeBadges(badges, QRect(0, 0, width, 18));
        for (const BadgeRow::Shown& shown : row.shown) {
            if (shown.rect.right() > width)
                words << QStringLiteral("too far");
            words << shown.words;
        }
        return words;
    };
    QCOMPARE(shownIn(900).size(), 3);
    const QStringList wide = shownIn(360);
    QVERIFY2(wide.contains(QStringLiteral("9 stalls: 8 generation, 1 unknown")) && wide.size() == 2,
             qPrintable(wide.join(u'|')));
    const QStringList narrow = shownIn(120);
    QCOMPARE(narrow, QStringList{QStringLiteral("9 stalls")});
    const BadgeRow row = placeBadges(badges, QRect(0, 0, 120, 18));
    QCOMPARE(row.folded.size(), std::size_t(2));
    QVERIFY(badgeTip(badges, row, row.shown[0].rect.center()).startsWith(badges[2].words));
    QVERIFY(badgeTip(badges, row, row.fold.center()).contains(QStringLiteral("tokens tip")));
    QVERIFY(badgeTip(badges, row, QPoint(500, 5)).isEmpty());
}

void TestLaneCard::buttonsTellTheirLane() {
    const LaneCase& c = find("failed");
    LaneCard card(m_view);
    card.setLaneId(42);
    card.resize(398, 332);
    card.show();
    card.advance(c.shot());
    QSignalSpy key(&card, &LaneCard::changeKeyRequested), run(&card, &LaneCard::runRequested);
    for (auto* button : card.findChildren<QAbstractButton*>()) {
        if (button->isVisible() &&
            (button->text().startsWith(QLatin1String("Change")) || button->text().startsWith(QLatin1String("Run"))))
            QTest::mouseClick(button, Qt::LeftButton);
    }
    QCOMPARE(key.size(), 1);
    QCOMPARE(run.size(), 1);
    QCOMPARE(key.at(0).at(0).value<LaneId>(), LaneId{42});
    // The menu: every entry asks for something of this lane.
    QSignalSpy edit(&card, &LaneCard::editRequested), duplicate(&card, &LaneCard::duplicateRequested),
        remove(&card, &LaneCard::removeRequested), move(&card, &LaneCard::moveRequested);
    auto* menu = card.findChild<QMenu*>();
    QVERIFY(menu);
    emit menu->aboutToShow();
    for (QAction* action : menu->actions()) {
        if (action->isEnabled() && !action->isSeparator())
            action->trigger();
    }
    QCOMPARE(edit.size(), 1);
    QCOMPARE(duplicate.size(), 1);
    QCOMPARE(remove.size(), 1);
    QCOMPARE(move.size(), 2);
    QCOMPARE(key.size(), 2);
    QCOMPARE(run.size(), 2);
}

void TestLaneCard::readingRowShowsTheReader() {
    const LaneCase& c = find("running");
    LaneCard card(m_view);
    card.setLaneId(1);
    card.resize(398, 332);
    card.show();
    card.advance(c.shot());
    QSignalSpy toggled(&card, &LaneCard::readingToggled);
    card.setReadingWordsPerMinute(1000);
    card.setReadingOn(true);
    QCOMPARE(toggled.size(), 1);
    card.advance(c.shot());
    QString words;
    for (auto* child : card.findChildren<QWidget*>()) {
        if (child->accessibleDescription().contains(QLatin1String("perceived")))
            words = child->accessibleDescription();
    }
    QVERIFY2(words.contains(QLatin1String("lead ")) && words.contains(QLatin1String("tok/s")), qPrintable(words));
    card.setReadingOn(false);
    QVERIFY(!card.readingOn());
}

void TestLaneCard::everyControlHasAName() {
    LaneCard card(m_view);
    card.resize(398, 332);
    card.show();
    card.advance(find("done").shot());
    for (auto* button : card.findChildren<QAbstractButton*>())
        QVERIFY(!button->accessibleName().isEmpty() || !button->text().isEmpty());
    QVERIFY(card.accessibleName().contains(QLatin1String("SmolLM2")));
    QVERIFY(card.text().accessibleName().contains(QLatin1String("SmolLM2")));
    QVERIFY(card.text().accessibleDescription().contains(QLatin1String("token events")));
}

void TestLaneCard::keyboardReachesTheControls() {
    LaneCard card(m_view);
    card.resize(398, 332);
    card.show();
    card.advance(find("done").shot());
    QVERIFY(QTest::qWaitForWindowExposed(&card));
    QVERIFY(card.text().focusPolicy() & Qt::TabFocus);
    for (auto* button : card.findChildren<QToolButton*>())
        QVERIFY2(button->focusPolicy() & Qt::TabFocus, qPrintable(button->accessibleName()));
}

QTEST_MAIN(TestLaneCard)
#include "tst_lane_card.moc"
