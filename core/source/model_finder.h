#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// Where model files lie on this machine: the folders that other programs keep them in, our own, and those that the
/// user added. Looks at names, sizes and first bytes only; what is inside a file is the engine's to read, in a process
/// of its own.
namespace decodescope {

/// A folder to look through, and whose it is.
struct ModelFolder {
    enum class Layout {
        files,  ///< *.gguf anywhere below
        ollama, ///< manifests that name blobs
    };
    std::string path;
    std::string owner; ///< for people: "LM Studio"; the path itself for folders that the user added
    Layout layout = Layout::files;
};

/// A model that may be opened.
struct FoundModel {
    std::string path;        ///< the file, or the first of its shards
    std::string name;        ///< for people: the file's name without suffix, Ollama's model:tag
    std::string owner;       ///< of the folder it was found in
    std::uint64_t bytes = 0; ///< of all shards
    int shards = 1;
};

/// A file that looked like a model and is none to offer.
struct SkippedFile {
    std::string path;
    std::string reason; ///< a sentence: "A vision projector, not a language model."
};

struct ModelSearch {
    std::vector<FoundModel> models;    ///< by name
    std::vector<SkippedFile> skipped;  ///< by path
    std::vector<std::string> searched; ///< folders that exist
    bool cutShort = false;             ///< more entries than are looked at
};

/// A variable of the environment; empty when not set.
using Environment = std::function<std::string(const char*)>;
/// The folders of the usual programs, by the environment's variables or where they are by default, then `added`.
[[nodiscard]] std::vector<ModelFolder> modelFolders(const Environment& environment,
                                                    const std::vector<std::string>& added = {});
/// Our own folder for models, in the user's data folder; empty without a home folder.
[[nodiscard]] std::string ownModelFolder(const Environment& environment);

/// Looks through the folders; one that is not there is left out. Blocks while the disk is read: call it on a thread
/// that may wait. A file found twice is told once.
[[nodiscard]] ModelSearch findModels(const std::vector<ModelFolder>& folders);

} // namespace decodescope
