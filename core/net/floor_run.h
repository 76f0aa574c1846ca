#pragma once

#include "core/net/floor_server.h"
#include "core/source/token_source.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace decodescope {

/// What is asked of a FloorServer at once.
struct FloorLoad {
    int streams = 1;
    FloorPace pace;
    bool aligned = false; ///< all at the same instants; otherwise evenly spread over the interval
};

/// One token: when it was sent, when it was stamped.
struct FloorToken {
    Instant sent{};
    Instant stamped{};
    bool merged = false;    ///< completed by the read that completed the token before it, and known as such
    bool unflagged = false; ///< stamped at the same instant as the token before it, by another read: a merge unseen
};

struct FloorStream {
    std::vector<FloorToken> tokens;
    std::optional<Instant> requestSent;
    std::optional<Instant> firstByte;
    std::optional<StampReport> stamps;
};

/// Streams of a FloorServer, measured the way every run is: over the sources of a factory, whatever its transport. Used
/// from one thread, which calls pump() until over().
class FloorRun {
public:
    /// Connects; the requests leave together once all are connected.
    FloorRun(const SourceFactory& sources, const FloorServer& server, const FloorLoad& load);
    ~FloorRun();
    FloorRun(const FloorRun&) = delete;
    FloorRun& operator=(const FloorRun&) = delete;

    void pump();
    [[nodiscard]] bool over() const;
    /// Why there is no figure: a stream that failed or was cut. Empty while all is well.
    [[nodiscard]] const std::string& failure() const;
    [[nodiscard]] const std::vector<FloorStream>& streams() const;

private:
    struct State;
    std::unique_ptr<State> m_state;
};

/// The stamps' distance from the truth over all streams, microseconds, ascending.
[[nodiscard]] std::vector<double> stampErrorsUs(const std::vector<FloorStream>& streams);
/// The gaps' distance from the truth, without those that begin or end in a merged read, microseconds, ascending.
[[nodiscard]] std::vector<double> gapErrorsUs(const std::vector<FloorStream>& streams);

} // namespace decodescope
