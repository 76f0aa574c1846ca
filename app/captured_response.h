#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace decodescope {

/// A response as a file holds it, made into what a socket would have brought.
///
/// Tools that save responses write heads that were never sent: `curl -i` puts "HTTP/2 200" over bytes that came in
/// frames, keeps "Transfer-Encoding: chunked" over a body whose chunks it has removed, and writes the heads of a proxy
/// and of redirects that it followed before the last one; editors turn CRLF into LF. Such a head is rewritten. A file
/// that needs none of this is kept byte for byte, so that what it proves about the reader of live responses is proved.
struct CapturedResponse {
    std::string bytes;
    bool http = false; ///< it has a head
    /// Where the body begins, in the file and in `bytes`.
    std::size_t bodyInFile = 0;
    std::size_t bodyInBytes = 0;

    /// The offset in `bytes` that an offset of the file stands for.
    [[nodiscard]] std::size_t offset(std::size_t inFile) const noexcept;
};

[[nodiscard]] CapturedResponse readCapture(std::string_view file);

} // namespace decodescope
