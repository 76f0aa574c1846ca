#pragma once

#include "core/base/error.h"

#include <string>

class QPixmap;

namespace decodescope {

/// Writes a picture as PNG, whole or not at all.
[[nodiscard]] Result<void> savePicture(const QPixmap& picture, const std::string& path);

} // namespace decodescope
