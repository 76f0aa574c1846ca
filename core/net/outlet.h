#pragma once

#include "core/source/token_source.h"

#include <atomic>
#include <mutex>
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
    void end(Instant at, ErrorKind kind, std::string_view message);
    void shut();

    /// Whether preparing has ended, well or badly. Set after everything that it implies was posted.
    std::atomic<bool> ready = false;

private:
    std::mutex m_mutex;
    bool m_open = true;
    SourceOutput m_output;
};

} // namespace decodescope
