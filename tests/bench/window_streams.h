#pragma once

#include "core/source/synthetic_source.h"
#include "ui/window/window_services.h"

#include <QTemporaryDir>

#include <map>
#include <memory>
#include <string>

/// The surroundings of a window under measurement: streams that nobody sent, decoded like anybody's and recorded by
/// the real journal into a temporary folder.
namespace decodescope::bench {

struct BenchStream {
    SyntheticSpec spec;
    double headStartS = 0; ///< the stream began so long ago: what is due by then arrives with the first frame
};

class WindowSurroundings {
public:
    [[nodiscard]] WindowServices services();
    /// Lanes whose model has this name get this stream.
    void offer(const std::string& model, BenchStream stream) { m_streams[model] = std::move(stream); }
    /// A recording of so many tokens in so many lanes; its path.
    [[nodiscard]] QString writeRecording(std::uint32_t tokens, std::uint32_t lanes);

private:
    QTemporaryDir m_folder;
    std::shared_ptr<SteadyClock> m_clock = std::make_shared<SteadyClock>();
    std::map<std::string, BenchStream> m_streams;
};

} // namespace decodescope::bench
