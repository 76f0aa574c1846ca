#include "app/version.h"

#include <QtGlobal>

namespace decodescope {

std::string applicationName() {
    return "decodescope " DECODESCOPE_VERSION;
}

std::string versionText() {
    std::string text = applicationName();
    if (const std::string revision = DECODESCOPE_REVISION; !revision.empty())
        text += " (" + revision + ")";
    return text + "\nQt " + qVersion();
}

} // namespace decodescope
