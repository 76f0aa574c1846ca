#include "app/doctor_checks.h"

#include "app/sample_model.h"
#include "core/net/engine_program.h"

#include <QLibraryInfo>
#include <QSslConfiguration>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace decodescope {

namespace {

namespace fs = std::filesystem;
using Status = DoctorCheck::Status;

/// A folder is looked through for fonts so far at most.
constexpr int kMostFontEntries = 5000;

std::vector<std::string> platformPlugins() {
    std::vector<std::string> names;
    std::error_code error;
    const fs::path folder = QLibraryInfo::path(QLibraryInfo::PluginsPath).toStdString() + "/platforms";
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        const std::string file = at->path().filename().string();
        if (file.starts_with("libq") && file.ends_with(".so"))
            names.push_back(file.substr(4, file.size() - 7));
    }
    std::sort(names.begin(), names.end());
    return names;
}

DoctorCheck displayCheck(const Environment& environment) {
    const std::vector<std::string> plugins = platformPlugins();
    const auto has = [&](std::string_view name) {
        return std::any_of(plugins.begin(), plugins.end(),
                           [&](const std::string& plugin) { return plugin.starts_with(name); });
    };
    const std::string forced = environment("QT_QPA_PLATFORM");
    if (!forced.empty())
        return {"display", Status::note, fmt::format("QT_QPA_PLATFORM chooses \"{}\" for the window.", forced),
                "Unset it if the window does not appear."};
    if (!environment("WAYLAND_DISPLAY").empty() && has("wayland"))
        return {"display", Status::good, "A Wayland display is there, and Qt's plugin for it.", ""};
    if (!environment("DISPLAY").empty() && has("xcb"))
        return {"display", Status::good, "An X display is there, and Qt's plugin for it.", ""};
    if (!environment("DISPLAY").empty() || !environment("WAYLAND_DISPLAY").empty())
        return {"display", Status::warning,
                fmt::format("There is a display, but Qt has no plugin for it (it has: {}).",
                            plugins.empty() ? "none" : fmt::format("{}", fmt::join(plugins, ", "))),
                "Install the Qt platform plugins (on Debian: libqt6gui6, qt6-wayland)."};
    return {"display", Status::warning, "There is no display, so the window cannot open here.",
            "The commands run, replay, report, explain and doctor need none."};
}

bool holdsAFont(const fs::path& folder) {
    std::error_code error;
    int entries = 0;
    for (fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error), end;
         !error && at != end && entries < kMostFontEntries; at.increment(error), ++entries) {
        const std::string suffix = at->path().extension().string();
        if (suffix == ".ttf" || suffix == ".otf" || suffix == ".ttc" || suffix == ".pfb")
            return true;
    }
    return false;
}

DoctorCheck fontCheck(const Environment& environment) {
    const std::string home = environment("HOME");
    std::vector<std::string> folders{"/usr/share/fonts", "/usr/local/share/fonts"};
    if (!home.empty()) {
        folders.push_back(home + "/.fonts");
        folders.push_back(home + "/.local/share/fonts");
    }
    for (const std::string& folder : folders) {
        if (holdsAFont(folder))
            return {"fonts", Status::good, fmt::format("Fonts are installed in {}.", folder), ""};
    }
    return {"fonts", Status::warning, "No fonts were found, so the window would show boxes in place of letters.",
            "Install a font package (on Debian: fonts-dejavu-core)."};
}

DoctorCheck keychainCheck(const Environment& environment) {
    std::error_code ignored;
    const std::string runtime = environment("XDG_RUNTIME_DIR");
    if (!environment("DBUS_SESSION_BUS_ADDRESS").empty() || (!runtime.empty() && fs::exists(runtime + "/bus", ignored)))
        return {"keychain", Status::good, "A session bus is there, over which keys can be kept in the keychain.", ""};
    return {"keychain", Status::note, "There is no session bus, so keys cannot be kept in a keychain.",
            "Keys from environment variables, files and standard input work all the same."};
}

/// The folder itself, or the nearest one above it that is there.
fs::path nearest(fs::path folder) {
    std::error_code ignored;
    while (!folder.empty() && folder != folder.root_path() && !fs::exists(folder, ignored))
        folder = folder.parent_path();
    return folder;
}

DoctorCheck folderCheck(std::string name, const std::string& folder, std::string_view holds) {
    const fs::path there = nearest(folder);
    std::error_code ignored;
    if (folder.starts_with('/') && fs::is_directory(there, ignored) && ::access(there.c_str(), W_OK | X_OK) == 0)
        return {std::move(name), Status::good, fmt::format("{} can be written to {}.", holds, folder), ""};
    return {std::move(name), Status::warning, fmt::format("{} cannot be written to {}.", holds, folder),
            fmt::format("Make {} a folder that you may write to.", there.empty() ? folder : there.string())};
}

DoctorCheck engineCheck() {
    if (const auto program = findEngineProgram())
        return {"engine", Status::good, fmt::format("The local engine is {}.", program->toStdString()), ""};
    else
        return {"engine", Status::warning, "The program of the local engine was not found.", program.error().message};
}

DoctorCheck sampleCheck() {
    const std::string file = fetchedSampleModel();
    if (!file.empty())
        return {"sample_model", Status::good, fmt::format("The sample model is {}.", file), ""};
    return {"sample_model", Status::note, "The sample model has not been fetched yet.",
            "decodescope engine fetch-sample fetches it; local=sample does so by itself."};
}

DoctorCheck proxyCheck(const Environment& environment) {
    std::vector<std::string> set;
    for (const char* name : {"http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"}) {
        if (!environment(name).empty())
            set.emplace_back(name);
    }
    if (set.empty())
        return {"proxies", Status::good, "No proxy is set: endpoints are reached directly.", ""};
    return {"proxies", Status::note,
            fmt::format("Endpoints elsewhere are reached through a proxy (set by {}).", fmt::join(set, ", ")),
            "A proxy may hold streams back. NO_PROXY names hosts to reach directly; this machine always is."};
}

DoctorCheck certificateCheck(const Environment& environment) {
    for (const char* name : {"SSL_CERT_FILE", "SSL_CERT_DIR"}) {
        const std::string path = environment(name);
        if (path.empty())
            continue;
        if (::access(path.c_str(), R_OK) == 0)
            return {"certificates", Status::note, fmt::format("{} decides whom to trust: {}.", name, path), ""};
        return {"certificates", Status::warning, fmt::format("{} names {}, which cannot be read.", name, path),
                "Unset it, or name the file of your certificate authorities."};
    }
    const auto count = QSslConfiguration::systemCaCertificates().size();
    if (count > 0)
        return {"certificates", Status::good, fmt::format("{} certificate authorities are installed.", count), ""};
    return {"certificates", Status::warning,
            "No certificate authorities are installed, so no https endpoint is trusted.",
            "Install the package ca-certificates, or name a file with --ca-file."};
}

} // namespace

std::string_view toString(DoctorCheck::Status status) noexcept {
    switch (status) {
    case Status::good:
        return "good";
    case Status::warning:
        return "warning";
    case Status::note:
        break;
    }
    return "note";
}

std::vector<DoctorCheck> doctorChecks(const Environment& environment) {
    return {displayCheck(environment),
            fontCheck(environment),
            keychainCheck(environment),
            folderCheck("settings_folder", settingsFolder(environment), "Settings"),
            folderCheck("data_folder", dataFolder(environment), "Recordings and models"),
            engineCheck(),
            sampleCheck(),
            proxyCheck(environment),
            certificateCheck(environment)};
}

} // namespace decodescope
