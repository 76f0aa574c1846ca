#include "engine/gguf/gguf_header.h"

#include "engine/base/bounded_reader.h"
#include "engine/base/checked.h"
#include "engine/gguf/gguf_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

namespace decodescope::engine {

namespace {

constexpr std::uint32_t kMagic = 0x46554747; // "GGUF"
// The fewest bytes that an entry takes: counts beyond what is left are refused before anything is reserved for them.
constexpr std::uint64_t kLeastKeyBytes = 8 + 1 + 4 + 1;
constexpr std::uint64_t kLeastTensorBytes = 8 + 4 + 8 + 4 + 8;

class HeaderParser {
public:
    HeaderParser(std::span<const std::byte> file, const std::string& name) noexcept
        : m_file(file)
        , m_name(name)
        , m_in(file.first(std::min<std::size_t>(file.size(), kMaxHeaderBytes))) {}

    Result<GgufHeader> parse() {
        return preamble()
            .and_then([this] { return metadata(); })
            .and_then([this] { return tensors(); })
            .and_then([this] { return placement(); })
            .map([this] { return std::move(m_header); });
    }

private:
    template <class... Args> tl::unexpected<Error> malformed(fmt::format_string<Args...> format, Args&&... args) const {
        return fail(ErrorCode::malformed,
                    fmt::format("{} is damaged: {}.", m_name, fmt::format(format, std::forward<Args>(args)...)));
    }

    tl::unexpected<Error> ended(const std::string& what) const {
        if (m_file.size() > kMaxHeaderBytes)
            return malformed("{} at byte {} goes beyond the {} MiB that a header may have", what, m_in.offset(),
                             kMaxHeaderBytes >> 20);
        return malformed("it ends at byte {}, within {} that begins at byte {}; the download may be incomplete",
                         m_file.size(), what, m_in.offset());
    }

    Result<void> preamble() {
        const auto magic = m_in.read<std::uint32_t>();
        if (!magic || *magic != kMagic)
            return fail(ErrorCode::malformed,
                        fmt::format("{} is no GGUF file: it does not begin with the letters GGUF.", m_name));
        const auto version = m_in.read<std::uint32_t>();
        if (!version)
            return ended("the version");
        if (*version != 0 && (*version & 0xFFFFU) == 0)
            return fail(ErrorCode::unsupported,
                        fmt::format("{} is written for big-endian machines. Convert it first.", m_name));
        if (*version != 2 && *version != 3)
            return fail(ErrorCode::unsupported,
                        fmt::format("{} has version {} of the format; 2 and 3 are read.", m_name, *version));
        m_header.version = *version;
        const auto tensorCount = m_in.read<std::uint64_t>();
        const auto keyCount = m_in.read<std::uint64_t>();
        if (!tensorCount || !keyCount)
            return ended("the counts");
        if (*tensorCount > kMaxTensors || *tensorCount > m_in.left() / kLeastTensorBytes)
            return malformed("it claims {} tensors at byte 8; there is room for {}", *tensorCount,
                             std::min(kMaxTensors, m_in.left() / kLeastTensorBytes));
        if (*keyCount > kMaxKeys || *keyCount > m_in.left() / kLeastKeyBytes)
            return malformed("it claims {} metadata keys at byte 16; there is room for {}", *keyCount,
                             std::min(kMaxKeys, m_in.left() / kLeastKeyBytes));
        m_tensorCount = *tensorCount;
        m_keyCount = *keyCount;
        return {};
    }

    /// A length and as many bytes.
    Result<std::string_view> text(std::uint64_t limit, const std::string& what) {
        const std::uint64_t begin = m_in.offset();
        const auto length = m_in.read<std::uint64_t>();
        if (!length)
            return ended(what);
        if (*length > limit)
            return malformed("{} at byte {} claims {} bytes; {} are allowed", what, begin, *length, limit);
        const auto bytes = m_in.take(*length);
        if (!bytes)
            return malformed("{} at byte {} claims {} bytes; {} are left", what, begin, *length, m_in.left());
        return asText(*bytes);
    }

    Result<void> metadata() {
        std::vector<MetadataEntry> entries;
        entries.reserve(m_keyCount);
        for (std::uint64_t i = 0; i < m_keyCount; ++i) {
            const std::uint64_t begin = m_in.offset();
            const Result<std::string_view> key = text(kMaxKeyBytes, fmt::format("the name of metadata key {}", i + 1));
            if (!key)
                return tl::unexpected(key.error());
            if (key->empty())
                return malformed("metadata key {} at byte {} has an empty name", i + 1, begin);
            MetadataEntry entry;
            entry.key = *key;
            if (const Result<void> read = value(entry); !read)
                return read;
            entries.push_back(entry);
        }
        m_header.metadata = Metadata(std::move(entries));
        if (const auto twice = m_header.metadata.duplicate())
            return malformed("the metadata key \"{}\" is there twice", visible(*twice));
        return {};
    }

    static std::string valueOf(const MetadataEntry& entry) {
        return fmt::format("the value of \"{}\"", visible(entry.key));
    }

    Result<ValueType> valueType(const std::string& what) {
        const std::uint64_t begin = m_in.offset();
        const auto type = m_in.read<std::uint32_t>();
        if (!type)
            return ended(what);
        if (*type > static_cast<std::uint32_t>(ValueType::f64))
            return malformed("{} at byte {} has the unknown type {}", what, begin, *type);
        return static_cast<ValueType>(*type);
    }

    Result<void> value(MetadataEntry& entry) {
        const Result<ValueType> type = valueType(valueOf(entry));
        if (!type)
            return tl::unexpected(type.error());
        entry.type = *type;
        if (entry.type == ValueType::array)
            return array(entry);
        if (entry.type == ValueType::string) {
            const Result<std::string_view> string = text(kMaxStringBytes, valueOf(entry));
            if (!string)
                return tl::unexpected(string.error());
            entry.data = reinterpret_cast<const std::byte*>(string->data());
            entry.count = string->size();
            return {};
        }
        return plain(entry, 1);
    }

    /// `count` values of a fixed width.
    Result<void> plain(MetadataEntry& entry, std::uint64_t count) {
        const ValueType type = entry.type == ValueType::array ? entry.element : entry.type;
        const std::uint64_t begin = m_in.offset();
        const auto bytes = m_in.take(count * valueBytes(type)); // at most 16 Mi elements of 8 bytes
        if (!bytes)
            return ended(valueOf(entry));
        const auto isFlag = [](std::byte b) { return std::to_integer<unsigned>(b) <= 1; };
        if (type == ValueType::boolean && !std::all_of(bytes->begin(), bytes->end(), isFlag))
            return malformed("{} at byte {} is neither true nor false", valueOf(entry), begin);
        entry.data = bytes->data();
        return {};
    }

    Result<void> array(MetadataEntry& entry) {
        const Result<ValueType> element = valueType(valueOf(entry));
        if (!element)
            return tl::unexpected(element.error());
        entry.element = *element;
        if (entry.element == ValueType::array)
            return malformed("{} is an array of arrays, which no model has", valueOf(entry));
        const std::uint64_t begin = m_in.offset();
        const auto count = m_in.read<std::uint64_t>();
        if (!count)
            return ended(valueOf(entry));
        const std::uint64_t least = entry.element == ValueType::string ? 8 : valueBytes(entry.element);
        if (*count > kMaxArrayElements || *count > m_in.left() / least)
            return malformed("{} at byte {} claims {} elements; there is room for {}", valueOf(entry), begin, *count,
                             std::min(kMaxArrayElements, m_in.left() / least));
        entry.count = *count;
        if (entry.element != ValueType::string)
            return plain(entry, *count);
        entry.data = m_in.here();
        const std::string what = fmt::format("an element of \"{}\"", visible(entry.key));
        for (std::uint64_t i = 0; i < *count; ++i)
            if (const Result<std::string_view> string = text(kMaxStringBytes, what); !string)
                return tl::unexpected(string.error());
        return {};
    }

    Result<void> tensors() {
        m_header.tensors.reserve(m_tensorCount);
        m_offsets.reserve(m_tensorCount);
        for (std::uint64_t i = 0; i < m_tensorCount; ++i)
            if (const Result<void> read = tensor(i); !read)
                return read;
        return {};
    }

    Result<void> tensor(std::uint64_t index) {
        const std::string which = fmt::format("tensor {}", index + 1);
        const std::uint64_t begin = m_in.offset();
        const Result<std::string_view> name = text(kMaxTensorNameBytes, "the name of " + which);
        if (!name)
            return tl::unexpected(name.error());
        if (name->empty())
            return malformed("{} at byte {} has no name", which, begin);
        TensorView out;
        out.name = *name;
        const std::string what = fmt::format("tensor \"{}\"", visible(*name));
        const auto dimensions = m_in.read<std::uint32_t>();
        if (!dimensions)
            return ended(what);
        if (*dimensions < 1 || *dimensions > kMaxDimensions)
            return malformed("{} has {} dimensions; 1 to {} are allowed", what, *dimensions, kMaxDimensions);
        out.dimensions = static_cast<int>(*dimensions);
        for (std::uint32_t d = 0; d < *dimensions; ++d) {
            const auto size = m_in.read<std::uint64_t>();
            if (!size)
                return ended(what);
            out.shape[d] = *size;
        }
        const auto type = m_in.read<std::uint32_t>();
        const auto offset = m_in.read<std::uint64_t>();
        if (!type || !offset)
            return ended(what);
        out.typeId = *type;
        if (const Result<void> sized = size(out, what); !sized)
            return sized;
        m_header.tensors.push_back(out);
        m_offsets.push_back(*offset);
        return {};
    }

    /// Bytes from shape and type. An id without a meaning leaves them 0: inspect shows such a file, nothing runs it.
    Result<void> size(TensorView& tensor, const std::string& what) const {
        std::optional<std::uint64_t> elements = 1;
        for (const std::uint64_t dimension : tensor.shape) {
            if (dimension == 0)
                return malformed("{} has a dimension of size 0", what);
            elements = elements ? checkedMultiply(*elements, dimension) : std::nullopt;
        }
        const TensorTypeInfo* const info = tensorTypeInfo(tensor.typeId);
        if (elements && info == nullptr)
            return {};
        if (elements && tensor.shape[0] % info->blockElements != 0)
            return malformed("{} has rows of {} elements, which blocks of {} ({}) do not divide", what, tensor.shape[0],
                             info->blockElements, info->name);
        const auto bytes = elements ? checkedMultiply(*elements / info->blockElements, info->blockBytes) : std::nullopt;
        if (!bytes)
            return malformed("{} is larger than any memory: {} x {} x {} x {}", what, tensor.shape[0], tensor.shape[1],
                             tensor.shape[2], tensor.shape[3]);
        tensor.bytes = *bytes;
        return {};
    }

    Result<std::uint64_t> alignment() const {
        const MetadataEntry* const entry = m_header.metadata.find("general.alignment");
        if (entry == nullptr)
            return kDefaultAlignment;
        const auto value = m_header.metadata.unsignedInteger("general.alignment");
        if (!value)
            return malformed("\"general.alignment\" is no number");
        if (*value < kMinAlignment || *value > kMaxAlignment || !std::has_single_bit(*value))
            return malformed("\"general.alignment\" is {}; a power of two from {} to {} is needed", *value,
                             kMinAlignment, kMaxAlignment);
        return *value;
    }

    Result<void> placement() {
        const Result<std::uint64_t> alignment = this->alignment();
        if (!alignment)
            return tl::unexpected(alignment.error());
        const auto dataBegin = checkedAlign(m_in.offset(), *alignment);
        for (std::size_t i = 0; i < m_offsets.size(); ++i) {
            TensorView& tensor = m_header.tensors[i];
            if (m_offsets[i] % *alignment != 0)
                return malformed("the data of tensor \"{}\" lies at {}, no multiple of the alignment {}",
                                 visible(tensor.name), m_offsets[i], *alignment);
            const auto begin = dataBegin ? checkedAdd(*dataBegin, m_offsets[i]) : std::nullopt;
            const auto end = begin ? checkedAdd(*begin, tensor.bytes) : std::nullopt;
            if (!end || *end > m_file.size())
                return malformed("the data of tensor \"{}\" ({} bytes at offset {}) goes beyond the file's end at byte "
                                 "{}; the download may be incomplete",
                                 visible(tensor.name), tensor.bytes, m_offsets[i], m_file.size());
            tensor.data = m_file.data() + *begin;
        }
        return noOverlap();
    }

    Result<void> noOverlap() const {
        std::vector<std::uint32_t> order(m_offsets.size());
        std::iota(order.begin(), order.end(), 0U);
        std::sort(order.begin(), order.end(), [this](auto a, auto b) { return m_offsets[a] < m_offsets[b]; });
        for (std::size_t i = 1; i < order.size(); ++i) {
            const TensorView& before = m_header.tensors[order[i - 1]];
            const TensorView& after = m_header.tensors[order[i]];
            if (m_offsets[order[i - 1]] + before.bytes > m_offsets[order[i]])
                return malformed("the data of tensors \"{}\" and \"{}\" overlap", visible(before.name),
                                 visible(after.name));
        }
        return {};
    }

    std::span<const std::byte> m_file;
    const std::string& m_name;
    BoundedReader m_in;
    std::uint64_t m_tensorCount = 0;
    std::uint64_t m_keyCount = 0;
    GgufHeader m_header;
    std::vector<std::uint64_t> m_offsets; ///< of each tensor's data, from the beginning of the data
};

} // namespace

Result<GgufHeader> parseHeader(std::span<const std::byte> file, const std::string& name) {
    return HeaderParser(file, name).parse();
}

} // namespace decodescope::engine
