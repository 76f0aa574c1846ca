#pragma once

#include "core/base/error.h"
#include "core/source/local_model.h"

#include <QObject>

#include <functional>
#include <string>

namespace decodescope {

/// Asks the engine, in a child process, what is in a model file: files of unknown origin are never parsed in ours.
/// Lives on a thread with an event loop.
class ModelInspector final : public QObject {
public:
    /// Or a sentence: ErrorCode::malformed for a file that is broken, unsupported when there is no engine, io.
    using Answer = std::function<void(Result<ModelDetails>)>;

    using QObject::QObject;
    /// Ends what is under way without calling back.
    ~ModelInspector() override;

    /// Calls `answer` exactly once, later, from the event loop. Several may be under way.
    void inspect(const std::string& path, Answer answer);
};

/// The JSON that `decodescope-engine inspect --json` prints.
[[nodiscard]] Result<ModelDetails> modelDetailsFromJson(std::string_view json);

} // namespace decodescope
