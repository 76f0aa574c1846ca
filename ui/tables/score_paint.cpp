#include "ui/tables/score_paint.h"

#include "ui/tables/score_model.h"
#include "ui/theme/look.h"
#include "ui/theme/plain_tip.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <span>

namespace decodescope {
namespace {

constexpr int kRowHeight = 19; // twelve rows and two notes fit beside the lanes of a 1600 x 1000 window
constexpr int kHeaderHeight = 22;
constexpr qreal kPadding = 10;
constexpr qreal kChip = 14;
constexpr qreal kNoteLine = 18;
constexpr std::size_t kNotesShown = 2; // the others are in the tool tip

/// Icon and colour of a lane state that is worth a glyph beside the chip.
std::pair<QString, QColor> glyphOf(LaneState state, int look) {
    const Look& l = Look::instance();
    switch (state) {
    case LaneState::running:
        return {QStringLiteral("run"), l.lane(look).colour};
    case LaneState::connecting:
    case LaneState::waiting:
        return {QStringLiteral("waiting"), l.colours().ink3};
    case LaneState::failed:
        return {QStringLiteral("fail"), l.colours().fail};
    case LaneState::cut:
        return {QStringLiteral("cut"), l.colours().fail};
    case LaneState::cancelled:
        return {QStringLiteral("cancel"), l.colours().ink2};
    case LaneState::notStreamed:
        return {QStringLiteral("warn"), l.colours().warn};
    case LaneState::idle:
    case LaneState::done:
        break;
    }
    return {};
}

qreal baselineIn(const QRectF& rect, const QFont& font) {
    const QFontMetricsF metrics(font);
    return rect.center().y() + (metrics.ascent() - metrics.descent()) / 2;
}

} // namespace

void ScoreDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const Look& look = Look::instance();
    const Colours& colours = look.colours();
    const QRectF rect = option.rect;
    painter->save();
    if (option.state & QStyle::State_Selected)
        painter->fillRect(option.rect, colours.selection);
    else if (option.state & QStyle::State_MouseOver)
        painter->fillRect(option.rect, colours.hover);
    painter->setPen(QPen(colours.grid, 0));
    painter->drawLine(rect.bottomLeft(), rect.bottomRight());

    const QFont body = look.font(Type::body);
    const QFont small = look.font(Type::small);
    const qreal baseline = baselineIn(rect, body);
    if (index.column() == 0) {
        const QString name = index.data(ScoreModel::nameRole).toString();
        painter->setFont(body);
        painter->setPen(colours.ink2);
        painter->drawText(QPointF(rect.left() + kPadding, baseline), name);
        const qreal after = rect.left() + kPadding + QFontMetricsF(body).horizontalAdvance(name) + 6;
        painter->setFont(small);
        painter->setPen(colours.ink3);
        painter->drawText(QPointF(after, baseline), index.data(ScoreModel::unitRole).toString());
        painter->restore();
        return;
    }
    const bool best = index.data(ScoreModel::bestRole).toBool();
    const bool dim = index.data(ScoreModel::dimRole).toBool();
    QFont font = body;
    if (best)
        font.setWeight(QFont::DemiBold);
    const QString text = index.data(Qt::DisplayRole).toString();
    // A trailing ellipsis hangs outside the column, so that the digits stay under one another.
    const qreal width = QFontMetricsF(font).horizontalAdvance(text);
    const qreal left = rect.right() - kPadding - width;
    painter->setFont(font);
    painter->setPen(dim ? colours.ink3 : colours.ink);
    painter->drawText(QPointF(left, baseline), text);
    const QString ratio = index.data(ScoreModel::ratioRole).toString();
    const qreal ratioWidth = QFontMetricsF(small).horizontalAdvance(ratio);
    if (!ratio.isEmpty() && left - 5 - ratioWidth >= rect.left()) {
        painter->setFont(small);
        painter->setPen(option.state & QStyle::State_Selected ? colours.ink2 : colours.ink3);
        painter->drawText(QPointF(left - 5 - ratioWidth, baseline), ratio);
    }
    painter->restore();
}

QSize ScoreDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const Look& look = Look::instance();
    const QFontMetricsF body(look.font(Type::body));
    const QFontMetricsF small(look.font(Type::small));
    Q_UNUSED(option);
    const bool label = index.column() == 0;
    const QString main = index.data(label ? static_cast<int>(ScoreModel::nameRole) : Qt::DisplayRole).toString();
    const QString side = index.data(label ? ScoreModel::unitRole : ScoreModel::ratioRole).toString();
    const qreal width = body.horizontalAdvance(main) + small.horizontalAdvance(side) + 6 + 2 * kPadding;
    return {static_cast<int>(width) + 1, kRowHeight};
}

ScoreHeader::ScoreHeader(QWidget* parent)
    : QHeaderView(Qt::Horizontal, parent) {
    setSectionsClickable(false);
    setHighlightSections(false);
    setMinimumSectionSize(40);
}

QSize ScoreHeader::sizeHint() const {
    return {QHeaderView::sizeHint().width(), kHeaderHeight};
}

void ScoreHeader::paintSection(QPainter* painter, const QRect& rect, int section) const {
    const Look& look = Look::instance();
    const Colours& colours = look.colours();
    painter->save();
    painter->fillRect(rect, colours.surface);
    painter->setPen(QPen(colours.grid, 0));
    painter->drawLine(rect.bottomLeft(), rect.bottomRight());
    const QVariant lane = model() ? model()->headerData(section, orientation(), ScoreModel::lookRole) : QVariant();
    if (!lane.isValid()) {
        painter->setFont(look.font(Type::small));
        painter->setPen(colours.ink3);
        painter->drawText(QPointF(rect.left() + kPadding, baselineIn(rect, look.font(Type::small))),
                          model() ? model()->headerData(section, orientation(), Qt::DisplayRole).toString()
                                  : QString());
        painter->restore();
        return;
    }
    const QPointF chip(rect.right() - kPadding - kChip + 1, rect.top() + (rect.height() - kChip) / 2);
    look.drawChip(*painter, chip, lane.toInt());
    const auto state =
        static_cast<LaneState>(model()->headerData(section, orientation(), ScoreModel::stateRole).toInt());
    const auto [icon, colour] = glyphOf(state, lane.toInt());
    if (!icon.isEmpty()) {
        const qreal dpr = painter->device()->devicePixelRatioF();
        painter->drawPixmap(QPointF(chip.x() - 18, chip.y()), look.iconPixmap(icon, 14, colour, dpr));
    }
    painter->restore();
}

ScoreNotes::ScoreNotes(QWidget* parent)
    : QWidget(parent) {
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    connect(&Look::instance(), &Look::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void ScoreNotes::setNotes(std::vector<ScoreNote> notes) {
    const QString words = plainNotes(notes);
    const bool same = words == plainNotes(m_notes);
    m_notes = std::move(notes);
    if (same)
        return;
    setAccessibleName(words);
    setPlainTip(this, m_notes.size() > kNotesShown ? words : QString());
    updateGeometry();
    update();
}

int ScoreNotes::heightForWidth(int width) const {
    return flow(width, nullptr);
}

QSize ScoreNotes::sizeHint() const {
    return {200, flow(width() > 0 ? width() : 200, nullptr)};
}

int ScoreNotes::flow(int width, QPainter* painter) const {
    const Look& look = Look::instance();
    const QFont plain = look.font(Type::small);
    QFont strong = plain;
    strong.setWeight(QFont::DemiBold);
    const qreal right = width - kPadding;
    qreal y = 0;
    for (const ScoreNote& note : std::span(m_notes).first(std::min(m_notes.size(), kNotesShown))) {
        qreal x = kPadding;
        const auto place = [&](qreal w) {
            if (x + w > right && x > kPadding) {
                x = kPadding;
                y += kNoteLine;
            }
        };
        for (const ScoreNotePart& part : note) {
            if (part.chip >= 0) {
                place(kChip);
                if (painter != nullptr)
                    look.drawChip(*painter, QPointF(x, y + (kNoteLine - kChip) / 2), part.chip);
                x += kChip + 2; // the space after a chip is thin
                continue;
            }
            const QFont& font = part.strong ? strong : plain;
            const QFontMetricsF metrics(font);
            const QStringList words = part.text.split(QLatin1Char(' '));
            for (qsizetype i = 0; i < words.size(); ++i) {
                if (i > 0)
                    x += metrics.horizontalAdvance(QLatin1Char(' '));
                const qreal w = metrics.horizontalAdvance(words[i]);
                place(w);
                if (painter != nullptr && !words[i].isEmpty()) {
                    painter->setFont(font);
                    painter->setPen(part.strong ? look.colours().ink : look.colours().ink2);
                    painter->drawText(QPointF(x, baselineIn(QRectF(0, y, width, kNoteLine), font)), words[i]);
                }
                x += w;
            }
        }
        y += kNoteLine;
    }
    return static_cast<int>(y);
}

void ScoreNotes::paintEvent(QPaintEvent* event) {
    Q_UNUSED(event);
    QPainter painter(this);
    flow(width(), &painter);
}

QString plainNotes(const std::vector<ScoreNote>& notes) {
    QStringList lines;
    for (const ScoreNote& note : notes) {
        QString line;
        for (const ScoreNotePart& part : note)
            line += part.chip >= 0 ? QString(Look::instance().lane(part.chip).letter) : part.text;
        lines << line;
    }
    return lines.join(QLatin1Char('\n'));
}

} // namespace decodescope
