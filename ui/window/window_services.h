#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/record/journal.h"
#include "core/session/session.h"
#include "core/source/endpoint_answer.h"
#include "ui/window/local_models.h"

#include <QString>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace decodescope {

using KeyAnswer = std::function<void(Result<std::shared_ptr<const Secret>>)>;
using ModelsAnswer = std::function<void(const EndpointAnswer&)>;

/// Measures what this machine can measure, beside this program. The answer, a text for people or an error, comes later,
/// on the GUI thread, once; what is returned ends the measurement without one.
using MeasureMachine = std::function<std::function<void()>(std::function<void(Result<std::string>)>)>;

/// An endpoint that the environment names. It is offered, never contacted unasked.
struct OfferedEndpoint {
    EndpointSpec endpoint;
    QString from;        ///< the variable that names it: "OPENAI_BASE_URL"
    bool keySet = false; ///< whether the variable that `endpoint.key` names holds anything
};

/// What the window needs of the rest of the program. The composition root supplies it, tests put fakes here; the
/// window itself includes no networking.
struct WindowServices {
    std::shared_ptr<const Clock> clock;
    /// Makes the source of one live run.
    SourceFactory sources;
    /// Where hiccups of this process are told; null: they are not measured.
    std::shared_ptr<HiccupLog> hiccups;
    /// Fetches a key by its reference; an error is a sentence for a person. Null for KeyReference::Kind::none.
    std::function<Result<std::shared_ptr<const Secret>>(const KeyReference&)> resolveKey;
    /// The desktop's keychain, by origin; null where this build has none. Answers come later, on the GUI thread, once.
    std::function<void(const std::string& origin, KeyAnswer)> keychainFetch;
    std::function<void(const std::string& origin, const Secret& key, std::function<void(Result<void>)>)> keychainStore;
    std::function<void(const std::string& origin, std::function<void(Result<void>)>)> keychainRemove;
    /// Told of the window's lanes whenever they change, so that engines that none of them needs any more are stopped.
    std::function<void(const std::vector<LaneConfig>&)> lanesChanged;
    /// Asks an endpoint for its models; the answer comes later, on the GUI thread, exactly once.
    std::function<void(const EndpointSpec&, std::shared_ptr<const Secret>, ModelsAnswer)> listModels;
    MeasureMachine measureMachine; ///< null: this build cannot
    std::vector<OfferedEndpoint> offered;
    LocalModelServices localModels;
    /// Header of a new recording, made at the moment of the start.
    std::function<RecordingHeader()> recordingHeader;
    QString settingsFile;     ///< where settings are kept
    QString recordingsFolder; ///< where runs are recorded by themselves
    QString shippedFolder;    ///< folder of the shipped recordings; a resource path
    QString version;          ///< "0.1.0"
};

} // namespace decodescope
