#pragma once

#include "core/base/error.h"
#include "core/source/local_model.h"
#include "core/source/model_finder.h"

#include <QString>
#include <QStringList>

#include <functional>
#include <memory>
#include <string>

/// What the window may do about model files on this machine. The composition root supplies it: looking and reading
/// happen in other processes and threads, answers come back on the GUI thread.
namespace decodescope {

/// A download in progress; destroying it ends it.
class ModelFetch {
public:
    virtual ~ModelFetch() = default;
};

struct LocalModelServices {
    using Found = std::function<void(ModelSearch)>;
    using Inspected = std::function<void(Result<ModelDetails>)>;
    using Progress = std::function<void(const SampleProgress&)>;
    using Fetched = std::function<void(Result<std::string>)>; ///< the file's path

    /// Looks through the usual folders and `folders` that the user added.
    std::function<void(const QStringList& folders, Found)> find;
    std::function<void(const QString& path, Inspected)> inspect;
    /// Where the sample model lies, checked earlier; empty: it was not fetched yet.
    std::function<QString()> sample;
    std::function<std::unique_ptr<ModelFetch>(Progress, Fetched)> fetchSample;
    /// False where the program was put together without an engine: nothing local is offered then.
    [[nodiscard]] bool available() const { return static_cast<bool>(fetchSample); }
};

} // namespace decodescope
