#pragma once

#include "core/net/proxy_choice.h"

#include <QNetworkProxy>

namespace decodescope {

/// The same proxy in Qt's words, with its login.
[[nodiscard]] QNetworkProxy qtProxy(const Proxy& proxy);

} // namespace decodescope
