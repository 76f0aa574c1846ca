#pragma once

#include "engine/cpu/isa.h"

#include <vector>

namespace decodescope::engine::test {

/// The instruction sets that this processor has, the plain one first.
inline std::vector<Isa> isasHere() {
    std::vector<Isa> isas{Isa::scalar};
    for (const Isa isa : {Isa::avx2, Isa::avx512})
        if (isa <= detectIsa())
            isas.push_back(isa);
    return isas;
}

} // namespace decodescope::engine::test
