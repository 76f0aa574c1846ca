#pragma once

#include "app/session_report.h"

#include <string>

namespace decodescope {

/// The result for people: one row a lane, medians over its runs in statistics (or what its last run came to, when
/// there is none), and below the table what failed, in words. Plain text without colours; ends with a line feed.
[[nodiscard]] std::string scoreboard(const SessionReport& report);

} // namespace decodescope
