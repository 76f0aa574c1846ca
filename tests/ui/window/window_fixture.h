#pragma once

#include "ui/window/window_services.h"

#include <QTemporaryDir>

#include <functional>
#include <map>
#include <string>

namespace decodescope {

/// A window's surroundings without a network: lanes are synthetic streams chosen by their model's name.
///   "steady"   60 tokens at 400 a second          "stalls"   with a delivery and a generation stall
///   "long"     goes on for minutes                "refused"  401 and a body
///   "cut"      the connection is lost in between  "silent"   never answers
class WindowFixture {
public:
    WindowFixture();

    [[nodiscard]] WindowServices services();
    [[nodiscard]] static RunSpec lane(const std::string& model);
    /// A finished recording of two lanes in the temporary folder.
    [[nodiscard]] QString recording();
    [[nodiscard]] QString path(const QString& name) const { return m_folder.filePath(name); }

    int sourcesMade = 0;
    int modelsAsked = 0;
    int measurementsBegun = 0;
    int measurementsCancelled = 0;
    std::function<void(Result<std::string>)> measured; ///< to be called with what a measurement finds
    Result<std::vector<std::string>> models = std::vector<std::string>{"alpha", "beta"};
    std::map<std::string, std::string> environment; ///< what resolveKey finds
    std::string keySeen;                            ///< of the latest run

private:
    [[nodiscard]] std::unique_ptr<TokenSource> source(const RunSpec& spec, SourceOutput output);
    QTemporaryDir m_folder;
    std::shared_ptr<SteadyClock> m_clock = std::make_shared<SteadyClock>();
};

} // namespace decodescope
