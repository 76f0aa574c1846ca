#include "engine/cli/zip_entry.h"

#include "engine/base/bounded_reader.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>
#include <zlib.h>

namespace decodescope::engine {

namespace {

constexpr std::uint32_t kEndMark = 0x06054B50;
constexpr std::uint32_t kDirectoryMark = 0x02014B50;
constexpr std::uint32_t kLocalMark = 0x04034B50;
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kMostComment = 65'535;
constexpr std::size_t kPieceBytes = 256 << 10;

tl::unexpected<Error> malformed(const char* what) {
    return fail(ErrorCode::malformed, std::string("The downloaded package is no zip file that we can read: ") + what);
}

/// Where the directory of the archive lies.
struct Directory {
    std::uint16_t entries = 0;
    std::uint32_t offset = 0;
};

std::optional<Directory> directoryOf(std::span<const std::byte> zip) {
    if (zip.size() < kEndBytes)
        return std::nullopt;
    // The closing record is the last thing but for a comment, so it is looked for from the end.
    const std::size_t last = zip.size() - kEndBytes;
    const std::size_t first = last - std::min(last, kMostComment);
    for (std::size_t at = last + 1; at-- > first;) {
        BoundedReader in(zip.subspan(at));
        if (in.read<std::uint32_t>() != kEndMark || !in.take(6))
            continue;
        const auto entries = in.read<std::uint16_t>();
        const auto size = in.read<std::uint32_t>();
        const auto offset = in.read<std::uint32_t>();
        if (entries && size && offset && *offset <= at)
            return Directory{*entries, *offset};
    }
    return std::nullopt;
}

/// One record of the directory; the reader then stands at the next.
struct Record {
    std::uint16_t flags = 0;
    std::uint16_t method = 0;
    std::uint32_t packed = 0;
    std::uint32_t bytes = 0;
    std::uint32_t offset = 0;
    std::string_view name;
};

std::optional<Record> nextRecord(BoundedReader& in) {
    if (in.read<std::uint32_t>() != kDirectoryMark || !in.take(4)) // versions
        return std::nullopt;
    const auto flags = in.read<std::uint16_t>();
    const auto method = in.read<std::uint16_t>();
    const auto skipped = in.take(8); // time, date, CRC
    const auto packed = in.read<std::uint32_t>();
    const auto bytes = in.read<std::uint32_t>();
    const auto nameLength = in.read<std::uint16_t>();
    const auto extraLength = in.read<std::uint16_t>();
    const auto commentLength = in.read<std::uint16_t>();
    const auto attributes = in.take(8); // disk and attributes
    const auto offset = in.read<std::uint32_t>();
    if (!flags || !method || !skipped || !packed || !bytes || !nameLength || !extraLength || !commentLength ||
        !attributes || !offset)
        return std::nullopt;
    const auto name = in.take(*nameLength);
    if (!name || !in.take(*extraLength) || !in.take(*commentLength))
        return std::nullopt;
    return Record{*flags, *method, *packed, *bytes, *offset, asText(*name)};
}

Result<ZipEntry> entryAt(std::span<const std::byte> zip, const Record& record) {
    if ((record.flags & 1U) != 0 || (record.method != 0 && record.method != 8))
        return malformed("the model in it is encrypted or packed in another way.");
    if (record.offset > zip.size())
        return malformed("an entry lies beyond its end.");
    BoundedReader in(zip.subspan(record.offset));
    if (in.read<std::uint32_t>() != kLocalMark || !in.take(22))
        return malformed("an entry does not begin where it should.");
    const auto nameLength = in.read<std::uint16_t>();
    const auto extraLength = in.read<std::uint16_t>();
    if (!nameLength || !extraLength || !in.take(std::uint64_t{*nameLength} + *extraLength))
        return malformed("it ends within an entry.");
    const auto packed = in.take(record.packed);
    if (!packed)
        return malformed("it ends within an entry.");
    return ZipEntry{record.method, record.bytes, *packed};
}

class Inflater {
public:
    Inflater() { m_ready = inflateInit2(&m_stream, -MAX_WBITS) == Z_OK; } // negative: no header around the data
    ~Inflater() {
        if (m_ready)
            inflateEnd(&m_stream);
    }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;
    [[nodiscard]] bool ready() const noexcept { return m_ready; }
    [[nodiscard]] z_stream& stream() noexcept { return m_stream; }

private:
    z_stream m_stream{};
    bool m_ready = false;
};

} // namespace

Result<ZipEntry> findZipEntry(std::span<const std::byte> zip, std::string_view file) {
    const std::optional<Directory> directory = directoryOf(zip);
    if (!directory)
        return malformed("it has no directory.");
    BoundedReader in(zip.subspan(directory->offset));
    for (unsigned i = 0; i < directory->entries; ++i) {
        const std::optional<Record> record = nextRecord(in);
        if (!record)
            return malformed("its directory is damaged.");
        const bool inFolder = record->name.size() > file.size() && record->name.ends_with(file) &&
                              record->name[record->name.size() - file.size() - 1] == '/';
        if (record->name == file || inFolder)
            return entryAt(zip, *record);
    }
    return malformed("the model is not in it.");
}

Result<void> unpackZipEntry(const ZipEntry& entry,
                            const std::function<Result<void>(std::span<const std::byte>)>& take) {
    if (entry.method == 0) {
        if (entry.packed.size() != entry.bytes)
            return malformed("a stored entry has two sizes.");
        for (std::size_t at = 0; at < entry.packed.size(); at += kPieceBytes)
            if (auto taken = take(entry.packed.subspan(at, std::min(kPieceBytes, entry.packed.size() - at))); !taken)
                return taken;
        return {};
    }
    Inflater inflater;
    if (!inflater.ready())
        return fail(ErrorCode::memory, "Out of memory while unpacking.");
    z_stream& stream = inflater.stream();
    if (entry.packed.size() > std::numeric_limits<uInt>::max())
        return malformed("an entry is too large.");
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(entry.packed.data()));
    stream.avail_in = static_cast<uInt>(entry.packed.size());
    std::vector<std::byte> piece(kPieceBytes);
    std::uint64_t done = 0;
    for (int status = Z_OK; status != Z_STREAM_END;) {
        stream.next_out = reinterpret_cast<Bytef*>(piece.data());
        stream.avail_out = static_cast<uInt>(piece.size());
        status = inflate(&stream, Z_NO_FLUSH);
        const std::size_t got = piece.size() - stream.avail_out;
        done += got;
        if ((status != Z_OK && status != Z_STREAM_END) || (status == Z_OK && got == 0) || done > entry.bytes)
            return malformed("an entry is damaged.");
        if (auto taken = take(std::span(piece).first(got)); !taken)
            return taken;
    }
    if (done != entry.bytes)
        return malformed("an entry is shorter than it should be.");
    return {};
}

} // namespace decodescope::engine
