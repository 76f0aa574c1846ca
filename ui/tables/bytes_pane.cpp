#include "ui/tables/bytes_pane.h"

#include "ui/tables/panel_header.h"
#include "ui/tables/stall_model.h"
#include "ui/theme/format.h"
#include "ui/theme/look.h"
#include "ui/theme/plain_tip.h"
#include "ui/theme/stall_marks.h"

#include <QPlainTextEdit>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace decodescope {

/// How a stretch of the pane is painted.
struct BytesPane::Piece {
    enum class Kind { heading, bytes, silence };
    Kind kind = Kind::bytes;
    QString text;
    std::vector<std::pair<int, int>> marked; ///< in `text`
};

namespace {

/// A read can hold megabytes: shown is the part around the event.
constexpr std::size_t kMostBytes = 16 << 10;
constexpr int kEdge = 4; ///< the panel's edges beside the text

struct Excerpt {
    std::string_view bytes;
    std::size_t skipped = 0; ///< before
    std::size_t left = 0;    ///< after
    std::optional<ByteRange> mark;
};

Excerpt cut(std::string_view bytes, std::optional<ByteRange> mark) {
    Excerpt out{bytes, 0, 0, mark};
    if (bytes.size() <= kMostBytes)
        return out;
    const std::size_t wanted = mark ? mark->first - std::min(mark->first, kMostBytes / 4) : 0;
    out.skipped = std::min(wanted, bytes.size() - kMostBytes);
    out.bytes = bytes.substr(out.skipped, kMostBytes);
    out.left = bytes.size() - kMostBytes - out.skipped;
    if (mark)
        out.mark = ByteRange{mark->first - out.skipped, std::min(mark->second - out.skipped, out.bytes.size())};
    return out;
}

QString reading(const RunRecord& record, const ByteChunk& chunk) {
    const double atS = record.started ? toSeconds(chunk.at - *record.started) : 0.0;
    return BytesPane::tr("Read %1 at %2 s, %3")
        .arg(chunk.read)
        .arg(atS, 0, 'f', 4)
        .arg(formatBytes(static_cast<double>(chunk.bytes.size())).replace(QChar(0x2009), QLatin1Char(' ')));
}

/// What is known of the stall that an event ended, what other lanes did included; nothing when it ended none.
std::optional<QString> whySilent(const Session& session, LaneId lane, std::uint32_t event) {
    for (const StallRow& row : collectStalls(session))
        if (row.ref.lane == lane && row.ender && row.ender->event == event)
            return stallAccount(row.stall, row.precise).replace(QChar(0x2009), QLatin1Char(' '));
    return std::nullopt;
}

} // namespace

BytesPane::BytesPane(ViewState& view, QWidget* parent)
    : QWidget(parent)
    , m_view(view)
    , m_header(new PanelHeader(tr("Bytes"), this))
    , m_hex(m_header->addButton({}, tr("hex")))
    , m_text(new QPlainTextEdit(this)) {
    setAccessibleName(tr("Bytes of the selected token"));
    m_text->setReadOnly(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_text->setLineWrapMode(QPlainTextEdit::WidgetWidth);
    m_text->setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    m_text->setFrameShape(QFrame::NoFrame);
    m_text->setProperty("pane", true);
    m_text->setUndoRedoEnabled(false);
    m_text->setAccessibleName(tr("Raw bytes as they were read"));
    m_hex->setCheckable(true);
    m_hex->setAccessibleName(tr("Show the bytes as hexadecimal numbers"));
    setPlainTip(m_hex, tr("Show the bytes as hexadecimal numbers."));

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(1, 1, 1, 6);
    layout->setSpacing(0);
    layout->addWidget(m_header);
    layout->addWidget(m_text, 1);

    connect(m_hex, &QToolButton::toggled, this, [this](bool on) { setForm(on ? ByteForm::hex : ByteForm::text); });
    connect(&m_view, &ViewState::selectedChanged, this, [this] {
        m_stale = true;
        m_reply.reset();
    });
    connect(&Look::instance(), &Look::changed, this, [this] {
        dress();
        m_stale = true;
        update();
    });
    dress();
}

void BytesPane::dress() {
    const Look& look = Look::instance();
    m_text->setFont(look.font(Type::mono));
    m_text->document()->setDocumentMargin(10);
    QPalette palette = m_text->palette();
    palette.setColor(QPalette::Base, look.colours().surface);
    palette.setColor(QPalette::Text, look.colours().ink);
    m_text->setPalette(palette);
    fitHex();
}

void BytesPane::setForm(ByteForm form) {
    m_form = form;
    m_hex->setChecked(form == ByteForm::hex);
    m_stale = true;
    emit wanted();
}

void BytesPane::showReply(LaneId lane) {
    m_reply = lane;
    m_stale = true;
    emit wanted();
}

QString BytesPane::shownText() const {
    return m_text->toPlainText();
}

void BytesPane::advance(const Session& session) {
    const auto token = m_view.selected();
    const Lane* lane = m_reply ? session.lane(*m_reply) : token ? session.lane(token->lane) : nullptr;
    const LaneRun* run = lane != nullptr ? lane->current() : nullptr;
    // A new run of the lane has other bytes under the same number.
    const auto key = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(run));
    if (!m_stale && token == m_shown && key == m_runKey)
        return;
    m_stale = false;
    m_shown = token;
    m_runKey = key;
    if (m_reply && run)
        return showReads(session, *m_reply);
    if (!token)
        return showHint(tr("Select a token to see the bytes that brought it."));
    if (run == nullptr || token->event >= run->record->events.size())
        return showHint(tr("This token is no longer shown."));
    showToken(session, *token);
}

void BytesPane::showHint(const QString& hint) {
    m_header->setNote({});
    put({{Piece::Kind::heading, hint, {}}});
}

void BytesPane::showReads(const Session& session, LaneId lane) {
    const Lane& shown = *session.lane(lane);
    const LaneRun& run = *shown.current();
    const std::uint32_t count = run.raw ? static_cast<std::uint32_t>(run.raw->chunkCount()) : 0;
    if (count == 0)
        return showHint(tr("No byte came."));
    // The end of the reply tells what went wrong: the last reads that fit.
    std::vector<ByteChunk> reads;
    std::size_t bytes = 0;
    std::uint32_t first = count;
    while (first > 0 && bytes < kMostBytes) {
        auto chunk = run.raw->chunk(first - 1);
        if (!chunk)
            break;
        bytes += chunk->bytes.size();
        reads.push_back(std::move(*chunk));
        --first;
    }
    std::vector<Piece> pieces;
    if (first > 0)
        pieces.push_back({Piece::Kind::heading, tr("%1 reads before are not shown").arg(first), {}});
    for (auto chunk = reads.rbegin(); chunk != reads.rend(); ++chunk) {
        const Excerpt part = cut(chunk->bytes, std::nullopt);
        pieces.push_back({Piece::Kind::heading, reading(*run.record, *chunk), {}});
        pieces.push_back({Piece::Kind::bytes, showBytes(part.bytes, m_form, {}, m_hexRow).text, {}});
        if (part.left > 0)
            pieces.push_back({Piece::Kind::heading, tr("%1 bytes after are not shown").arg(part.left), {}});
    }
    m_header->setNote(tr("%1, the reply as it came").arg(QString(Look::instance().lane(shown.config().look).letter)));
    put(pieces);
    if (first > 0)
        m_text->moveCursor(QTextCursor::End);
}

void BytesPane::showToken(const Session& session, const TokenRef& token) {
    const LaneRun& run = *session.lane(token.lane)->current();
    const RunRecord& record = *run.record;
    const TokenEvent& event = record.events[token.event];
    const auto chunk = run.raw ? run.raw->chunk(event.read) : std::nullopt;
    if (!chunk)
        return showHint(tr("The bytes of read %1 are not kept in memory.").arg(event.read));

    // The read's token events in order tell which of its messages is meant.
    std::uint32_t first = token.event;
    while (first > 0 && record.events[first - 1].read == event.read)
        --first;
    std::vector<std::string_view> texts;
    for (std::uint32_t i = first; i <= token.event; ++i)
        texts.push_back(record.textOf(record.events[i]));
    const Excerpt now = cut(chunk->bytes, findEvent(chunk->bytes, texts, token.event - first));

    std::vector<Piece> pieces;
    const auto add = [&](const Excerpt& part, const ByteChunk& of) {
        pieces.push_back({Piece::Kind::heading, reading(record, of), {}});
        if (part.skipped > 0)
            pieces.push_back({Piece::Kind::heading, tr("%1 bytes before are not shown").arg(part.skipped), {}});
        ByteLines lines = showBytes(part.bytes, m_form, part.mark, m_hexRow);
        pieces.push_back({Piece::Kind::bytes, lines.text, std::move(lines.marked)});
        if (part.left > 0)
            pieces.push_back({Piece::Kind::heading, tr("%1 bytes after are not shown").arg(part.left), {}});
    };
    if (event.read > 0) {
        if (const auto before = run.raw->chunk(event.read - 1)) {
            Excerpt tail{before->bytes, 0, 0, {}};
            if (before->bytes.size() > kMostBytes / 4) {
                tail.skipped = before->bytes.size() - kMostBytes / 4;
                tail.bytes = tail.bytes.substr(tail.skipped);
            }
            add(tail, *before);
            const Quantity silence = formatGap(toSeconds(chunk->at - before->at), record.clock != ClockSource::user);
            pieces.push_back(
                {Piece::Kind::silence, tr("%1 of silence").arg(silence.value + QLatin1Char(' ') + silence.unit), {}});
            if (const auto why = whySilent(session, token.lane, first))
                pieces.push_back({Piece::Kind::heading, *why, {}});
        }
    }
    add(now, *chunk);
    m_header->setNote(tr("%1, token event %2")
                          .arg(QString(Look::instance().lane(session.lane(token.lane)->config().look).letter))
                          .arg(token.event + 1));
    put(pieces);
}

void BytesPane::put(const std::vector<Piece>& pieces) {
    const Colours& colours = Look::instance().colours();
    QString text;
    QList<QTextEdit::ExtraSelection> selections;
    struct Span {
        qsizetype begin, length;
        QColor ground, ink;
        bool wholeLine;
    };
    std::vector<Span> spans;
    int marked = -1;
    for (const Piece& piece : pieces) {
        if (!text.isEmpty())
            text += QLatin1Char('\n');
        const qsizetype begin = text.size();
        text += piece.text;
        if (piece.kind == Piece::Kind::heading)
            spans.push_back({begin, piece.text.size(), {}, colours.ink3, false});
        if (piece.kind == Piece::Kind::silence)
            spans.push_back({begin, piece.text.size(), colours.stallFill, colours.stall, true});
        for (const auto& [at, length] : piece.marked) {
            if (marked < 0)
                marked = static_cast<int>(begin) + at;
            spans.push_back({begin + at, length, colours.selection, colours.ink, false});
        }
    }
    m_text->setPlainText(text);
    for (const Span& span : spans) {
        QTextEdit::ExtraSelection selection;
        selection.cursor = QTextCursor(m_text->document());
        selection.cursor.setPosition(static_cast<int>(span.begin));
        if (!span.wholeLine)
            selection.cursor.setPosition(static_cast<int>(span.begin + span.length), QTextCursor::KeepAnchor);
        if (span.ground.isValid())
            selection.format.setBackground(span.ground);
        selection.format.setForeground(span.ink);
        if (span.wholeLine) {
            selection.format.setProperty(QTextFormat::FullWidthSelection, true);
            QTextEdit::ExtraSelection ink = selection;
            ink.cursor.setPosition(static_cast<int>(span.begin + span.length), QTextCursor::KeepAnchor);
            ink.format.clearProperty(QTextFormat::FullWidthSelection);
            selections << selection;
            selections << ink;
            continue;
        }
        selections << selection;
    }
    m_text->setExtraSelections(selections);
    QTextCursor cursor(m_text->document());
    cursor.setPosition(std::max(0, marked));
    m_text->setTextCursor(cursor);
    m_text->centerCursor();
}

void BytesPane::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitHex();
}

void BytesPane::fitHex() {
    // A scroll bar that comes must not break the lines it came for.
    const double room = width() - 2 * m_text->document()->documentMargin() -
                        m_text->style()->pixelMetric(QStyle::PM_ScrollBarExtent) - kEdge;
    const int row = hexRowFor(static_cast<int>(room / QFontMetricsF(m_text->font()).horizontalAdvance(u'0')));
    if (row == m_hexRow)
        return;
    m_hexRow = row;
    if (m_form != ByteForm::hex)
        return;
    m_stale = true;
    emit wanted();
}

void BytesPane::paintEvent(QPaintEvent*) {
    paintPanel(*this);
}

} // namespace decodescope
