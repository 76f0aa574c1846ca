#pragma once

#include "core/base/clock.h"
#include "core/base/clock_source.h"
#include "core/base/mailbox.h"
#include "core/source/run_spec.h"
#include "core/wire/stream_event.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace decodescope {

using EventMailbox = Mailbox<StreamEvent>;

/// Receives a run's raw material as it happens, on the thread that stamps it: the journal. Thread-safe, returns
/// at once, never throws. Chunks are handed over after secrets were masked (same length), so nothing that a
/// server echoes can reach a file.
class RawSink {
public:
    virtual ~RawSink() = default;
    virtual void onChunk(Instant at, std::uint32_t read, std::string_view bytes) = 0;
    virtual void onMilestone(Instant at, const Milestone& milestone) = 0;
    /// The bytes ended as the transport saw it: kind and sentence of TransportEnd.
    virtual void onEnd(Instant at, ErrorKind kind, std::string_view message) = 0;
    /// The instrument's word about itself, before the end.
    virtual void onStamps(Instant /*at*/, const StampReport& /*stamps*/) {}
    /// A hiccup of ours while the run was in flight. Comes from the session's thread, and so perhaps behind the end.
    virtual void onHiccup(const Hiccup& /*hiccup*/) {}
};

/// The seam at which remote, recorded and synthetic streams look alike. One source makes one run:
///   prepare() -> [ready or ended] -> release() -> events ... -> StreamEnd
/// All methods are called on the session's thread and return at once; events arrive in the mailbox, the last
/// one is StreamEnd, exactly once, also after cancel() and also when prepare() failed. Destroying a source
/// cancels it and posts nothing more.
class TokenSource {
public:
    virtual ~TokenSource() = default;

    /// Opens the connection (or whatever comes before the request). Does not set t0.
    virtual void prepare() = 0;
    /// Whether prepare() has ended, well or badly: the session's barrier waits for this.
    [[nodiscard]] virtual bool ready() const = 0;
    /// Sends the request; t0 is stamped now, unless `scheduled` gives it (lanes released together share it).
    virtual void release(std::optional<Instant> scheduled) = 0;
    /// Stops at any moment; the run ends as `kind` (cancelled for the user's Stop).
    virtual void cancel(ErrorKind kind = ErrorKind::cancelled) = 0;
    /// "Now" on the run's own time line: the steady clock for live runs, the replayed instant for recordings.
    [[nodiscard]] virtual Instant now() const = 0;
    [[nodiscard]] virtual ClockSource clockSource() const = 0;
    /// Whether this process stamps the arrivals as they come, so that a hiccup of ours may fall on them. Not so for
    /// what was recorded or made up.
    [[nodiscard]] virtual bool stampedNow() const { return true; }
    /// Called by Session::pump before it drains the mailbox: sources without a thread of their own (replays,
    /// synthetic streams) deliver here what is due.
    virtual void pump() {}
};

/// What a source is given to deliver into. The mailbox outlives the source.
struct SourceOutput {
    std::shared_ptr<EventMailbox> events;
    std::shared_ptr<RawSink> raw; ///< null: nothing is recorded
};

/// Ends a run whose source has nothing more to deliver: tells the journal and posts the last event.
void endRun(const SourceOutput& output, Instant at, ErrorKind kind, const std::string& message);

/// Makes the source for one run. The composition root supplies it: remote endpoints in the application, fakes
/// in tests. `request` differs from the lane's spec only by the unique prefix.
using SourceFactory = std::function<std::unique_ptr<TokenSource>(const RunSpec& request, SourceOutput output)>;

} // namespace decodescope
