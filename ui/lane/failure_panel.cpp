#include "ui/lane/failure_panel.h"

#include "ui/lane/wrapped_lines.h"
#include "ui/theme/look.h"
#include "ui/theme/plain_tip.h"

#include <QIcon>
#include <QPainter>
#include <QPushButton>

#include <algorithm>

namespace decodescope {
namespace {

constexpr int kSide = 10;
constexpr int kButton = 28;
constexpr int kBottom = 8;
constexpr int kFactLabel = 64;
constexpr int kFactLine = 18;
constexpr int kBandHeight = 88;
constexpr int kBandLine = 17;
constexpr int kMoreButton = 28; // of the card, at the right end of the button row
constexpr int kMonoLine = 17;
constexpr int kBodyPadding = 6;

} // namespace

FailurePanel::FailurePanel(QWidget* parent)
    : QWidget(parent)
    , m_changeKey(new QPushButton(tr("Change key\u2026"), this))
    , m_trust(new QPushButton(tr("Trust certificate"), this))
    , m_runAgain(new QPushButton(tr("Run lane again"), this))
    , m_bytes(new QPushButton(tr("Show bytes"), this)) {
    setFocusProxy(m_runAgain);
    setPlainTip(m_bytes, tr("The reply as it came, byte by byte"));
    connect(m_bytes, &QPushButton::clicked, this, &FailurePanel::bytesRequested);
    m_changeKey->setIcon(Look::instance().icon(QStringLiteral("key")));
    m_changeKey->setIconSize({14, 14});
    connect(m_changeKey, &QPushButton::clicked, this, &FailurePanel::changeKeyRequested);
    connect(m_trust, &QPushButton::clicked, this, [this] { emit trustRequested(m_words.fingerprint); });
    connect(m_runAgain, &QPushButton::clicked, this, &FailurePanel::runRequested);
    connect(&Look::instance(), &Look::changed, this, qOverload<>(&QWidget::update));
}

int FailurePanel::heightOf(Form form) const {
    if (form == Form::line)
        return kButton + 2 * kBottom;
    return kBandHeight + (m_words.reason.second.isEmpty() ? 0 : kBandLine);
}

void FailurePanel::show(const FailureWords& words, Form form) {
    if (words == m_words && form == m_form)
        return;
    m_words = words;
    setPlainTip(m_trust,
                tr("Pins this certificate to the lane, whoever else vouches for it or not.\nCompare its SHA-256 "
                   "with the server's own first:\n%1")
                    .arg(words.fingerprint));
    m_trust->setText(words.trusted ? tr("Certificate pinned") : tr("Trust certificate"));
    if (words.trusted && m_trust->hasFocus())
        m_runAgain->setFocus(); // which is what is to be pressed next
    m_trust->setEnabled(!words.trusted);
    setAccessibleName(words.sentence);
    setAccessibleDescription(words.reason.second.isEmpty() ? words.done
                                                           : words.reason.second + QLatin1Char('\n') + words.done);
    // A card has seldom room for all of it.
    constexpr qsizetype kMostTip = 2000;
    QString tip = words.sentence;
    if (!words.reason.second.isEmpty())
        tip += QLatin1Char('\n') + words.reason.first + QStringLiteral(": ") + words.reason.second.left(kMostTip);
    if (!words.body.isEmpty())
        tip += QLatin1Char('\n') + words.body.right(kMostTip); // what a program said last tells most
    setPlainTip(this, tip);
    m_form = form;
    showButtons();
}

void FailurePanel::setForm(Form form) {
    if (form == m_form)
        return;
    m_form = form;
    showButtons();
}

void FailurePanel::setRunnable(bool runnable) {
    m_runnable = runnable;
    showButtons();
}

void FailurePanel::showButtons() {
    const bool all = m_form != Form::line;
    m_changeKey->setVisible(all && m_runnable && m_words.keyMatters);
    m_trust->setVisible(all && m_runnable && !m_words.fingerprint.isEmpty());
    m_runAgain->setVisible(m_runnable);
    m_bytes->setVisible(all && m_words.answered);
    place();
    update();
}

int FailurePanel::contentBottom() const {
    return height() - kBottom - kButton - 8;
}

void FailurePanel::place() {
    const int y = height() - kBottom - kButton;
    int x = kSide;
    if (m_form == Form::line) {
        const int w = m_runAgain->sizeHint().width();
        m_runAgain->setGeometry(width() - kSide - kMoreButton - w, y, w, kButton);
        return;
    }
    for (QPushButton* button : {m_changeKey, m_trust, m_runAgain, m_bytes}) {
        if (button->isHidden())
            continue;
        const int w = button->sizeHint().width();
        // In a narrow card the bytes are reached by the menu alone.
        const bool fits = button != m_bytes || x + w <= width() - kSide - kMoreButton;
        button->setGeometry(fits ? x : width(), y, w, kButton);
        x += fits ? w + 6 : 0;
    }
    m_buttonsEnd = x;
}

void FailurePanel::resizeEvent(QResizeEvent*) {
    place();
}

qreal FailurePanel::paintWrapped(QPainter& painter, const QString& text, qreal y, qreal bottom) {
    const qreal pitch = painter.fontMetrics().lineSpacing();
    const int most = std::max(1, static_cast<int>((bottom - y) / pitch));
    for (const QString& line : wrappedLines(text, painter.font(), width() - 2 * kSide, most, QTextOption::WordWrap)) {
        painter.drawText(QRectF(kSide, y, width() - 2 * kSide, pitch), Qt::AlignLeft | Qt::AlignVCenter, line);
        y += pitch;
    }
    return y;
}

void FailurePanel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Look& look = Look::instance();
    const Colours& colours = look.colours();
    painter.setPen(colours.ink);
    painter.setFont(look.font(Type::title));
    if (m_form != Form::whole) {
        painter.fillRect(0, 0, width(), 1, colours.border);
        m_form == Form::line ? paintLine(painter) : paintBand(painter);
        return;
    }
    const qreal bottom = contentBottom();
    qreal y = paintWrapped(painter, m_words.sentence, 2, bottom) + 2;
    painter.setPen(colours.ink2);
    painter.setFont(look.font(Type::body));
    y = paintWrapped(painter, m_words.done, y, bottom) + 8;
    for (const auto& [label, value] : m_words.facts) {
        if (y + kFactLine > bottom)
            break;
        painter.setPen(colours.ink3);
        painter.drawText(QRectF(kSide, y, kFactLabel, kFactLine), Qt::AlignLeft | Qt::AlignVCenter, label);
        painter.setPen(colours.ink);
        y += paintFact(painter, value, y, bottom) + 1;
    }
    paintBody(painter, y + 5, bottom);
}

/// One sentence beside the button, on two lines if need be: of a server that told why, its own words.
void FailurePanel::paintLine(QPainter& painter) {
    const auto& [label, reason] = m_words.reason;
    QString words = reason.isEmpty() ? m_words.sentence : label + QStringLiteral(": ") + reason;
    words.replace(QLatin1Char('\n'), QLatin1Char(' '));
    const int right = m_runAgain->isHidden() ? width() - kSide - kMoreButton : m_runAgain->x();
    const int room = right - kSide - 8;
    const QStringList lines = wrappedLines(words, painter.font(), room, 2, QTextOption::WordWrap);
    const qreal pitch = painter.fontMetrics().lineSpacing();
    qreal y = 1 + (height() - 1 - static_cast<double>(lines.size()) * pitch) / 2;
    for (const QString& line : lines) {
        painter.drawText(QRectF(kSide, y, room, pitch), Qt::AlignLeft | Qt::AlignVCenter, line);
        y += pitch;
    }
}

void FailurePanel::paintBand(QPainter& painter) {
    const Look& look = Look::instance();
    const Colours& colours = look.colours();
    qreal y = 9;
    const auto put = [&](QString text, qreal left) {
        const qreal room = width() - kSide - left;
        text.replace(QLatin1Char('\n'), QLatin1Char(' '));
        painter.drawText(QRectF(left, y, room, 16), Qt::AlignLeft | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(text, Qt::ElideRight, static_cast<int>(room)));
    };
    put(m_words.sentence, kSide);
    y += kBandLine;
    painter.setFont(look.font(Type::body));
    if (const auto& [label, reason] = m_words.reason; !reason.isEmpty()) {
        put(reason, kSide + kFactLabel);
        painter.setPen(colours.ink3);
        put(label, kSide);
        y += kBandLine;
    }
    painter.setPen(colours.ink2);
    put(m_words.done, kSide);
    paintKept(painter);
}

/// On as many lines as there are where no body needs the room: a reason is read, and a fingerprint compared, whole.
qreal FailurePanel::paintFact(QPainter& painter, const QString& value, qreal y, qreal bottom) {
    const qreal room = width() - 2 * kSide - kFactLabel;
    QString text = value;
    text.replace(QLatin1Char('\n'), QLatin1Char(' '));
    const QFontMetrics metrics = painter.fontMetrics();
    const qreal above = (kFactLine - metrics.height()) / 2.0;
    const int fit = static_cast<int>((bottom - y - above) / metrics.lineSpacing());
    const int most = m_words.body.isEmpty() ? std::max(1, fit) : 1;
    const auto wrap = text.contains(QLatin1Char(' ')) ? QTextOption::WordWrap : QTextOption::WrapAnywhere;
    const QStringList lines = wrappedLines(text, painter.font(), room, most, wrap);
    qreal at = y + above;
    for (const QString& line : lines) {
        painter.drawText(QRectF(kSide + kFactLabel, at, room, metrics.height()), Qt::AlignLeft | Qt::AlignVCenter,
                         line);
        at += metrics.lineSpacing();
    }
    return std::max<qreal>(kFactLine, at - y + above);
}

/// What had come stays, but counts nowhere: said beside the buttons, where the footer's badges would be.
void FailurePanel::paintKept(QPainter& painter) {
    const Look& look = Look::instance();
    painter.setFont(look.font(Type::small));
    const QString words = tr("kept, in no percentile");
    const int w = painter.fontMetrics().horizontalAdvance(words) + 12;
    const QRect badge(width() - kSide - kMoreButton - w, height() - kBottom - kButton / 2 - 9, w, 18);
    if (badge.left() < m_buttonsEnd + 2)
        return;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(look.colours().raised);
    painter.drawRoundedRect(badge, 3, 3);
    painter.setPen(look.colours().ink2);
    painter.drawText(badge, Qt::AlignCenter, words);
}

void FailurePanel::paintBody(QPainter& painter, qreal y, qreal bottom) {
    const int most = static_cast<int>((bottom - y - 2 * kBodyPadding) / kMonoLine);
    if (m_words.body.isEmpty() || most < 1)
        return;
    const Look& look = Look::instance();
    const Colours& colours = look.colours();
    // Enough for any card; a body may have 64 KiB.
    constexpr qsizetype kShown = 4000;
    const qreal textWidth = width() - 2 * kSide - 2 * (kBodyPadding + 2);
    const QStringList lines =
        wrappedLines(m_words.body.left(kShown), look.font(Type::mono), textWidth, most, QTextOption::WrapAnywhere);
    const QRectF box(kSide, y, width() - 2 * kSide, static_cast<int>(lines.size()) * kMonoLine + 2 * kBodyPadding);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(colours.border);
    painter.setBrush(colours.field);
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    painter.setPen(colours.ink2);
    painter.setFont(look.font(Type::mono));
    qreal top = box.top() + kBodyPadding;
    for (const QString& line : lines) {
        painter.drawText(QRectF(box.left() + kBodyPadding + 2, top, textWidth, kMonoLine),
                         Qt::AlignLeft | Qt::AlignVCenter, line);
        top += kMonoLine;
    }
}

} // namespace decodescope
