#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

/// How the engine's rooms say that something went wrong. Nothing of ours throws; no input may reach an assert.
namespace decodescope::engine {

enum class ErrorCode : std::uint8_t {
    internal,
    usage,       ///< a wrong argument or request
    malformed,   ///< a file that is damaged or hostile
    unsupported, ///< well-formed, but nothing we can run; the message names what
    disk,        ///< a file that cannot be read or written, or a download that failed
    memory,      ///< out of memory, or a device that is absent or failed
    cancelled
};

struct Error {
    ErrorCode code = ErrorCode::internal;
    std::string message; ///< one sentence: what, where, what to try. Text out of files is made visible first
};

template <class T> using Result = tl::expected<T, Error>;

[[nodiscard]] inline tl::unexpected<Error> fail(ErrorCode code, std::string message) {
    return tl::unexpected<Error>(Error{code, std::move(message)});
}

/// The exit status of cli.md's engine section: 1 internal, 2 usage, 5 malformed or unsupported, 8 disk, 9 memory or
/// device, 130 cancelled.
[[nodiscard]] int exitStatusOf(ErrorCode code) noexcept;

/// Text from a file or request made safe for terminals and messages: control characters, ESC, C1, bidi controls and
/// ill-formed UTF-8 become \xNN or \u{...}; at most `limit` bytes, then "...".
[[nodiscard]] std::string visible(std::string_view text, std::size_t limit = 200);

} // namespace decodescope::engine
