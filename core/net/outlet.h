#pragma once

#include "core/source/token_source.h"

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace decodescope {

/// The way from the network thread to a run's mailbox and journal, with a door that the session's thread can
/// shut: after shut() returned, nothing passes any more. Thread-safe.
class Outlet {
public:
    explicit Outlet(SourceOutput output)
        : m_output(std::move(output)) {}

    /// Hands the batch to the mailbox; `events` is left empty.
    void post(std::vector<StreamEvent>& events);
    void chunk(Instant at, std::uint32_t read, std::string_view bytes);
    void milestone(Instant at, const Milestone& milestone);
    void stamps(Instant at, const StampReport& stamps);
    /// Ends the run, in one step for whoever shuts the door meanwhile: the journal hears how the bytes ended, the
    /// mailbox gets `last`, which StreamEnd ends, and what waits for preparing to be over waits no more.
    void end(Instant at, ErrorKind kind, std::string_view message, std::vector<StreamEvent>& last);
    /// The same for a run of which nothing was seen.
    void endUnseen(Instant at, ErrorKind kind, const std::string& message);
    void shut();

    /// Whether preparing has ended, well or badly.
    [[nodiscard]] bool ready() const { return m_ready; }
    /// To be called after everything that being ready implies was posted.
    void setReady() { m_ready = true; }

private:
    std::atomic<bool> m_ready = false;
    std::mutex m_mutex;
    bool m_open = true;
    SourceOutput m_output;
};

} // namespace decodescope
