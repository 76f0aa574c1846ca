// Compiled with flags of its own (CMakeLists.txt): what is in here is local to this file, but for one function. The
// vectors come before what is written with them.
// clang-format off
#include "engine/cpu/vector_avx512.h"
#include "engine/cpu/attention_body.h"
// clang-format on

namespace decodescope::engine {

const RowKernels& rowKernelsAvx512() noexcept {
    return kRowKernels;
}

} // namespace decodescope::engine
