#pragma once

#include "engine/backend/backend_library.h"
#include "engine/base/error.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace decodescope::engine {

/// What a --device says.
struct DeviceName {
    enum class Kind : std::uint8_t { automatic, cpu, cuda, reference };
    Kind kind = Kind::automatic;
    std::uint32_t index = 0; ///< of cuda:N
};

/// "auto", "cpu", "cuda", "cuda:N", and for tests "reference", the scalar oracle; ErrorCode::usage otherwise.
[[nodiscard]] Result<DeviceName> parseDeviceName(std::string_view text);

/// Opens a backend's library and checks that it was built for this program. It stays open. ErrorCode::memory: not
/// there, not ours, of another version, or without a device.
[[nodiscard]] Result<BackendLibrary> openBackendLibrary(const std::string& path);

/// Where the CUDA backend may lie: beside the program, in its lib folder, and in ../lib/decodescope.
[[nodiscard]] std::vector<std::string> cudaLibraryPlaces();

} // namespace decodescope::engine
