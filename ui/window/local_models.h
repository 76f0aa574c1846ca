#pragma once

#include "core/base/error.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

/// What the window knows of model files on this machine. The composition root supplies it: looking and reading
/// happen in other processes and threads, answers come back on the GUI thread.
namespace decodescope {

/// A model file that a search found.
struct LocalModel {
    QString path;
    QString name;  ///< for lists: the file's name without its ending, or what its keeper calls it
    QString place; ///< whose folder it was found in: "LM Studio", "Ollama", "Hugging Face", ...
    std::uint64_t bytes = 0;
    QString skipped; ///< why it cannot be run; empty: it may be
};

/// What the engine says of one file.
struct LocalModelDetails {
    bool supported = false;
    QString reason; ///< why not
    QString architecture, quantization;
    std::uint64_t parameters = 0, bytesPerToken = 0;
    int context = 0;
    bool chat = false; ///< has a chat template that the engine knows
};

struct FetchProgress {
    std::uint64_t done = 0, total = 0; ///< bytes; total 0: not known yet
    QString step;                      ///< what is going on: "Downloading", "Checking"
};

/// A download in progress; destroying it ends it.
class ModelFetch {
public:
    virtual ~ModelFetch() = default;
};

struct LocalModelServices {
    using Found = std::function<void(std::vector<LocalModel>)>;
    using Inspected = std::function<void(Result<LocalModelDetails>)>;
    using Progress = std::function<void(const FetchProgress&)>;
    using Fetched = std::function<void(Result<QString>)>; ///< the file's path

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
