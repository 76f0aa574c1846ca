#pragma once

#include <tl/expected.hpp>

#include <string>
#include <utility>

namespace decodescope {

/// What class of thing went wrong; the command line maps it to an exit status.
enum class ErrorCode {
    internal,   ///< a bug of ours
    usage,      ///< the caller asked for something that makes no sense
    io,         ///< a file could not be read or written (exit 8)
    malformed,  ///< a file is not what it claims to be
    network,    ///< an endpoint could not be reached
    refused,    ///< an endpoint said no
    unsupported ///< known, but not by this version
};

/// A failure for a person and for a report. Neither string ever holds a secret.
struct Error {
    ErrorCode code = ErrorCode::internal;
    std::string message; ///< one sentence: what, where, what to try
    std::string detail;  ///< for a bug report; may be empty
};

template <class T> using Result = tl::expected<T, Error>;

[[nodiscard]] inline tl::unexpected<Error> fail(ErrorCode code, std::string message, std::string detail = {}) {
    return tl::unexpected<Error>(Error{code, std::move(message), std::move(detail)});
}

} // namespace decodescope
