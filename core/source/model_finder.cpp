#include "core/source/model_finder.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

namespace decodescope {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostEntries = 50'000;
constexpr int kDeepest = 12;
constexpr std::uintmax_t kLargestManifest = 1U << 20;
constexpr std::string_view kOllamaModelLayer = "application/vnd.ollama.image.model";

std::string lowered(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return text;
}

/// A file of a model in parts: "name-00002-of-00003.gguf".
struct Shard {
    std::string stem; ///< the path without the part's number
    int number = 0, of = 0;
};

std::optional<Shard> shardIn(const std::string& path) {
    constexpr std::string_view kTail = "-00001-of-00001.gguf";
    if (path.size() <= kTail.size())
        return std::nullopt;
    const std::string tail = lowered(path.substr(path.size() - kTail.size()));
    Shard shard;
    const auto number = [&](std::size_t at, int& to) {
        const auto [end, error] = std::from_chars(tail.data() + at, tail.data() + at + 5, to);
        return error == std::errc() && end == tail.data() + at + 5;
    };
    if (tail[0] != '-' || tail.substr(6, 4) != "-of-" || tail.substr(15) != ".gguf" || !number(1, shard.number) ||
        !number(10, shard.of) || shard.number < 1 || shard.number > shard.of)
        return std::nullopt;
    shard.stem = path.substr(0, path.size() - kTail.size());
    return shard;
}

bool beginsAsGguf(const fs::path& path) {
    std::array<char, 4> magic{};
    std::ifstream file(path, std::ios::binary);
    return file.read(magic.data(), magic.size()) && std::string_view(magic.data(), magic.size()) == "GGUF";
}

/// Whether `path` lies in `folder`, both without links.
bool inside(const fs::path& path, const fs::path& folder) {
    return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

std::string fileStem(const std::string& path) {
    return fs::path(path).stem().string();
}

class Finder {
public:
    void search(const ModelFolder& folder) {
        std::error_code error;
        const fs::path root = fs::canonical(folder.path, error);
        if (error || !fs::is_directory(root, error))
            return;
        m_result.searched.push_back(folder.path);
        if (folder.layout == ModelFolder::Layout::ollama)
            walk(root / "manifests", [&](const fs::path& file) { takeManifest(file, root); });
        else
            walk(root, [&](const fs::path& file) { takeFile(file, root, folder.owner); });
    }

    ModelSearch finish() {
        joinShards();
        std::sort(m_result.models.begin(), m_result.models.end(), [](const FoundModel& a, const FoundModel& b) {
            return std::pair(lowered(a.name), a.path) < std::pair(lowered(b.name), b.path);
        });
        std::sort(m_result.skipped.begin(), m_result.skipped.end(),
                  [](const SkippedFile& a, const SkippedFile& b) { return a.path < b.path; });
        return std::move(m_result);
    }

private:
    template <class Take> void walk(const fs::path& root, const Take& take) {
        std::error_code error;
        auto at = fs::recursive_directory_iterator(root, fs::directory_options::skip_permission_denied, error);
        const auto end = fs::recursive_directory_iterator();
        while (!error && at != end) {
            if (++m_entries > kMostEntries) {
                m_result.cutShort = true;
                return;
            }
            std::error_code ignored;
            if (at->is_directory(ignored) && (at.depth() >= kDeepest || at->is_symlink(ignored)))
                at.disable_recursion_pending();
            else if (at->is_regular_file(ignored))
                take(at->path());
            at.increment(error);
        }
    }

    void skip(const fs::path& path, std::string reason) {
        m_result.skipped.push_back({path.string(), std::move(reason)});
    }

    /// The file itself behind a link, if it is one to offer and was not told before.
    std::optional<fs::path> fresh(const fs::path& file, const fs::path& root) {
        std::error_code error;
        const fs::path real = fs::canonical(file, error);
        if (error)
            return std::nullopt;
        if (!inside(real, root)) {
            skip(file, "A link that leads out of its folder. Add the folder that it leads to.");
            return std::nullopt;
        }
        return m_known.insert(real.string()).second ? std::optional(real) : std::nullopt;
    }

    void takeFile(const fs::path& file, const fs::path& root, const std::string& owner) {
        const std::string name = lowered(file.filename().string());
        const bool unfinished = name.ends_with(".incomplete") || name.find(".gguf.") != std::string::npos;
        if (unfinished && (name.find(".gguf") != std::string::npos || beginsAsGguf(file))) {
            skip(file, "A download that is not finished.");
            return;
        }
        if (!name.ends_with(".gguf"))
            return;
        if (name.find("mmproj") != std::string::npos) {
            skip(file, "A vision projector, not a language model.");
            return;
        }
        if (!fresh(file, root))
            return;
        if (!beginsAsGguf(file)) {
            skip(file, "Not a GGUF file: it begins with other bytes.");
            return;
        }
        std::error_code ignored;
        const std::uintmax_t bytes = fs::file_size(file, ignored);
        if (const auto shard = shardIn(file.string()))
            m_shards[shard->stem].push_back({*shard, file.string(), owner, bytes});
        else
            m_result.models.push_back({file.string(), fileStem(file.string()), owner, bytes, 1});
    }

    /// manifests/<host>/<owner>/<model>/<tag> names the blob that is the model.
    void takeManifest(const fs::path& file, const fs::path& root) {
        std::error_code error;
        if (fs::file_size(file, error) > kLargestManifest || error)
            return;
        std::ifstream in(file, std::ios::binary);
        const nlohmann::json manifest = nlohmann::json::parse(in, nullptr, false);
        const auto layers = manifest.is_object() ? manifest.find("layers") : manifest.end();
        if (!manifest.is_object() || layers == manifest.end() || !layers->is_array())
            return;
        for (const nlohmann::json& layer : *layers) {
            const auto text = [&](const char* key) {
                const auto found = layer.is_object() ? layer.find(key) : layer.end();
                return layer.is_object() && found != layer.end() && found->is_string() ? found->get<std::string>()
                                                                                       : std::string();
            };
            if (text("mediaType") == kOllamaModelLayer)
                takeBlob(file, root, text("digest"));
        }
    }

    void takeBlob(const fs::path& manifest, const fs::path& root, std::string digest) {
        const auto harmless = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == ':'; };
        if (digest.empty() || !std::all_of(digest.begin(), digest.end(), harmless))
            return;
        std::replace(digest.begin(), digest.end(), ':', '-');
        const fs::path blob = root / "blobs" / digest;
        const std::string name = manifest.parent_path().filename().string() + ":" + manifest.filename().string();
        std::error_code error;
        if (!fs::is_regular_file(blob, error)) {
            skip(manifest, fmt::format("Its model file {} is not there.", digest));
            return;
        }
        if (!fresh(blob, root))
            return;
        if (!beginsAsGguf(blob)) {
            skip(blob, fmt::format("The model {} is no GGUF file.", name));
            return;
        }
        m_result.models.push_back({blob.string(), name, "Ollama", fs::file_size(blob, error), 1});
    }

    void joinShards() {
        for (auto& [stem, parts] : m_shards) {
            std::sort(parts.begin(), parts.end(),
                      [](const Part& a, const Part& b) { return a.shard.number < b.shard.number; });
            const int of = parts.front().shard.of;
            FoundModel model{parts.front().path, fs::path(stem).filename().string(), parts.front().owner, 0, of};
            int next = 1;
            for (const Part& part : parts) {
                model.bytes += part.bytes;
                next += part.shard.number == next && part.shard.of == of ? 1 : 0;
            }
            if (next == of + 1)
                m_result.models.push_back(std::move(model));
            else
                skip(parts.front().path, fmt::format("Part {} of {} is missing.", next, of));
        }
    }

    struct Part {
        Shard shard;
        std::string path, owner;
        std::uintmax_t bytes = 0;
    };
    ModelSearch m_result;
    std::set<std::string> m_known; // real paths
    std::map<std::string, std::vector<Part>> m_shards;
    std::size_t m_entries = 0;
};

std::string dataFolder(const Environment& environment) {
    const std::string set = environment("XDG_DATA_HOME");
    if (set.starts_with('/'))
        return set;
    const std::string home = environment("HOME");
    return home.empty() ? std::string() : home + "/.local/share";
}

} // namespace

std::string ownModelFolder(const Environment& environment) {
    const std::string data = dataFolder(environment);
    return data.empty() ? data : data + "/decodescope/models";
}

std::vector<ModelFolder> modelFolders(const Environment& environment, const std::vector<std::string>& added) {
    std::vector<ModelFolder> folders;
    const auto add = [&](std::string path, const char* owner, ModelFolder::Layout layout) {
        if (!path.empty())
            folders.push_back({std::move(path), owner, layout});
    };
    const auto files = ModelFolder::Layout::files;
    const std::string home = environment("HOME");
    const auto atHome = [&](const char* path) { return home.empty() ? std::string() : home + path; };
    const auto either = [&](std::string set, std::string usual) { return set.empty() ? std::move(usual) : set; };
    const std::string cache = either(environment("XDG_CACHE_HOME"), atHome("/.cache"));
    const auto inCache = [&](const char* path) { return cache.empty() ? std::string() : cache + path; };

    add(ownModelFolder(environment), "Decodescope", files);
    add(atHome("/.lmstudio/models"), "LM Studio", files);
    add(inCache("/lm-studio/models"), "LM Studio", files);
    const std::string ollama = environment("OLLAMA_MODELS");
    add(either(ollama, atHome("/.ollama/models")), "Ollama", ModelFolder::Layout::ollama);
    if (ollama.empty())
        add("/usr/share/ollama/.ollama/models", "Ollama", ModelFolder::Layout::ollama);
    const std::string huggingFace = either(environment("HF_HOME"), inCache("/huggingface"));
    add(either(environment("HF_HUB_CACHE"), huggingFace.empty() ? std::string() : huggingFace + "/hub"), "Hugging Face",
        files);
    add(either(environment("LLAMA_CACHE"), inCache("/llama.cpp")), "llama.cpp", files);
    for (const std::string& path : added)
        folders.push_back({path, path, files});
    return folders;
}

ModelSearch findModels(const std::vector<ModelFolder>& folders) {
    Finder finder;
    for (const ModelFolder& folder : folders)
        finder.search(folder);
    return finder.finish();
}

} // namespace decodescope
