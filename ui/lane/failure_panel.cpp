#include "ui/lane/failure_panel.h"

#include "ui/theme/look.h"
#include "ui/theme/plain_tip.h"

#include <QIcon>
#include <QPainter>
#include <QPushButton>
#include <QTextLayout>
#include <QTextOption>

#include <algorithm>
#include <cmath>

namespace decodescope {
namespace {

constexpr int kSide = 10;
constexpr int kButton = 28;
constexpr int kBottom = 8;
constexpr int kFactLabel = 64;
constexpr int kFactLine = 18;
constexpr int kBandHeight = 88;
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

int FailurePanel::heightOf(Form form) {
    return form == Form::line ? kButton + 2 * kBottom : kBandHeight;
}

void FailurePanel::show(const FailureWords& words, Form form) {
    m_words = words;
    m_form = form;
    m_changeKey->setVisible(words.keyMatters && m_runnable && form != Form::line);
    m_trust->setVisible(!words.fingerprint.isEmpty() && m_runnable && form != Form::line);
    setPlainTip(m_trust,
                tr("Pins this certificate to the lane, whoever else vouches for it or not.\nCompare its SHA-256 "
                   "with the server's own first:\n%1")
                    .arg(words.fingerprint));
    m_runAgain->setVisible(m_runnable);
    m_bytes->setVisible(words.answered && form != Form::line);
    setAccessibleName(words.sentence);
    setAccessibleDescription(words.done);
    // A card has seldom room for all of it. Escaped: what servers and programs say is never markup.
    const QString all = words.body.isEmpty() ? words.sentence : words.sentence + QLatin1Char('\n') + words.body;
    constexpr qsizetype kMostTip = 2000;
    setPlainTip(this, plainTip(all.right(kMostTip)));
    place();
    update();
}

void FailurePanel::setRunnable(bool runnable) {
    m_runnable = runnable;
    m_runAgain->setVisible(runnable);
    m_trust->setVisible(runnable && !m_words.fingerprint.isEmpty() && m_form != Form::line);
    m_changeKey->setVisible(runnable && m_words.keyMatters && m_form != Form::line);
    place();
}

int FailurePanel::contentBottom() const {
    return height() - kBottom - kButton - 8;
}

void FailurePanel::place() {
    const int y = height() - kBottom - kButton;
    int x = kSide;
    if (m_form == Form::line) {
        const int w = m_runAgain->isHidden() ? 0 : m_runAgain->sizeHint().width();
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
    const QRectF room(kSide, y, width() - 2 * kSide, std::max(0.0, bottom - y));
    const QRectF used = painter.boundingRect(room, Qt::TextWordWrap | Qt::AlignLeft, text);
    painter.drawText(room, Qt::TextWordWrap | Qt::AlignLeft, text);
    return y + std::ceil(used.height());
}

void FailurePanel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Look& look = Look::instance();
    const Colours& colours = look.colours();
    painter.setPen(colours.ink);
    painter.setFont(look.font(Type::title));
    if (m_form == Form::line) {
        const int room = m_runAgain->x() - kSide - 8;
        painter.fillRect(0, 0, width(), 1, colours.border);
        painter.drawText(QRect(kSide, 1, room, height() - 1), Qt::AlignLeft | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(m_words.sentence, Qt::ElideRight, room));
        return;
    }
    qreal y = 2;
    if (m_form == Form::band) {
        painter.fillRect(0, 0, width(), 1, colours.border);
        y = 9;
        painter.drawText(QRectF(kSide, y, width() - 2 * kSide, 16), Qt::AlignLeft | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(m_words.sentence, Qt::ElideRight, width() - 2 * kSide));
        painter.setPen(colours.ink2);
        painter.setFont(look.font(Type::body));
        painter.drawText(QRectF(kSide, y + 17, width() - 2 * kSide, 16), Qt::AlignLeft | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(m_words.done, Qt::ElideRight, width() - 2 * kSide));
        paintKept(painter);
        return;
    }
    const qreal bottom = contentBottom();
    y = paintWrapped(painter, m_words.sentence, y, bottom) + 2;
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

/// On as many lines as there are where no body needs the room: a reason is read, and a fingerprint compared, whole.
qreal FailurePanel::paintFact(QPainter& painter, const QString& value, qreal y, qreal bottom) {
    const qreal room = width() - 2 * kSide - kFactLabel;
    QString line = value;
    line.replace(QLatin1Char('\n'), QLatin1Char(' '));
    const QFontMetrics metrics = painter.fontMetrics();
    if (!m_words.body.isEmpty() || metrics.horizontalAdvance(line) <= room) {
        painter.drawText(QRectF(kSide + kFactLabel, y, room, kFactLine), Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(line, Qt::ElideRight, static_cast<int>(room)));
        return kFactLine;
    }
    const qreal above = (kFactLine - metrics.height()) / 2.0;
    // Whole lines only.
    const double lines = std::max(1.0, std::floor((bottom - y - above) / metrics.lineSpacing()));
    const QRectF place(kSide + kFactLabel, y + above, room, lines * metrics.lineSpacing());
    const int wrap = line.contains(QLatin1Char(' ')) ? Qt::TextWordWrap : Qt::TextWrapAnywhere;
    const QRectF used = painter.boundingRect(place, wrap | Qt::AlignLeft, line);
    painter.save();
    painter.setClipRect(place, Qt::IntersectClip);
    painter.drawText(place, wrap | Qt::AlignLeft, line);
    painter.restore();
    return std::max<qreal>(kFactLine, std::min(std::ceil(used.height()), place.height()) + 2 * above);
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
    QTextLayout layout(m_words.body.left(kShown).replace(QLatin1Char('\n'), QChar(QChar::LineSeparator)),
                       look.font(Type::mono));
    QTextOption option;
    option.setWrapMode(QTextOption::WrapAnywhere);
    layout.setTextOption(option);
    const qreal textWidth = width() - 2 * kSide - 2 * (kBodyPadding + 2);
    layout.beginLayout();
    int lines = 0;
    for (QTextLine line = layout.createLine(); line.isValid() && lines < most; line = layout.createLine()) {
        line.setLineWidth(textWidth);
        line.setPosition({0, lines * static_cast<qreal>(kMonoLine) + (kMonoLine - line.height()) / 2});
        ++lines;
    }
    layout.endLayout();
    const QRectF box(kSide, y, width() - 2 * kSide, lines * kMonoLine + 2 * kBodyPadding);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(colours.border);
    painter.setBrush(colours.field);
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    painter.setPen(colours.ink2);
    painter.setClipRect(box, Qt::IntersectClip);
    layout.draw(&painter, box.topLeft() + QPointF(kBodyPadding + 2, kBodyPadding));
}

} // namespace decodescope
