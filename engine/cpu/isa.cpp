#include "engine/cpu/isa.h"

#include <cstdlib>
#include <optional>

namespace decodescope::engine {

namespace {

Isa bestOfProcessor() noexcept {
    return Isa::scalar;
}

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
