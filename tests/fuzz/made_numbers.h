#pragma once

#include "tests/engine/support/tiny_model.h"

class FuzzedDataProvider;

namespace decodescope::engine::test {

/// A small model whose numbers, shapes and types a fuzzer chose: often one that agrees with itself.
[[nodiscard]] GgufWriter madeModel(FuzzedDataProvider& in);

} // namespace decodescope::engine::test
