#include "engine/cpu/row_kernels.h"

namespace decodescope::engine {

const RowKernels& rowKernels(Isa isa) noexcept {
#if defined(__x86_64__)
    if (isa == Isa::avx512)
        return rowKernelsAvx512();
    if (isa == Isa::avx2)
        return rowKernelsAvx2();
#else
    static_cast<void>(isa);
#endif
    return rowKernelsScalar();
}

} // namespace decodescope::engine
