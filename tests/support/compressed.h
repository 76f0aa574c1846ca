#pragma once

#include <string>
#include <zlib.h>

namespace decodescope::test {

/// The window bits by which zlib tells the three wrappings of the same compression apart.
inline constexpr int kGzip = 15 + 16, kZlib = 15, kBareDeflate = -15;

/// As a server sends it under Content-Encoding; empty if zlib would not.
inline std::string compressed(const std::string& text, int wrapping = kGzip) {
    z_stream stream{};
    if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, wrapping, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return {};
    std::string in = text;
    std::string out(deflateBound(&stream, in.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(in.data());
    stream.avail_in = static_cast<uInt>(in.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    const bool whole = deflate(&stream, Z_FINISH) == Z_STREAM_END;
    out.resize(whole ? stream.total_out : 0);
    deflateEnd(&stream);
    return out;
}

} // namespace decodescope::test
