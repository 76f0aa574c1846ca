#pragma once

#include "core/base/error.h"
#include "ui/theme/look.h"
#include "ui/window/race_settings.h"

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <vector>

namespace decodescope {

/// What the window remembers from one start to the next. Never a key, and never the permission to skip the check of
/// a certificate.
struct WindowSettings {
    static constexpr int kLayoutVersion = 1; ///< a dock layout of another version is left out
    static constexpr int kMaxRecent = 12;

    ThemeChoice theme = ThemeChoice::system;
    QByteArray geometry;
    QByteArray layout;
    RaceSettings race;
    std::vector<LaneConfig> lanes;
    QStringList recent;       ///< paths of recordings, newest first
    QString recordingsFolder; ///< empty: the usual place

    void addRecent(const QString& path);
};

/// Reads the file; what is missing, odd or of another type keeps its default. A missing file gives the defaults.
[[nodiscard]] WindowSettings loadSettings(const QString& path);
/// Writes the file whole, safely, readable for its owner alone.
[[nodiscard]] Result<void> saveSettings(const WindowSettings& settings, const QString& path);

} // namespace decodescope
