#pragma once

#include "core/base/error.h"
#include "core/source/local_model.h"

#include <QObject>
#include <QPointer>

#include <functional>
#include <string>

namespace decodescope {

class EngineCall;

/// Gets the sample model through `decodescope-engine fetch-sample`: at once where it was fetched before. Lives on a
/// thread with an event loop.
class SampleFetcher final : public QObject {
public:
    using Progress = std::function<void(const SampleProgress&)>;
    /// The path of the checked file, or a sentence that says why it cannot be had.
    using Answer = std::function<void(Result<std::string>)>;

    using QObject::QObject;
    /// Ends what is under way without calling back.
    ~SampleFetcher() override;

    /// Calls `answer` exactly once, later, from the event loop. One at a time: while one is under way, a further call
    /// is answered with ErrorCode::usage.
    void fetch(Progress progress, Answer answer);
    [[nodiscard]] bool busy() const { return !m_call.isNull(); }
    /// Stops it; the answer says that it was stopped.
    void cancel();

private:
    QPointer<EngineCall> m_call; // a child, gone once it was told
};

} // namespace decodescope
