// Responses of every protocol, bare and with their heads.
#include "tests/fuzz/wire_input.h"

using namespace decodescope::test;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    checkStream(readWireInput(data, size));
    return 0;
}
