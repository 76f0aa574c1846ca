#pragma once

#include <QString>

namespace decodescope {

/// Text for a tool tip that is shown as it stands: names and responses are not ours and are never read as markup. Long
/// lines are wrapped.
[[nodiscard]] QString plainToolTip(const QString& text);

} // namespace decodescope
