#pragma once

#include "ui/tables/byte_text.h"
#include "ui/view_state.h"

#include <QWidget>

#include <cstdint>
#include <optional>

class QPlainTextEdit;
class QToolButton;

namespace decodescope {

class PanelHeader;

/// The raw bytes around the selected token: the read before, the silence, and the read that completed it, with the
/// token's own message marked. Read-only, always plain text.
class BytesPane : public QWidget {
    Q_OBJECT

public:
    explicit BytesPane(ViewState& view, QWidget* parent = nullptr);

    /// Called by the window's tick: shows what was selected since the last one.
    void advance(const Session& session);

    [[nodiscard]] QString shownText() const;
    [[nodiscard]] QPlainTextEdit* editor() const { return m_text; }
    void setForm(ByteForm form);
    /// The whole reply of the lane's shown run, until a token is selected.
    void showReply(LaneId lane);

signals:
    /// Something else is to be shown, which the next tick does.
    void wanted();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Piece; ///< a stretch of the text and how it is painted
    void showToken(const Session& session, const TokenRef& token);
    void showReads(const Session& session, LaneId lane);
    void showHint(const QString& hint);
    void dress();
    void fitHex();
    void put(const std::vector<Piece>& pieces);

    ViewState& m_view;
    PanelHeader* m_header;
    QToolButton* m_hex;
    QPlainTextEdit* m_text;
    ByteForm m_form = ByteForm::text;
    int m_hexRow = kHexRow; ///< bytes a line of hex has room for
    bool m_stale = true;
    std::optional<LaneId> m_reply; ///< whose whole reply was asked for
    std::optional<TokenRef> m_shown;
    std::uint64_t m_runKey = 0; ///< which run the shown bytes are of
};

} // namespace decodescope
