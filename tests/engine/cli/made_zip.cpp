#include "tests/engine/cli/made_zip.h"

#include <zlib.h>

namespace decodescope::engine::test {

namespace {

template <class T> void put(std::string& out, T value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string deflated(const std::string& text) {
    std::string out(compressBound(text.size()) + 64, '\0');
    z_stream stream{};
    deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

} // namespace

std::string madeZip(const std::vector<ZipPart>& parts, const std::string& comment) {
    std::string out;
    std::string directory;
    for (const ZipPart& part : parts) {
        const std::string packed = part.method == ZipMethod::deflated ? deflated(part.text) : part.text;
        const auto offset = static_cast<std::uint32_t>(out.size());
        const auto both = [&](std::string& to) { // what a local header and the directory say alike
            put<std::uint16_t>(to, 20);
            put<std::uint16_t>(to, 0);
            put(to, static_cast<std::uint16_t>(part.method));
            put<std::uint32_t>(to, 0);
            put<std::uint32_t>(to, static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(part.text.data()),
                                                                    static_cast<uInt>(part.text.size()))));
            put(to, static_cast<std::uint32_t>(packed.size()));
            put(to, static_cast<std::uint32_t>(part.text.size()));
            put(to, static_cast<std::uint16_t>(part.name.size()));
            put<std::uint16_t>(to, 0);
        };
        out += "PK\x03\x04";
        both(out);
        out += part.name + packed;
        directory += "PK\x01\x02";
        put<std::uint16_t>(directory, 20);
        both(directory);
        put<std::uint16_t>(directory, 0); // comment
        put<std::uint64_t>(directory, 0); // disk and attributes
        put(directory, offset);
        directory += part.name;
    }
    const auto begin = static_cast<std::uint32_t>(out.size());
    out += directory + "PK\x05\x06";
    put<std::uint32_t>(out, 0);
    put(out, static_cast<std::uint16_t>(parts.size()));
    put(out, static_cast<std::uint16_t>(parts.size()));
    put(out, static_cast<std::uint32_t>(directory.size()));
    put(out, begin);
    put(out, static_cast<std::uint16_t>(comment.size()));
    return out + comment;
}

} // namespace decodescope::engine::test
