#pragma once

#include "engine/backend/backend.h"

#include <cstdint>

/// How a backend that needs more than this machine's processor (a GPU) is found at run time: a shared library with one
/// C function, opened by name beside the program. The program itself links nothing of it.
namespace decodescope::engine {

/// Counts up with every change to Backend, ModelPlan or what they hold: program and library must agree.
inline constexpr std::uint32_t kBackendLibraryVersion = 1;
inline constexpr const char* kBackendLibraryEntry = "decodescope_backend_library";

struct BackendLibrary {
    std::uint32_t version = 0;    ///< kBackendLibraryVersion as the library was built with; checked before the rest
    std::uint32_t devices = 0;    ///< that it can use now
    const char* reason = nullptr; ///< why there is none, for people; null when there is one
    BackendMaker make = nullptr;  ///< with BackendOptions::device below `devices`
};

/// extern "C": what kBackendLibraryEntry names. The result lives as long as the library.
using BackendLibraryEntry = const BackendLibrary* (*)();

} // namespace decodescope::engine
