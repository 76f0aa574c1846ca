#pragma once

#include <QFont>
#include <QString>
#include <QStringList>
#include <QTextOption>

namespace decodescope {

/// A text in lines no wider than `width`. Where it needs more than `most`, the last one ends in an ellipsis.
[[nodiscard]] QStringList wrappedLines(const QString& text, const QFont& font, qreal width, int most,
                                       QTextOption::WrapMode mode);

} // namespace decodescope
