#include "engine/gguf/gguf_file.h"

#include "engine/base/mapped_file.h"
#include "engine/gguf/gguf_header.h"
#include "engine/gguf/gguf_limits.h"
#include "engine/gguf/shard_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace decodescope::engine {

struct GgufFile::Parts {
    std::string path;
    std::vector<MappedFile> shards;
    std::uint32_t version = 0;
    std::uint64_t bytes = 0;
    Metadata metadata;
    std::vector<TensorView> tensors;
    std::vector<std::uint32_t> byName; ///< indices of tensors, ordered by name

    Result<GgufHeader> addShard(const std::string& shardPath);
    Result<void> addOtherShards(std::uint64_t count);
    Result<void> indexTensors();
};

namespace {

std::string shown(const std::string& path) {
    return visible(path, 4096);
}

} // namespace

Result<GgufHeader> GgufFile::Parts::addShard(const std::string& shardPath) {
    Result<MappedFile> mapped = MappedFile::open(shardPath);
    if (!mapped)
        return tl::unexpected(mapped.error());
    Result<GgufHeader> header = parseHeader(mapped->bytes(), shown(shardPath));
    if (!header)
        return header;
    bytes += mapped->bytes().size();
    shards.push_back(std::move(*mapped));
    if (tensors.size() + header->tensors.size() > kMaxTensors)
        return fail(ErrorCode::malformed, fmt::format("{} has more than {} tensors.", shown(path), kMaxTensors));
    tensors.insert(tensors.end(), header->tensors.begin(), header->tensors.end());
    return header;
}

Result<void> GgufFile::Parts::addOtherShards(std::uint64_t count) {
    const std::optional<ShardName> name = ShardName::of(path);
    if (!name || name->count != count)
        return fail(ErrorCode::malformed,
                    fmt::format("{} is the first of {} parts, so its name must end with -00001-of-{:05}.gguf.",
                                shown(path), count, count));
    if (name->number != 1)
        return fail(ErrorCode::malformed,
                    fmt::format("{} is named as part {} but holds the first.", shown(path), name->number));
    for (std::uint64_t number = 2; number <= count; ++number) {
        const std::string part = name->part(number);
        const Result<GgufHeader> header = addShard(part);
        if (!header)
            return tl::unexpected(header.error());
        if (header->metadata.unsignedInteger("split.no") != number - 1 ||
            header->metadata.unsignedInteger("split.count") != count)
            return fail(ErrorCode::malformed,
                        fmt::format("{} does not say that it is part {} of {}.", shown(part), number, count));
    }
    return {};
}

Result<void> GgufFile::Parts::indexTensors() {
    if (const auto promised = metadata.unsignedInteger("split.tensors.count"); promised && *promised != tensors.size())
        return fail(ErrorCode::malformed, fmt::format("{} and its parts hold {} tensors; it promises {}.", shown(path),
                                                      tensors.size(), *promised));
    byName.resize(tensors.size());
    std::iota(byName.begin(), byName.end(), 0U);
    std::sort(byName.begin(), byName.end(), [this](auto a, auto b) { return tensors[a].name < tensors[b].name; });
    const auto twice = std::adjacent_find(byName.begin(), byName.end(),
                                          [this](auto a, auto b) { return tensors[a].name == tensors[b].name; });
    if (twice != byName.end())
        return fail(ErrorCode::malformed, fmt::format("{} is damaged: the tensor \"{}\" is there twice.", shown(path),
                                                      visible(tensors[*twice].name)));
    return {};
}

Result<std::unique_ptr<GgufFile>> GgufFile::open(const std::string& path) {
    std::unique_ptr<GgufFile> file(new GgufFile);
    Parts& parts = *file->m_parts;
    parts.path = path;
    Result<GgufHeader> header = parts.addShard(path);
    if (!header)
        return tl::unexpected(header.error());
    parts.version = header->version;
    parts.metadata = std::move(header->metadata);
    const std::uint64_t number = parts.metadata.unsignedInteger("split.no").value_or(0);
    const std::uint64_t count = parts.metadata.unsignedInteger("split.count").value_or(1);
    if (number != 0)
        return fail(ErrorCode::malformed, fmt::format("{} is part {} of a model of {} parts. Open the first of them.",
                                                      shown(path), number + 1, count));
    if (count > kMaxShards)
        return fail(ErrorCode::malformed,
                    fmt::format("{} claims {} parts; {} are allowed.", shown(path), count, kMaxShards));
    if (count > 1)
        if (const Result<void> added = parts.addOtherShards(count); !added)
            return tl::unexpected(added.error());
    if (const Result<void> indexed = parts.indexTensors(); !indexed)
        return tl::unexpected(indexed.error());
    return file;
}

GgufFile::GgufFile()
    : m_parts(std::make_unique<Parts>()) {}
GgufFile::~GgufFile() = default;

std::uint32_t GgufFile::version() const noexcept {
    return m_parts->version;
}

const std::string& GgufFile::path() const noexcept {
    return m_parts->path;
}

std::uint64_t GgufFile::fileBytes() const noexcept {
    return m_parts->bytes;
}

bool GgufFile::has(std::string_view key) const {
    return m_parts->metadata.find(key) != nullptr;
}

std::optional<std::uint64_t> GgufFile::unsignedInteger(std::string_view key) const {
    return m_parts->metadata.unsignedInteger(key);
}

std::optional<double> GgufFile::real(std::string_view key) const {
    return m_parts->metadata.real(key);
}

std::optional<bool> GgufFile::flag(std::string_view key) const {
    return m_parts->metadata.flag(key);
}

std::optional<std::string_view> GgufFile::text(std::string_view key) const {
    return m_parts->metadata.text(key);
}

std::optional<std::uint64_t> GgufFile::arraySize(std::string_view key) const {
    const MetadataEntry* const entry = m_parts->metadata.array(key);
    if (entry == nullptr)
        return std::nullopt;
    return entry->count;
}

std::optional<std::vector<std::string_view>> GgufFile::texts(std::string_view key) const {
    return m_parts->metadata.texts(key);
}

std::optional<std::vector<float>> GgufFile::reals(std::string_view key) const {
    return m_parts->metadata.reals(key);
}

std::optional<std::vector<std::int64_t>> GgufFile::integers(std::string_view key) const {
    return m_parts->metadata.integers(key);
}

std::vector<std::string_view> GgufFile::keys() const {
    std::vector<std::string_view> out;
    out.reserve(m_parts->metadata.entries().size());
    for (const MetadataEntry& entry : m_parts->metadata.entries())
        out.push_back(entry.key);
    return out;
}

std::span<const TensorView> GgufFile::tensors() const noexcept {
    return m_parts->tensors;
}

const TensorView* GgufFile::tensor(std::string_view name) const {
    const Parts& parts = *m_parts;
    const auto at =
        std::lower_bound(parts.byName.begin(), parts.byName.end(), name,
                         [&parts](std::uint32_t a, std::string_view wanted) { return parts.tensors[a].name < wanted; });
    return at != parts.byName.end() && parts.tensors[*at].name == name ? &parts.tensors[*at] : nullptr;
}

void GgufFile::willNeed() const noexcept {
    for (const MappedFile& shard : m_parts->shards)
        shard.willNeed();
}

void GgufFile::doneWith() const noexcept {
    for (const MappedFile& shard : m_parts->shards)
        shard.doneWith();
}

} // namespace decodescope::engine
