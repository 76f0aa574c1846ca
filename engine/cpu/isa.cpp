#include "engine/cpu/isa.h"

#include <cstdlib>
#include <optional>

namespace decodescope::engine {

namespace {

#if defined(__x86_64__)
Isa bestOfProcessor() noexcept {
    // GCC's check includes whether the system saves the wide registers.
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
    const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                        __builtin_cpu_supports("avx512vnni");
    return avx512 ? Isa::avx512 : avx2 ? Isa::avx2 : Isa::scalar;
}
#else
Isa bestOfProcessor() noexcept {
    return Isa::scalar;
}
#endif

std::optional<Isa> wanted() noexcept {
    const char* text = std::getenv("DECODESCOPE_ISA");
    if (text == nullptr)
        return std::nullopt;
    for (const Isa isa : {Isa::scalar, Isa::avx2, Isa::avx512})
        if (toString(isa) == text)
            return isa;
    return std::nullopt;
}

} // namespace

Isa detectIsa() noexcept {
    const Isa best = bestOfProcessor();
    const Isa limit = wanted().value_or(best);
    return limit < best ? limit : best;
}

std::string_view toString(Isa isa) noexcept {
    switch (isa) {
    case Isa::avx2:
        return "avx2";
    case Isa::avx512:
        return "avx512";
    case Isa::scalar:
        break;
    }
    return "scalar";
}

std::uint32_t rowsPerGroup(Isa isa) noexcept {
    return isa == Isa::avx2 ? 8 : 16;
}

} // namespace decodescope::engine
