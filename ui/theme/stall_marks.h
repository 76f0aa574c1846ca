#pragma once

#include "core/metrics/run_summary.h"

#include <QList>
#include <QString>

class QPainter;
class QRectF;

namespace decodescope {

/// How the kinds of stalls are told apart, in charts and text alike: by words and by shape, as all of them have one
/// colour. Delivery is broken (held on the way), generation is whole, a change of channel is dotted, and what our own
/// machine did is hatched in grey.

/// "delivery", "generation" ... as a person reads it after a length.
[[nodiscard]] QString stallWord(StallKind kind);
/// The same where the word stands alone: "open" and "unknown" for those that have no kind.
[[nodiscard]] QString stallKindName(StallKind kind);
/// What it is and why, for a tooltip or a line under a table: "Delivery stall, 924 ms: ..." and, each on a line of its
/// own, the evidence and what other lanes did. Plain text; `precise`: of a clock that is worth a decimal.
[[nodiscard]] QString stallAccount(const Stall& stall, bool precise);
/// Dash of a stall's edges in pixels: empty solid, {3, 3} delivery ...
[[nodiscard]] QList<qreal> stallEdgeDash(StallKind kind);
/// A band along the stall's time, in the dash of its kind but longer; `opacity` of the stall's colour.
void drawStallBand(QPainter& painter, const QRectF& band, StallKind kind, double opacity = 1);
/// The upright bar at the left of a stall's words.
void drawStallBar(QPainter& painter, const QRectF& bar, StallKind kind);
/// The mark of 8 x 6 px over the late token, pointing down at (x, y): filled, open for delivery, a bar for a change of
/// channel, a hatched block for our own machine.
void drawStallFlag(QPainter& painter, double x, double y, StallKind kind);

} // namespace decodescope
