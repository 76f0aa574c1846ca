#pragma once

namespace decodescope {

/// From now on what Qt and we log goes to stderr through redacted(), and harmless for a terminal. Logging categories
/// that print requests and headers can be switched on (QT_LOGGING_RULES) without a key coming out.
void redactMessages();

} // namespace decodescope
