#pragma once

namespace decodescope::engine {

/// Calls work<0>() ... work<N - 1>(), as one straight piece of code: arrays that it indexes by the number become
/// registers. Kernels that use it are [[gnu::flatten]], or GCC calls the larger pieces of work as functions, through
/// memory. Static, since each instruction set compiles its own.
template <int N, int I = 0, class Work> [[gnu::always_inline]] static inline void unrolled(const Work& work) {
    if constexpr (I < N) {
        work.template operator()<I>();
        unrolled<N, I + 1>(work);
    }
}

} // namespace decodescope::engine
