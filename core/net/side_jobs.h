#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace decodescope {

/// Jobs that may block, on helper threads that are started as they are needed. A slow one holds up no other, unless
/// kMost are slow at once. What the helpers share is theirs, so that one which does not come back can be left to
/// itself. Thread-safe, but for end().
class SideJobs {
public:
    /// What to do with what a job found; may be empty.
    using Found = std::function<void()>;
    using Job = std::function<Found()>;
    /// What becomes of a job that still runs when all is over.
    enum class AtEnd : std::uint8_t {
        waitFor, ///< it comes back by itself
        leave    ///< it asks others, such as a name service that may be silent for minutes
    };
    static constexpr std::size_t kMost = 16;

    /// `deliver` is called on helper threads, never after end() has begun.
    explicit SideJobs(std::function<void(Found)> deliver);
    /// end().
    ~SideJobs();
    SideJobs(const SideJobs&) = delete;
    SideJobs& operator=(const SideJobs&) = delete;

    void add(Job job, AtEnd atEnd);
    /// Drops the jobs that have not begun and what the others find. Returns when those that come back have. A job
    /// that is left must touch nothing but what it owns.
    void end();

private:
    struct Helper;
    struct Shared;
    static void help(const std::shared_ptr<Shared>& shared, Helper& helper);

    std::shared_ptr<Shared> m_shared;
};

} // namespace decodescope
