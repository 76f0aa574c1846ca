#pragma once

#include "app/interrupt.h"
#include "core/metrics/run_summary.h"
#include "core/net/plain_call.h"
#include "core/source/run_spec.h"
#include "core/source/token_source.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// What `decodescope probe` finds out of an address: what answers there, and whether it really streams.
namespace decodescope {

/// Asks an endpoint for its models; the answer comes on another thread, exactly once, unless it fails at once.
using ListCall =
    std::function<Result<void>(const EndpointSpec&, std::shared_ptr<const Secret>, std::function<void(CallReport)>)>;

/// One question for a list of models.
struct ListFinding {
    std::string route; ///< without secrets
    CallReport report;
    std::optional<std::vector<std::string>> models; ///< absent: the answer is no list
};

/// One protocol, asked for a few tokens.
struct ProtocolFinding {
    EndpointSpec endpoint;
    std::string route;    ///< without secrets; empty: the address makes no route of this protocol
    std::string notAsked; ///< why it was not asked
    std::shared_ptr<const RunRecord> record;
    std::optional<RunSummary> summary;

    /// Whether an answer of this protocol came, streamed or whole, with something in it.
    [[nodiscard]] bool answers() const;
    /// Whether one came that is of this protocol by all signs, and nothing in it.
    [[nodiscard]] bool generatesNothing() const;
};

/// Whether text arrives while it is generated.
enum class Streaming { yes, inBursts, no, unclear };

struct StreamFinding {
    Streaming verdict = Streaming::unclear;
    std::string evidence; ///< a sentence with the numbers that decided
    std::string advice;   ///< what to try; empty when nothing is wrong
    std::string protocol;
    std::shared_ptr<const RunRecord> record;
    RunSummary summary;
};

struct ProbeFindings {
    std::string place;               ///< the address without secrets
    std::vector<ListFinding> lists;  ///< in the order in which they were asked
    std::vector<std::string> models; ///< of the first list
    std::string model;               ///< the one that was asked; empty: none was known
    std::vector<ProtocolFinding> protocols;
    std::optional<StreamFinding> stream; ///< absent: nothing answers
    bool interrupted = false;

    /// The report that tells of the connection: the first one; null when nothing was asked.
    [[nodiscard]] const CallReport* first() const { return lists.empty() ? nullptr : &lists.front().report; }
    [[nodiscard]] bool connected() const;
    /// Somebody takes connections there and has said nothing so far.
    [[nodiscard]] bool silent() const;
    [[nodiscard]] bool anyAnswers() const;
    /// Somebody answered that the key, or a request without one, is refused.
    [[nodiscard]] bool refused() const;
};

/// Asks. `endpoint` holds address, preset and key reference; `protocols` what to look for. Needs a QCoreApplication and
/// runs its event loop until it is done or interrupted.
[[nodiscard]] ProbeFindings probe(const EndpointSpec& endpoint, const std::vector<std::string>& protocols,
                                  std::shared_ptr<const Secret> key, const ListCall& listModels,
                                  const SourceFactory& sources);

/// The verdict on a run that asked for about 64 tokens, by the signs that every run is judged by.
[[nodiscard]] StreamFinding judgeStream(std::shared_ptr<const RunRecord> record, const RunSummary& summary);

} // namespace decodescope
