#include "app/user_folders.h"

#include <cstdlib>

namespace decodescope {

namespace {

std::string xdgFolder(const Environment& environment, const char* variable, const char* usual) {
    const std::string set = environment(variable);
    return (set.starts_with('/') ? set : environment("HOME") + usual) + "/decodescope";
}

} // namespace

std::string environmentVariable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

std::string settingsFolder(const Environment& environment) {
    return xdgFolder(environment, "XDG_CONFIG_HOME", "/.config");
}

std::string dataFolder(const Environment& environment) {
    return xdgFolder(environment, "XDG_DATA_HOME", "/.local/share");
}

} // namespace decodescope
